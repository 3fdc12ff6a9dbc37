"""What an attempt says of itself."""

import pytest

from benchwright.errors import Fault
from benchwright.run import Attempt
from benchwright.trajectory import Answered, Broke, GaveUp, LimitHit


@pytest.mark.parametrize(
    ("ending", "word"),
    [
        (Answered(), "answered"),
        (GaveUp(detail="no idea"), "gave_up"),
        (LimitHit(which="wall", detail="after 5 s"), "limit:wall"),
        (Broke(fault=Fault.MODEL, detail="503"), "broke:model"),
    ],
)
def test_how_it_ended_is_told_in_one_word(ending, word):
    assert Attempt(cell="c", task_id="t", ending=ending).ended == word
