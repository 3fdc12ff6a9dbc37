import pytest

from benchwright.chat.asking import Ledger
from benchwright.chat.asking.shelf import Shelf
from benchwright.errors import InputError


def test_values_are_kept_by_key_and_replaced(tmp_path):
    with Shelf(tmp_path / "deep" / "s.sqlite", "things") as shelf:
        shelf.put([("a", b"1"), ("b", b"2")])
        shelf.put([("a", b"3")])
    with (
        Shelf(tmp_path / "deep" / "s.sqlite", "things") as shelf,
        Shelf(tmp_path / "deep" / "s.sqlite", "more") as more,
    ):
        assert (shelf.get("a"), shelf.get("b"), shelf.get("c"), more.get("a")) == (b"3", b"2", None, None)


def test_a_file_that_is_no_database_is_said_and_left_as_it_is(tmp_path):
    path = tmp_path / "s.sqlite"
    path.write_bytes(b"no database at all, but long enough to be taken for one" * 20)
    before = path.read_bytes()
    with pytest.raises(InputError, match="cannot be used"):
        Shelf(path, "things")
    assert path.read_bytes() == before


def test_a_folder_that_cannot_be_is_said(tmp_path):
    (tmp_path / "file").write_text("something else")
    with pytest.raises(InputError, match="file cannot be used"), Ledger.open(tmp_path / "file" / "state.sqlite"):
        pass
    with pytest.raises(InputError, match="file cannot be used"):
        Shelf(tmp_path / "file" / "s.sqlite", "things")


def test_what_was_put_in_part_is_not_there(tmp_path):
    def values():
        yield "a", b"1"
        raise RuntimeError("cut off here")

    with Shelf(tmp_path / "s.sqlite", "things") as shelf:
        with pytest.raises(RuntimeError, match="cut off here"):
            shelf.put(values())
        assert shelf.get("a") is None
