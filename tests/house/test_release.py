"""What is released: the files of the package and nothing else, and the same bytes from the same commit."""

import hashlib
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
UV = Path(sys.executable).parent / "uv"


def tracked(*folders):
    found = subprocess.run(["git", "ls-files", "-z", *folders], cwd=ROOT, capture_output=True, text=True, check=True)
    return {name for name in found.stdout.split("\0") if name and (ROOT / name).is_file()}


def built(folder):
    """Wheel and sdist of what is tracked, built in a copy of its own."""
    copy = folder / "copy"
    for name in tracked():
        target = copy / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / name).read_bytes())
        target.chmod((ROOT / name).stat().st_mode & 0o755)
    pinned = ["--build-constraints", ROOT / "locks/release.lock", "--require-hashes"]
    done = subprocess.run(
        [UV, "build", "-q", "--no-create-gitignore", *pinned, "--out-dir", folder / "dist", copy],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000", "UV_SYSTEM_CERTS": "1"},
    )
    if done.returncode != 0 and "Failed to fetch" in done.stderr:
        pytest.skip("needs a package index")
    assert done.returncode == 0, done.stderr
    return sorted((folder / "dist").iterdir())


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return built(tmp_path_factory.mktemp("first"))


def test_the_wheel_holds_every_file_of_the_package_and_no_other(files):
    with zipfile.ZipFile(files[0]) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
        (entry,) = [name for name in wheel.namelist() if name.endswith("entry_points.txt")]
        assert b"benchwright = benchwright.cli:main" in wheel.read(entry)
    assert names == {name.removeprefix("src/") for name in tracked("src")}
    assert "benchwright/py.typed" in names


def test_the_sdist_holds_what_is_tracked(files):
    with tarfile.open(files[1]) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    assert names - {"PKG-INFO"} == tracked()


def test_the_same_commit_gives_the_same_bytes(files, tmp_path):
    again = built(tmp_path)
    assert [hashlib.sha256(path.read_bytes()).hexdigest() for path in again] == [
        hashlib.sha256(path.read_bytes()).hexdigest() for path in files
    ]
