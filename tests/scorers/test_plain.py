import pytest

from benchwright.gold import Check, Gold
from benchwright.scorers.base import Expected
from benchwright.scorers.reference.plain import PlainScorer
from benchwright.task import Task
from benchwright.trajectory import Submission

GOLD = b"k,v\na,\nb,6.5\n"


def verdict(folder, predicted, gold=GOLD):
    (folder / "gold").mkdir()
    if gold is not None:
        (folder / "gold" / "out.csv").write_bytes(gold)
    files = {}
    if predicted is not None:
        (folder / "out.csv").write_bytes(predicted)
        files = {"out.csv": folder / "out.csv"}
    check = Check(scorer="table", output="out.csv", golds=("out.csv",))
    expected = Expected(task=Task(id="t", question="?"), gold=Gold(task_id="t"), check=check, files=folder / "gold")
    return PlainScorer().score(Submission(files=files), expected)


@pytest.mark.parametrize(
    "same", [GOLD, GOLD.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + GOLD, GOLD[:-1], b'"k", v\na,\nb, 6.5\n']
)
def test_the_same_cells_are_equal_however_their_lines_end(tmp_path, same):
    assert verdict(tmp_path, same).value == 1


@pytest.mark.parametrize(
    "other", [b"k,v\na,0\nb,6.5\n", b"k,v\nb,6.5\na,\n", b"k,v\na,\nb,6.50\n", b"", b"\xff\xfe\x00", None]
)
def test_other_cells_other_order_other_digits_or_no_file_are_not(tmp_path, other):
    assert verdict(tmp_path, other).value == 0


def test_a_gold_that_is_not_there_leaves_no_score(tmp_path):
    assert verdict(tmp_path, GOLD, gold=None).kind == "unscored"


def test_bytes_that_are_no_text_are_compared_as_bytes(tmp_path):
    assert verdict(tmp_path, b"\xff\x00\x01", gold=b"\xff\x00\x01").value == 1
