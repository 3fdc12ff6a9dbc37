import io
import tarfile

import pytest
import zstandard


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
