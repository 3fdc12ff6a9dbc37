"""Files for profiles, and what is found in them."""

from benchwright.profiles.formats import Bounds
from benchwright.profiles.looking import look


def entry_of(path, **bounds):
    return look(path, path.name, Bounds(**bounds))


def written(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def kinds(entry, table=0):
    return [(column.name, column.kind) for column in entry.tables[table].columns]
