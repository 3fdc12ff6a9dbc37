import os
import shutil
import socket
import threading

import pytest
from tests.generation.tiny_writer import SKILLS, TinyWriter

from benchwright.errors import EnvironmentFault, InputError
from benchwright.files import index_folder
from benchwright.generation.copying import copy_room, left_out_of
from benchwright.generation.pipeline import Request, generate
from benchwright.generation.rounds import Goal
from benchwright.generation.trial import Room
from benchwright.generation.usable import not_usable, require_material
from benchwright.generation.workflow import Material
from benchwright.profiles.finding_relations import find_relations, read_tables
from benchwright.profiles.folders import Looking, profile_paths

ROWS = "a,b\n" + "".join(f"{n},x{n % 3}\n" for n in range(30))
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8ffff3f0005fe02fe"
    "dccc59e70000000049454e44ae426082"
)


def room(tmp_path, **files):
    folder = tmp_path / "room"
    folder.mkdir()
    for name, content in files.items():
        path = folder / name.replace("__", ".")
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    profiles = tuple(profile_paths([folder], Looking(cache=None)))
    sound = frozenset(profile.path for profile in profiles if not profile.error)
    relations = find_relations(read_tables([folder], sound).read)
    return Room(Material("room", folder, profiles, relations), tuple(index_folder(folder)))


@pytest.mark.parametrize(
    ("files", "told", "refused"),
    [
        ({"t__csv": ROWS}, "one file alone", True),
        ({"t__csv": ROWS, "u__csv": ROWS}, "copies of one file alone", True),
        ({"a__png": PNG, "b__png": PNG + b"\0"}, "no file holds a table with rows (2 image)", True),
        ({"a__xlsx": b"PK\x03\x04no", "b__parquet": b"PAR1no"}, "cannot be read, or only in part (2 of 2 files)", True),
        ({"a__bin": b"\0\1\2", "b__bin": b"\0\1\3"}, "of a format that is not known (2 of 2 files)", True),
        ({"a__txt": "Some words.\n", "b__md": "# A title\n"}, "no file holds a table", False),
        ({"t__csv": ROWS, "a__txt": "Some words.\n"}, '"t.csv" alone holds a table', False),
        ({"t__csv": ROWS, "u__csv": "c,d\n1.5,2.5\n3.5,1.25\n"}, "share values to join by", False),
    ],
)
def test_what_cannot_be_used_is_said_and_data_without_use_are_refused(tmp_path, files, told, refused):
    made = room(tmp_path, **files)
    said = not_usable(made, {})
    assert any(told in sentence for sentence in said), said
    if refused:
        with pytest.raises(InputError, match="no task can be made"):
            require_material({"room": made}, {"room": said})
    else:
        require_material({"room": made}, {"room": said})


def test_a_room_of_which_all_can_be_used_says_nothing(material):
    assert not_usable(Room(material, tuple(index_folder(material.folder))), {}) == ()


def test_names_of_files_begin_no_line_of_their_own(tmp_path):
    made = room(tmp_path, t__csv=ROWS)
    (sentence, *_) = not_usable(made, {"x\nroom a: all is well\x1b[2J": "a link"})
    assert "\n" not in sentence
    assert "\x1b" not in sentence


def test_data_that_are_refused_leave_nothing_and_other_data_take_their_place(tmp_path):
    data, out = tmp_path / "data", tmp_path / "suite"
    data.mkdir()
    (data / "t.csv").write_text(ROWS)
    said = []
    with pytest.raises(InputError, match="no task can be made"):
        generate(Request(data, out, Goal(1, SKILLS)), TinyWriter(), None, said.append)
    assert not out.exists()


@pytest.fixture
def hostile(tmp_path):
    """A folder with all that is no regular file, names that no prompt may hold, and two good files."""
    folder = tmp_path / "hostile"
    (folder / "deep" / "loop").mkdir(parents=True)
    (folder / "deep" / "loop" / "up").symlink_to(folder)
    (folder / "passwd.csv").symlink_to("/etc/passwd")
    (folder / ".env").write_text("KEY=1")
    os.mkfifo(folder / "pipe.csv")
    (folder / "good.csv").write_text(ROWS)
    (folder / "deep" / "<b>bold&amp;.csv").write_text(ROWS)
    (folder / "line\nbreak.csv").write_text(ROWS)
    with open(os.fsencode(folder) + b"/\xff.csv", "w") as stream:
        stream.write(ROWS)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / "s.csv"))
    return folder


def test_a_copy_holds_regular_files_with_plain_names_and_says_what_it_left_out(hostile, tmp_path):
    copy_room(hostile, tmp_path / "data" / "room", tmp_path / "note.json")
    found = [entry.path for entry in index_folder(tmp_path / "data" / "room")]
    assert found == ["deep/<b>bold&amp;.csv", "good.csv"]
    left = left_out_of(tmp_path / "note.json")
    assert set(left) == {"deep/loop/up", "passwd.csv", "pipe.csv", "s.csv", "line\nbreak.csv", "\\xff.csv"}
    assert left["pipe.csv"] == "not a regular file"


def test_a_file_that_grows_while_it_is_copied_ends_where_it_stood(tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    (source / "log.csv").write_bytes(b"x" * (32 << 20))
    ended = threading.Event()

    def grow():
        with (source / "log.csv").open("ab") as stream:
            while not ended.wait(0.001):
                stream.write(b"y" * 4096)
                stream.flush()

    growing = threading.Thread(target=grow)
    growing.start()
    try:
        copy_room(source, tmp_path / "data" / "room", tmp_path / "note.json")
    finally:
        ended.set()
        growing.join()
    assert 32 << 20 <= (tmp_path / "data" / "room" / "log.csv").stat().st_size <= (source / "log.csv").stat().st_size


def sparse(path, size):
    with path.open("wb") as stream:
        try:
            stream.truncate(size)
        except OSError:
            pytest.skip("no sparse file of this size can be made here")


def test_sparse_files_fill_no_disk_they_are_left_out_or_told_before_anything_is_copied(tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    sparse(source / "endless.csv", 100 << 30)
    copy_room(source, tmp_path / "data" / "one", tmp_path / "note.json")
    assert left_out_of(tmp_path / "note.json") == {"endless.csv": "larger than 64 GB"}
    free = shutil.disk_usage(tmp_path).free
    for number in range(2 + free // (60 << 30)):
        sparse(source / f"large_{number}.csv", 60 << 30)
    with pytest.raises(EnvironmentFault, match="too little space") as caught:
        copy_room(source, tmp_path / "data" / "room", tmp_path / "note.json")
    assert "large_" in caught.value.found
    assert not (tmp_path / "data" / "room").exists()
