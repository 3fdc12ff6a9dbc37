"""Arrays: NumPy's files without unpickling, NetCDF and HDF5."""

from __future__ import annotations

import math
import zipfile
from collections import deque
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from benchwright.profiles.entries import Count, Table
from benchwright.profiles.formats.base import Found, Source, Unreadable, needed
from benchwright.profiles.tables import cut, plain, table_of

_MEASURED = 4_000_000
_WIDEST = 200
_NODES = 1000
_MAGIC = b"\x89HDF\r\n\x1a\n"


def read_npy(source: Source) -> Found:
    """One array: its shape, type and numbers. Arrays of objects, which are pickles, are listed and not read."""
    with source.path.open("rb") as stream:
        table = _npy(stream, "", source)
    return Found(tables=(table,), facts=table.facts, rows=table.rows)


def read_npz(source: Source) -> Found:
    """All arrays of an archive of them."""
    with zipfile.ZipFile(source.path) as parts:
        members = [part for part in parts.infolist() if part.filename.endswith(".npy")]
        if sum(part.file_size for part in members) > source.bounds.bytes:
            raise Unreadable(f"its arrays unpack to more than {source.bounds.bytes:,} bytes")
        tables = []
        for part in members[: source.bounds.tables]:
            with parts.open(part) as stream:
                tables.append(_npy(stream, part.filename.removesuffix(".npy"), source))
    return Found(tables=tuple(tables), facts={"arrays": len(members)})


def _npy(stream: Any, name: str, source: Source) -> Table:
    import numpy as np

    version = np.lib.format.read_magic(stream)
    header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, fortran, kind = header(stream)
    facts = {"shape": list(shape), "type": str(kind), "order": "column by column" if fortran else "row by row"}
    rows = Count(value=shape[0] if shape else 1)
    if kind.hasobject:
        return Table(
            name=cut(name), rows=rows, facts={**facts, "not_read": "objects are pickles, which are never loaded"}
        )
    size = math.prod(shape) * kind.itemsize
    if size > source.bounds.bytes:
        return Table(name=cut(name), rows=rows, facts={**facts, "not_read": f"{size:,} bytes are too many"})
    raw = stream.read(size)
    if len(raw) < size:
        raise Unreadable(f"cut off: {len(raw):,} of {size:,} bytes of numbers")
    array = np.frombuffer(raw, kind).reshape(shape, order="F" if fortran else "C")
    return array_table(array, name, facts)


def array_table(array: Any, name: str, facts: dict[str, Any]) -> Table:
    """An array as a table: a structured one by its fields, a narrow matrix by its columns, all others as one column."""
    import polars as pl

    rows = Count(value=len(array) if array.ndim else 1)
    if array.dtype.names:
        columns = {field: array[field] for field in array.dtype.names if array.ndim == 1 and array[field].ndim == 1}
    elif array.ndim == 2 and array.shape[1] <= _WIDEST:
        columns = {f"column_{place + 1}": array[:, place] for place in range(array.shape[1])}
    else:
        columns = {"value": array.reshape(-1)}
    series = [pl.Series(field, _as_known(column)) for field, column in columns.items()]
    return table_of([pl.DataFrame(series)] if series else [], name, facts, rows=rows)


def _as_known(array: Any) -> Any:
    """The array in a type and byte order that frames have."""
    if array.dtype.kind in "iufb":
        wide = array.astype("float32") if array.dtype.str[1:] == "f2" else array
        return wide.astype(wide.dtype.newbyteorder("=")).copy()
    return [str(each) if array.dtype.kind != "S" else each.decode("utf-8", "replace") for each in array[:_MEASURED]]


def read_netcdf(source: Source) -> Found:
    """Dimensions, variables and attributes of a NetCDF file, of version 3 or 4."""
    with source.path.open("rb") as stream:
        if stream.read(len(_MAGIC)) == _MAGIC:
            return read_hdf5(source)
    from scipy.io import netcdf_file

    with closing(netcdf_file(source.path, "r", mmap=False)) as file:
        tables = tuple(
            _variable(name, variable) for name, variable in list(file.variables.items())[: source.bounds.tables]
        )
        facts = {
            "dimensions": {cut(name): size for name, size in file.dimensions.items()},
            "attributes": _attributes(file._attributes),  # noqa: SLF001 - scipy names them nowhere else
            "coordinates": [cut(name) for name in file.variables if name in file.dimensions],
        }
    return Found(tables=tables, facts=facts)


def _variable(name: str, variable: Any) -> Table:
    facts = {
        "dimensions": list(variable.dimensions),
        "shape": list(variable.shape),
        "type": str(variable.data.dtype),
        "attributes": _attributes(variable._attributes),  # noqa: SLF001 - scipy names them nowhere else
    }
    return array_table(variable.data.copy().reshape(-1), name, facts)


def _attributes(values: Any) -> dict[str, Any]:
    return {cut(str(name)): plain(_text(value)) for name, value in list(dict(values).items())[:50]}


def _text(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value.tolist() if hasattr(value, "tolist") else value


def read_hdf5(source: Source) -> Found:
    """Groups and datasets; links to other files are listed and not followed."""
    h5py = needed("h5py")
    with h5py.File(source.path, "r") as file:
        walk = _Walk(h5py, source.bounds.tables)
        walk.through(file)
        attributes = _attributes(file.attrs)
    facts = {"attributes": attributes, "groups": walk.groups[:50], "links_not_followed": walk.links[:50]}
    return Found(tables=tuple(walk.tables), facts=facts)


@dataclass(slots=True)
class _Walk:
    """What a walk through an HDF5 file has come by: datasets up to `most` of them, groups, and links to elsewhere."""

    h5py: Any
    most: int
    tables: list[Table] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)

    def through(self, file: Any) -> None:
        """Level by level; a group that hard links lead back to is entered once."""
        waiting = deque([("", file)])
        entered = {hash(file.id)}
        while waiting and len(self.tables) + len(self.groups) + len(self.links) < _NODES:
            place, group = waiting.popleft()
            for name in group:
                full = f"{place}/{name}"
                below = self._entry(full, group, name)
                if below is not None and hash(below.id) not in entered:
                    entered.add(hash(below.id))
                    waiting.append((full, below))

    def _entry(self, full: str, group: Any, name: str) -> Any:
        """Note one entry of a group; it is handed back where it is a group itself."""
        link = group.get(name, getlink=True)
        if not isinstance(link, self.h5py.HardLink):
            self.links.append(cut(f"{full} -> {getattr(link, 'filename', '')}{getattr(link, 'path', '')}"))
            return None
        item = group[name]
        if isinstance(item, self.h5py.Group):
            self.groups.append(cut(full))
            return item
        if isinstance(item, self.h5py.Dataset) and len(self.tables) < self.most:
            self.tables.append(_dataset(full, item))
        return None


def _dataset(name: str, item: Any) -> Table:
    shape: Sequence[int] = item.shape or ()
    facts = {"shape": list(shape), "type": cut(str(item.dtype)), "attributes": _attributes(item.attrs)}
    rows = Count(value=shape[0] if shape else 1)
    if item.external or item.is_virtual:
        return Table(name=cut(name), rows=rows, facts={**facts, "not_read": "its numbers lie in other files"})
    if item.dtype.kind not in "iufbSV" or item.dtype.hasobject or math.prod(shape) > _MEASURED:
        return Table(name=cut(name), rows=rows, facts={**facts, "not_read": "too many cells, or none of a fixed size"})
    import numpy as np

    return array_table(np.asarray(item[()]), name, facts)
