"""What an archive may and may not do. Each refusal is first shown to matter: the control unpacks the same archive with
the standard library's own trusting filter, and it does harm there.
"""

import hashlib
import io
import os
import subprocess
import tarfile
import tempfile
from pathlib import Path

import pytest
import zstandard

from benchwright.errors import EnvironmentFault, SuiteError
from benchwright.suites.archives import ArchiveLimits, unpack


def member(name, data=b"x", **values):
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for key, value in values.items():
        setattr(info, key, value)
    return info, data


def link(name, target, kind=tarfile.SYMTYPE):
    return member(name, b"", type=kind, linkname=target)


def archive(folder, members, name="room.tar.zst", encoding="utf-8"):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT, encoding=encoding) as tar:
        for info, data in members:
            tar.addfile(info, io.BytesIO(data))
    data = packed.getvalue()
    path = folder / name
    path.write_bytes(zstandard.compress(data) if name.endswith("zst") else data)
    return path


def trusting(path, into):
    """The control: unpack as a program does that trusts the archive."""
    with (
        path.open("rb") as stream,
        zstandard.ZstdDecompressor().stream_reader(stream) as source,
        tarfile.open(fileobj=source, mode="r|") as tar,
    ):
        if hasattr(tarfile, "fully_trusted_filter"):
            tar.extractall(into, filter="fully_trusted")
        else:  # Python before 3.11.4 knows no filters, and trusts all
            tar.extractall(into)


@pytest.fixture
def into(tmp_path):
    folder = tmp_path / "into"
    folder.mkdir()
    return folder


def files_in(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_folders_and_files_are_written_with_our_own_modes_and_indexed(tmp_path, into):
    path = archive(
        tmp_path, [member("a", b"", type=tarfile.DIRTYPE, mode=0o700), member("a/b.csv", b"1,2", mode=0o777)]
    )
    index = unpack(path, into)
    assert [(entry.path, entry.size, entry.sha256) for entry in index] == [
        ("a/b.csv", 3, hashlib.sha256(b"1,2").hexdigest())
    ]
    assert oct((into / "a" / "b.csv").stat().st_mode & 0o7777) == "0o644"


@pytest.mark.parametrize("name", ["room.tar", "room.tar.gz", "room.tar.zst"])
def test_every_kind_of_archive_is_read(tmp_path, into, name):
    path = archive(tmp_path, [member("a.csv")], name="plain.tar")
    if name.endswith("gz"):
        subprocess.run(["gzip", "-k", path], check=True)
        path = path.with_suffix(".tar.gz")
    elif name.endswith("zst"):
        (tmp_path / name).write_bytes(
            zstandard.compress(path.read_bytes()[:700]) + zstandard.compress(path.read_bytes()[700:])
        )
        path = tmp_path / name
    assert [entry.path for entry in unpack(path, into)] == ["a.csv"]


def test_leading_dots_and_odd_but_honest_names_are_kept(tmp_path, into):
    path = archive(tmp_path, [member("./a/./Ünï cödé (1).csv"), member("a//b.csv"), member("a/日本.csv")])
    assert [entry.path for entry in unpack(path, into)] == ["a/b.csv", "a/Ünï cödé (1).csv", "a/日本.csv"]


HARM = {
    "a path up": ([member("../up.csv")], lambda into: (into.parent / "up.csv").exists()),
    "a path up inside": ([member("a", b"", type=tarfile.DIRTYPE, mode=0o755), member("a/../../up.csv")], lambda into: (into.parent / "up.csv").exists()),
    "a symbolic link out": ([link("out", "../.."), member("out/up2.csv")], lambda into: any(into.parent.parent.glob("up2.csv"))),
    "an absolute link": ([link("passwd", "/etc/passwd")], lambda into: (into / "passwd").resolve() == Path("/etc/passwd")),
    "a hard link out": ([link("h.csv", "../secret.txt", tarfile.LNKTYPE)], lambda into: (into / "h.csv").exists()),
    "a pipe": ([member("p", b"", type=tarfile.FIFOTYPE)], lambda into: (into / "p").is_fifo()),
    "a setuid file": ([member("su", b"x", mode=0o4755)], lambda into: bool((into / "su").stat().st_mode & 0o4000)),
    "a setgid file": ([member("sg", b"x", mode=0o2755)], lambda into: bool((into / "sg").stat().st_mode & 0o2000)),
    "a name that stands twice": ([member("a.csv", b"one"), member("a.csv", b"two")], lambda into: (into / "a.csv").read_bytes() == b"two"),
    "a line break in a name": ([member("a\nb.csv")], lambda into: (into / "a\nb.csv").exists()),
    "a chain of links out": (
        [member("r/s/f.csv"), link("r/s/l", "."), link("m", "r/s/l/../../.."), member("m/up3.csv")],
        lambda into: (into.parent / "up3.csv").exists(),
    ),
}  # fmt: skip


@pytest.mark.parametrize("harm", HARM)
def test_harm_is_refused_and_the_control_shows_that_it_is_harm(tmp_path, into, harm):
    members, happened = HARM[harm]
    (tmp_path / "secret.txt").write_text("secret")
    path = archive(tmp_path, members)
    with pytest.raises(SuiteError, match=r"room.tar.zst, member"):
        unpack(path, into)
    assert not [path for path in into.rglob("*") if path.is_symlink() or path.is_fifo()]
    outside = {path.name for path in tmp_path.iterdir()}
    assert outside == {"into", "secret.txt", "room.tar.zst"}
    control = Path(tempfile.mkdtemp(dir=into))
    (into / "secret.txt").write_text("secret")
    trusting(path, control)
    assert happened(control)


def test_an_absolute_path_is_refused(tmp_path, into):
    with pytest.raises(SuiteError, match="absolute path"):
        unpack(archive(tmp_path, [member(f"{tmp_path}/abs.csv")]), into)
    assert not (tmp_path / "abs.csv").exists()


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make devices")
@pytest.mark.parametrize("kind", [tarfile.CHRTYPE, tarfile.BLKTYPE])
def test_devices_are_refused(tmp_path, into, kind):
    path = archive(tmp_path, [member("dev", b"", type=kind, devmajor=1, devminor=3)])
    with pytest.raises(SuiteError, match="not a regular file"):
        unpack(path, into)
    assert files_in(into) == []


def test_names_that_are_no_utf8_are_refused(tmp_path, into):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT, encoding="latin-1") as tar:
        info, data = member("café.csv")
        tar.addfile(info, io.BytesIO(data))
    (tmp_path / "room.tar").write_bytes(packed.getvalue())
    with pytest.raises(SuiteError, match="not plain UTF-8"):
        unpack(tmp_path / "room.tar", into)


