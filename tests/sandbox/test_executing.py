"""What a script's first line or a program's header names, by the kernel's rules, whatever the file holds."""

import os
import re
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.sandbox.executing import Named, look, named_by, was_opened
from benchwright.sandbox.reads import Lost


def named(data: bytes) -> Named | None:
    file = os.memfd_create("file")
    try:
        os.write(file, data)
        return named_by(file)
    finally:
        os.close(file)


@pytest.mark.parametrize(
    ("line", "interpreter"),
    [
        (b"#!/bin/sh\nrest", "/bin/sh"),
        (b"#! \t /bin/sh -e x\n", "/bin/sh"),
        (b"#!/bin/sh", "/bin/sh"),
        (b"#!/bin/sh\0more", "/bin/sh"),
        (b"#!/bin/sh\r\n", "/bin/sh\r"),
        (b"#!relative/x\n", "relative/x"),
        (b"#!/caf\xe9\n", os.fsdecode(b"/caf\xe9")),
        (b"#!" + b"/" * 253 + b"\n", "/" * 253),
    ],
)
def test_a_first_line_names_an_interpreter(line, interpreter):
    assert named(line) == Named(interpreter, loader=False)


@pytest.mark.parametrize(
    "data", [b"", b"#", b"#!", b"#!\n/bin/sh", b"#!  \n", b" #!/bin/sh", b"#!" + b"x" * 300, b"id\n"]
)
def test_what_is_no_first_line_names_nothing(data):
    assert named(data) is None


def program(*, loader: bytes, segments: int = 2, size: int = 56) -> bytes:
    header = b"\x7fELF\x02\x01".ljust(16, b"\0") + struct.pack("<HHIQQQIHHH", 3, 62, 1, 0, 64, 0, 0, 64, size, segments)
    at = 64 + 2 * 56
    table = struct.pack("<IIQQQQQQ", 1, 0, 0, 0, 0, 0, 0, 0)
    table += struct.pack("<IIQQQQQQ", 3, 0, at, 0, 0, len(loader), 0, 0)
    return header.ljust(64, b"\0") + table + loader


def test_a_program_names_its_loader():
    assert named(program(loader=b"/lib/ld.so\0")) == Named("/lib/ld.so", loader=True)
    assert named(program(loader=b"/lib/ld.so\0rest\0")) == Named("/lib/ld.so", loader=True)


def test_this_machines_programs_are_understood():
    file = os.open("/bin/true", os.O_RDONLY)
    found = named_by(file)
    os.close(file)
    assert found is not None
    assert found.loader
    assert os.path.exists(found.path)


@pytest.mark.parametrize(
    "data",
    [
        program(loader=b"/lib/ld.so"),
        program(loader=b"\0"),
        program(loader=b"x" * 5000 + b"\0"),
        program(loader=b"/lib/ld.so\0", segments=65_535),
        program(loader=b"/lib/ld.so\0", segments=1),
        program(loader=b"/lib/ld.so\0", size=32),
        program(loader=b"/lib/ld.so\0")[:100],
        b"\x7fELF\x02\x01" + b"\xff" * 300,
        b"\x7fELF\x07",
    ],
)
def test_a_program_that_is_broken_names_nothing(data):
    assert named(data) is None


@given(st.binary(max_size=400), st.sampled_from([b"", b"#!", b"\x7fELF\x02\x01", b"\x7fELF\x01\x01"]))
def test_any_bytes_are_survived(data, start):
    found = named(start + data)
    assert found is None or found.path


def test_only_regular_files_that_can_be_executed_are_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe", 0o755)
    (tmp_path / "link").symlink_to("script")
    for name, mode in (("script", 0o755), ("data", 0o644)):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(mode)
    root = os.open(tmp_path, os.O_PATH)
    assert look(root, "/script").names == Named("/bin/sh", loader=False)
    assert look(root, "/data").names is None
    assert [look(root, name) for name in ("/pipe", "/link", "/")] == [None, None, None]
    with pytest.raises(FileNotFoundError, match="none"):
        look(root, "/none")
    os.close(root)


@pytest.mark.parametrize(
    ("error", "mode", "everybody", "loader", "wanted"),
    [
        ("", 0o755, True, False, True),
        ("", 0o700, False, False, True),
        ("ENOEXEC", 0o755, True, False, True),
        ("ENOENT", 0o755, True, False, True),
        ("EACCES", 0o755, True, False, True),
        ("EACCES", 0o644, False, False, False),
        ("ENOEXEC", 0o755, True, True, False),
        ("ELIBBAD", 0o755, True, True, True),
    ],
)
def test_an_error_tells_whether_a_file_was_opened(error, mode, everybody, loader, wanted):
    assert was_opened(error, mode, everybody=everybody, loader=loader) == wanted


@pytest.mark.parametrize(
    ("error", "everybody", "loader"),
    [
        ("EACCES", False, False),
        ("E2BIG", True, False),
        ("?", True, False),
        ("ETXTBSY", True, False),
        ("EIO", True, True),
    ],
)
def test_an_error_that_does_not_tell_is_a_loss(error, everybody, loader):
    with pytest.raises(Lost, match=rf"failed \({re.escape(error)}\)"):
        was_opened(error, 0o744, everybody=everybody, loader=loader)
