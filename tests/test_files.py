"""What takes a file's place is whole, and a failure leaves nothing beside it."""

from pathlib import Path

import pytest

from benchwright.errors import InputError
from benchwright.files import arriving


def test_a_file_arrives_whole(tmp_path):
    with arriving(tmp_path / "new" / "table.parquet") as partial:
        partial.write_text("whole")
        assert not (tmp_path / "new" / "table.parquet").exists()
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["table.parquet"]
    assert (tmp_path / "new" / "table.parquet").read_text() == "whole"


def test_a_failure_leaves_the_earlier_file_and_nothing_else(tmp_path):
    (tmp_path / "kept").write_text("earlier")

    def half():
        with arriving(tmp_path / "kept") as partial:
            partial.write_text("half")
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk"):
        half()
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    assert (tmp_path / "kept").read_text() == "earlier"


@pytest.mark.parametrize("letter", ["x", "ä", "名"])
def test_the_longest_names_arrive_too(tmp_path, letter):
    name = letter * (255 // len(letter.encode()))
    with arriving(tmp_path / name) as partial:
        partial.write_text("whole")
    assert (tmp_path / name).read_text() == "whole"


def test_nothing_arrives_at_a_device():
    with pytest.raises(InputError, match="no place for a file"), arriving(Path("/dev/null")):
        pass