@pytest.mark.parametrize("name", ["a" * 256, "/".join(["d" * 200] * 6)])
def test_names_that_no_disk_takes_are_refused(tmp_path, into, name):
    with pytest.raises(SuiteError, match="too long"):
        unpack(archive(tmp_path, [member(name)]), into)


@pytest.mark.parametrize(
    "members",
    [
        [member("a", b"x"), member("a/b.csv")],
        [member("a/b.csv"), member("a", b"x")],
        [link("a", "b.csv"), member("b.csv"), member("a/c.csv")],
    ],
)
def test_a_file_and_a_folder_of_one_name_are_refused(tmp_path, into, members):
    with pytest.raises(SuiteError, match=r"of one name|stands twice"):
        unpack(archive(tmp_path, members), into)


def test_links_inside_become_further_names_of_files(tmp_path, into):
    members = [
        link("early.csv", "d/x.csv"),
        member("d/x.csv", b"data"),
        link("d/hard.csv", "d/x.csv", tarfile.LNKTYPE),
        link("d/up.csv", "../d/x.csv"),
        link("chain.csv", "early.csv"),
        link("e", "d"),
    ]
    index = unpack(archive(tmp_path, members), into)
    assert [entry.path for entry in index] == [
        "chain.csv", "d/hard.csv", "d/up.csv", "d/x.csv", "e/hard.csv", "e/up.csv", "e/x.csv", "early.csv",
    ]  # fmt: skip
    assert {entry.sha256 for entry in index} == {hashlib.sha256(b"data").hexdigest()}
    assert not any(path.is_symlink() for path in into.rglob("*"))


