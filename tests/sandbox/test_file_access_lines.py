"""What strace writes, line by line, and the names of files through renames."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.sandbox.base import Room
from benchwright.sandbox.inside import open_root, resolve
from benchwright.sandbox.reads import Ledger, Lost
from benchwright.sandbox.room_files import RoomView
from benchwright.sandbox.shipped_names import ShippedNames
from benchwright.sandbox.strace_calls import CallReading
from benchwright.sandbox.strace_lines import Call, Ended, Folder, Lines, Text, unescape
from benchwright.sandbox.tracing import MountedRoom
from benchwright.sandbox.working_folders import WorkingFolders


def calls(text: str) -> list[Call | Ended]:
    lines = Lines()
    found = list(lines.feed(text.encode()))
    lines.end()
    return found


def test_an_open_says_its_thread_path_and_flags():
    (call,) = calls('12 openat(AT_FDCWD</work>, "x.csv", O_RDONLY|O_CLOEXEC) = 3</data/x.csv>\n')
    assert (call.thread, call.name, call.path, call.deleted) == (12, "openat", "/data/x.csv", False)
    assert list(call.items()) == [Folder(-100, "/work"), Text("x.csv")]
    assert call.flags() == {"O_RDONLY", "O_CLOEXEC", "AT_FDCWD"}


@pytest.mark.parametrize(
    "line",
    [
        '1 openat(AT_FDCWD</>, "n", O_RDONLY) = -1 ENOENT (No such file or directory)',
        '1 openat(AT_FDCWD</>, "n", O_RDONLY)             = -1 (errno 18446744073709551574)',
        '1 openat(AT_FDCWD</>, "n", O_RDONLY) = ?',
        '1 openat(AT_FDCWD</>, "n", O_RDONLY) = ? ERESTARTSYS (To be restarted if SA_RESTART is set)',
        '1 openat(AT_FDCWD</>, "x) = 3</data/f>", O_RDONLY) = -1 ENOENT (No such file or directory)',
        "1 <... ??? resumed>)                = ?",
        "1 --- SIGSEGV {si_signo=SIGSEGV, si_code=SEGV_MAPERR, si_addr=NULL} ---",
        "1 ???( <unfinished ...>",
    ],
)
def test_calls_that_opened_nothing_are_passed_over(line):
    assert calls(line + "\n") == []


def test_a_call_that_others_interrupted_is_put_together():
    text = (
        '1 openat(AT_FDCWD</>, "/data/a", O_RDONLY <unfinished ...>\n'
        '2 openat(AT_FDCWD</>, "/data/b", O_RDONLY <unfinished ...>\n'
        '3 rename("/data/c", "/data/d") = 0\n'
        "2 <... openat resumed>) = 4</data/b>\n"
        "1 <... openat resumed>) = 5</data/a>\n"
    )
    found = calls(text)
    assert [(call.thread, call.path, call.began, call.ended) for call in found] == [
        (3, "", 3, 3),
        (2, "/data/b", 2, 4),
        (1, "/data/a", 1, 5),
    ]


def test_pieces_may_end_anywhere():
    text = b'7 openat(AT_FDCWD</>, "/data/\\303\\274", O_RDONLY) = 5</data/\\303\\274>\n7 +++ killed by SIGKILL +++\n'
    lines = Lines()
    found = [call for cut in range(len(text)) for call in lines.feed(text[cut : cut + 1])]
    assert [getattr(call, "path", "") for call in found] == ["/data/ü", ""]
    assert found[1] == Ended(7)


@pytest.mark.parametrize(
    "text",
    [
        "strace: out of memory\n",
        "1 nonsense\n",
        "1 <... openat resumed>) = 5</data/a>\n",
        '1 openat(AT_FDCWD</>, "x", O_RDONLY) = 3</x',
    ],
)
def test_what_is_no_line_of_strace_is_a_loss(text):
    with pytest.raises(Lost, match="strace"):
        calls(text)


def test_a_file_that_a_thread_executes_is_its_programs_from_then_on():
    told = (
        '1 execve("/data/x", ["x"], 0x7ff /* 2 vars */ <pid changed to 5 ...>\n'
        "5 +++ superseded by execve in pid 1 +++\n"
        "5 <... execve resumed>)             = ?\n"
    )
    interrupted = (
        '1 execve("/data/x", ["x"], 0x7ff /* 2 vars */ <unfinished ...>\n'
        "3 +++ exited with 0 +++\n"
        "5 +++ superseded by execve in pid 1 +++\n"
        "5 <... execve resumed>)             = 0\n"
    )
    for text in (told, interrupted):
        (call,) = [found for found in calls(text) if isinstance(found, Call)]
        assert (call.thread, call.name, call.error) == (5, "execve", "")
        assert calls(text)[-1] == Ended(1)


@pytest.mark.parametrize(("result", "error"), [("-1 ENOEXEC (Exec format error)", "ENOEXEC"), ("?", "?")])
def test_an_execution_that_failed_is_told(result, error):
    (call,) = calls(f'1 execve("/data/x", ["y"...], 0x7ff /* 2 vars */) = {result}\n')
    assert call.error == error
    assert next(call.items()) == Text("/data/x")


def test_a_name_that_was_cut_short_is_a_loss():
    (call,) = calls('1 rename("/data/aaaa"..., "/data/b") = 0\n')
    with pytest.raises(Lost, match="short"):
        list(call.items())


def test_a_line_without_end_is_a_loss_before_it_fills_the_memory():
    lines = Lines()
    assert list(lines.feed(b"x" * (1 << 19))) == []
    with pytest.raises(Lost, match="without end"):
        list(lines.feed(b"x" * (1 << 20)))


@pytest.mark.parametrize("name", ['O_WRONLY", O_WRONLY) = 9', "x) = 4 </other>", "O_PATH|O_TRUNC"])
def test_a_file_name_cannot_pose_as_flags_or_result(name):
    quoted = name.replace('"', '\\"')
    inside = quoted.replace("<", "\\74").replace(">", "\\76")
    (call,) = calls(f'1 openat(AT_FDCWD</O_WRONLY>, "{quoted}", O_RDONLY) = 3</data/{inside}>\n')
    assert call.flags() == {"AT_FDCWD", "O_RDONLY"}
    assert call.path == f"/data/{name}"


def test_a_fork_tells_the_new_threads_number_on_the_host_or_none():
    known, unknown = calls(
        "1 clone(child_stack=NULL, flags=CLONE_FS|SIGCHLD) = 2 /* 345 in strace's PID NS */\n"
        "1 clone(child_stack=NULL, flags=SIGCHLD) = 3\n"
    )
    assert (known.process, unknown.process) == (345, None)
    assert "CLONE_FS" in known.flags()


def test_a_deleted_files_remark_is_no_part_of_its_name():
    new, old = calls('1 open("a", O_RDWR) = 3</d/a>(deleted)\n1 open("a", O_RDWR) = 3</d/a (deleted)>\n')
    assert (new.path, new.deleted) == (old.path, old.deleted) == ("/d/a", True)


def as_strace_writes(data: bytes) -> bytes:
    """Its rule: C letters, else octal digits, as few as the next byte allows."""
    letters = {9: b"\\t", 10: b"\\n", 11: b"\\v", 12: b"\\f", 13: b"\\r", 34: b'\\"', 92: b"\\\\"}
    out = b""
    for place, byte in enumerate(data):
        if byte in letters:
            out += letters[byte]
        elif 32 <= byte < 127 and byte not in b"<>":
            out += bytes([byte])
        else:
            short = data[place + 1 : place + 2] not in [b"%d" % digit for digit in range(10)]
            out += (b"\\%o" if short else b"\\%03o") % byte
    return out


@given(st.binary(min_size=1, max_size=40).filter(lambda data: b"\0" not in data))
def test_any_name_survives_straces_escapes(data):
    assert os.fsencode(unescape(as_strace_writes(data))) == data


def test_working_folders_are_shared_by_threads_and_copied_by_processes():
    folders = WorkingFolders()
    folders.entered(1, "/data")
    folders.shared(1, 2)
    folders.copied(1, 3)
    folders.entered(2, "/data/sub")
    assert [folders.of(thread) for thread in (1, 2, 3, 4)] == ["/data/sub", "/data/sub", "/data", ""]
    folders.renamed("/data/sub", "/data/moved")
    assert folders.of(1) == "/data/moved"
    folders.ended(1)
    assert (folders.of(1), folders.of(2)) == ("", "/data/moved")


def test_a_thread_may_be_heard_of_before_its_parent():
    folders = WorkingFolders()
    folders.entered(2, "/data")
    folders.shared(1, 2)
    assert folders.of(1) == "/data"
    folders.entered(5, "/else")
    folders.copied(1, 5)
    assert folders.of(5) == "/else"


@pytest.fixture
def room(tmp_path):
    for name in ("a.csv", "b.csv", "sub/c.csv", "sub/deep/d.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    descriptor = os.open(tmp_path, os.O_RDONLY)
    view = RoomView(MountedRoom(Room("r", tmp_path), descriptor, own_filesystem=True))
    os.close(descriptor)
    yield view
    view.close()


def shipped(names: ShippedNames, name: str, when: int = 0) -> str | None:
    file = names.opened(names.view.prefix + name, when, deleted=False)
    return file.path if file else None


def test_names_are_followed_through_renames_of_files_and_folders(room):
    names, at = ShippedNames(room), room.prefix
    names.renamed(f"{at}sub", f"{at}moved", 1)
    names.renamed(f"{at}moved/deep/d.csv", f"{at}a.csv", 2)
    names.linked(f"{at}b.csv", f"{at}other.csv", 3)
    names.removed(f"{at}b.csv")
    names.exchanged(f"{at}moved", f"{at}other.csv", 4)
    assert [shipped(names, name) for name in ("a.csv", "b.csv", "moved", "other.csv/c.csv", "sub/c.csv")] == [
        "sub/deep/d.csv",
        None,
        "b.csv",
        "sub/c.csv",
        None,
    ]


def test_a_removed_file_that_another_thread_has_just_opened_is_still_itself(room):
    names = ShippedNames(room)
    names.removed(room.prefix + "a.csv")
    assert names.opened(room.prefix + "a.csv", 1, deleted=True).path == "a.csv"
    assert shipped(names, "a.csv") is None


def test_a_file_that_another_one_replaced_is_still_itself(room):
    names = ShippedNames(room)
    names.renamed(room.prefix + "b.csv", room.prefix + "a.csv", 1)
    assert names.opened(room.prefix + "a.csv", 2, deleted=True).path == "a.csv"
    assert shipped(names, "a.csv") == "b.csv"


@pytest.mark.parametrize("other", ["a shipped file", "the agent's own"])
def test_a_removed_file_whose_name_others_had_as_well_is_a_loss(room, other):
    names, name = ShippedNames(room), room.prefix + "a.csv"
    names.removed(name)
    if other == "a shipped file":
        names.renamed(room.prefix + "b.csv", name, 1)
        names.removed(name)
    else:
        assert shipped(names, "a.csv", when=2) is None
    with pytest.raises(Lost, match="which others had as well"):
        names.opened(name, 3, deleted=True)


def test_a_removed_file_that_was_emptied_is_the_agents(room):
    names, name = ShippedNames(room), room.prefix + "a.csv"
    names.removed(name)
    names.emptied(names.opened(name, 1, deleted=True))
    assert names.opened(name, 2, deleted=True) is None


def test_names_that_the_agent_makes_up_are_not_remembered_for_ever(room):
    names = ShippedNames(room)
    for number in range(50_000):
        assert shipped(names, f"new{number}", when=number) is None
    assert len(names._strangers) <= 20_000
    names.renamed(room.prefix + "b.csv", room.prefix + "new1", since=60_000)
    with pytest.raises(Lost, match="uncertain"):
        names.renamed(room.prefix + "a.csv", room.prefix + "new2", since=2)


def test_names_that_the_agent_removes_are_not_remembered_for_ever(room):
    names = ShippedNames(room)

    def link_and_remove():
        for number in range(200_000):
            names.linked(room.prefix + "a.csv", f"{room.prefix}x{number}", 1)
            names.removed(f"{room.prefix}x{number}")

    with pytest.raises(Lost, match="too many"):
        link_and_remove()


def test_an_open_that_overlaps_the_renaming_of_what_it_opened_is_a_loss(room):
    names = ShippedNames(room)
    assert shipped(names, "new.csv", when=7) is None
    with pytest.raises(Lost, match="uncertain"):
        names.renamed(room.prefix + "a.csv", room.prefix + "new.csv", since=6)


def test_an_open_before_the_renaming_was_of_the_agents_own_file(room):
    names = ShippedNames(room)
    assert shipped(names, "new.csv", when=5) is None
    names.renamed(room.prefix + "a.csv", room.prefix + "new.csv", since=6)
    assert shipped(names, "new.csv") == "a.csv"


def test_what_a_program_hides_is_a_loss_and_what_the_first_process_hides_is_told_by_itself(tmp_path):
    """strace shows neither paths nor names of a process whose memory it may not read."""
    (tmp_path / "f.csv").write_text("x")
    descriptor = os.open(tmp_path, os.O_RDONLY)
    ledger = Ledger()
    ledger.begin()
    reading = CallReading(ledger, holder=1)
    reading.know_rooms([MountedRoom(Room("r", tmp_path, str(tmp_path)), descriptor, own_filesystem=True)])
    reading.follow(b"1 openat(AT_FDCWD, 0x7f1442ae7590, O_RDONLY|O_CLOEXEC) = 4\n")
    assert ledger.accesses("strace", 1).files == ()
    reading.touched(f"{tmp_path}/f.csv", written=False)
    assert [file.path for file in ledger.accesses("strace", 1).files] == ["f.csv"]
    with pytest.raises(Lost, match="hides"):
        reading.follow(b"2 openat(AT_FDCWD, 0x7f1442ae7590, O_RDONLY|O_CLOEXEC) = 4\n")
    reading.close()
    os.close(descriptor)


def test_a_thread_that_was_being_killed_opened_what_it_named(tmp_path):
    (tmp_path / "f.csv").write_text("x")
    descriptor = os.open(tmp_path, os.O_RDONLY)
    ledger = Ledger()
    ledger.begin()
    reading = CallReading(ledger, holder=1)
    reading.know_rooms([MountedRoom(Room("r", tmp_path, str(tmp_path)), descriptor, own_filesystem=True)])
    reading.follow(f'2 openat(AT_FDCWD</>, "{tmp_path}/f.csv", O_RDONLY|O_CLOEXEC) = 4\n'.encode())
    assert [file.path for file in ledger.accesses("strace", 1).files] == ["f.csv"]
    reading.close()
    os.close(descriptor)


@pytest.fixture
def inside(tmp_path):
    (tmp_path / "data" / "sub").mkdir(parents=True)
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace" / "room").symlink_to("/data")
    (tmp_path / "workspace" / "up").symlink_to("../data/sub")
    (tmp_path / "data" / "loop").symlink_to("loop")
    (tmp_path / "data" / "away").symlink_to("/proc/self/cwd")
    room = os.open(tmp_path / "data", os.O_RDONLY)
    root = open_root(room, "/data")
    yield root
    os.close(root)
    os.close(room)


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/data/./sub/../a.csv", "/data/a.csv"),
        ("/workspace/room/a.csv", "/data/a.csv"),
        ("/workspace/up/x", "/data/sub/x"),
        ("/../../data//x", "/data/x"),
        ("/workspace/room", "/workspace/room"),
    ],
)
def test_paths_are_followed_inside_the_sandbox(inside, path, found):
    assert resolve(inside, path, follow=False) == found


def test_the_last_link_is_followed_only_if_asked(inside):
    assert resolve(inside, "/workspace/room", follow=True) == "/data"


@pytest.mark.parametrize("path", ["/data/loop/x", "/data/away/x", "/proc/self/fd/3"])
def test_links_that_only_the_program_itself_could_follow_are_a_loss(inside, path):
    with pytest.raises(Lost, match=r"too many links|through /proc|could not be followed"):
        resolve(inside, path, follow=False)


def test_the_room_view_speaks_of_regular_files_only(room):
    os.mkfifo(Path(room.prefix) / "pipe")
    assert room.regular("a.csv") is not None
    assert room.regular("pipe") is room.regular("sub") is room.regular("none") is None
    assert sorted(path for path, _ in room.files()) == ["a.csv", "b.csv", "sub/c.csv", "sub/deep/d.csv"]