@pytest.mark.parametrize(
    "members", [[link("a", "nothing.csv")], [link("a", "b"), link("b", "a")], [link("a", "a")], [link("d/a", "../d")]]
)
def test_links_to_nothing_or_in_circles_are_refused(tmp_path, into, members):
    with pytest.raises(SuiteError, match="link"):
        unpack(archive(tmp_path, members), into)


def test_an_archive_that_swells_is_refused(tmp_path, into):
    path = archive(tmp_path, [member("zeros.csv", bytes(120 << 20))])
    with pytest.raises(SuiteError, match="300 times its size"):
        unpack(path, into)
    (into / "again").mkdir()
    assert unpack(path, into / "again", limits=ArchiveLimits(ratio=10**9))[0].size == 120 << 20


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (ArchiveLimits(files=2), "more than 2 files"),
        (ArchiveLimits(bytes=25), "holds more than 0 MB"),
        (ArchiveLimits(file_bytes=5), "larger than 0 MB"),
    ],
)
def test_each_limit_is_named_when_it_is_hit(tmp_path, into, limits, message):
    path = archive(tmp_path, [member(f"{n}.csv", bytes(10)) for n in range(3)])
    with pytest.raises(SuiteError, match=message):
        unpack(path, into, limits=limits)
    (into / "again").mkdir()
    assert len(unpack(path, into / "again")) == 3


def test_a_header_that_swells_is_refused_before_it_fills_memory(tmp_path, into):
    info = tarfile.TarInfo("x")
    info.pax_headers = {"comment": "a" * (64 << 20)}
    path = archive(tmp_path, [(info, b"")])
    with pytest.raises(SuiteError, match="headers between two members"):
        unpack(path, into)


def test_a_sparse_file_is_refused(tmp_path, into):
    sparse = tmp_path / "sparse.csv"
    with sparse.open("wb") as stream:
        stream.truncate(1 << 30)
    subprocess.run(["tar", "--sparse", "-C", tmp_path, "-cf", tmp_path / "room.tar", "sparse.csv"], check=True)
    with pytest.raises(SuiteError, match="not a regular file"):
        unpack(tmp_path / "room.tar", into)


@pytest.mark.parametrize("keep", [0.0, 0.2, 0.5, 0.9, 0.999])
def test_an_archive_that_is_cut_short_is_refused(tmp_path, into, keep):
    path = archive(tmp_path, [member(f"{n}.csv", os.urandom(5000)) for n in range(20)])
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * keep)])
    with pytest.raises(SuiteError, match="damaged or cut short"):
        unpack(path, into)


def test_an_archive_cut_between_two_members_is_refused(tmp_path, into):
    path = archive(tmp_path, [member("a.csv", bytes(512)), member("b.csv", bytes(range(256)) * 2)], name="room.tar")
    path.write_bytes(path.read_bytes()[: 4 * 512])
    with pytest.raises(SuiteError, match="damaged or cut short"):
        unpack(path, into)


NOISE = bytes(number * 37 % 251 for number in range(250))


@pytest.mark.parametrize("data", [b"", b"hello", NOISE * 20, b"\x28\xb5\x2f\xfd" + NOISE])
def test_what_is_no_archive_is_refused(tmp_path, into, data):
    (tmp_path / "room.tar.zst").write_bytes(data)
    with pytest.raises(SuiteError, match="damaged or cut short"):
        unpack(tmp_path / "room.tar.zst", into)


def test_an_archive_other_than_its_manifest_says_is_refused(tmp_path, into):
    path = archive(tmp_path, [member("a.csv")])
    with pytest.raises(SuiteError, match="not the archive that its manifest names"):
        unpack(path, into, sha256="0" * 64)
    (into / "again").mkdir()
    assert unpack(path, into / "again", sha256=hashlib.sha256(path.read_bytes()).hexdigest())


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
def test_a_full_disk_is_said_in_plain_words(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], check=True)
    try:
        path = archive(tmp_path, [member("big.csv", os.urandom(2 << 20))])
        with pytest.raises(EnvironmentFault, match="disk is full"):
            unpack(path, disk)
    finally:
        subprocess.run(["umount", disk], check=True)
