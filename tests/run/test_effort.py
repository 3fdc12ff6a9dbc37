import pytest

from benchwright.errors import Fault
from benchwright.run import Attempt
from benchwright.run.effort import effort
from benchwright.trajectory import Answered, Broke, GaveUp, LimitHit, Usage

USED = Usage(
    input_tokens=100, cache_read_tokens=20, cache_write_tokens=3, output_tokens=10, reasoning_tokens=4, cost_usd=0.5
)


def made(ending, steps=0, good=None, usage=USED):
    return Attempt(cell="c", task_id="t", ending=ending, steps=steps, successful_steps=good, usage=usage)


def test_means_are_over_the_attempts_that_were_carried_through():
    found = effort(
        [
            made(Answered(), 4, 3),
            made(LimitHit(which="wall"), 6, 2),
            made(GaveUp(), 2),
            made(Broke(fault=Fault.AGENT), 0),
            made(Broke(fault=Fault.MODEL), 9, 9),
        ]
    )
    assert (found.attempts, found.steps, found.finished) == (4, 3.0, 0.25)
    assert found.successful_steps == 0.5  # 5 of 10: the third attempt does not tell
    assert found.tokens == 133  # reasoning is a part of the output
    assert (found.cost_usd, found.unknown_costs) == (0.5, 0)


def test_one_unknown_cost_makes_the_mean_unknown_and_never_zero():
    found = effort([made(Answered()), made(Answered(), usage=Usage(input_tokens=5))])
    assert (found.cost_usd, found.unknown_costs) == (None, 1)


def test_replies_that_do_not_tell_their_tokens_leave_them_unknown_and_never_zero():
    found = effort([made(Answered()), made(Answered(), usage=Usage(uncounted_calls=2))])
    assert (found.tokens, found.input_tokens, found.output_tokens, found.untold) == (None, None, None, 1)
    assert effort([made(Answered())]).untold == 0


def test_nothing_done_is_nothing_known():
    assert effort([]).steps is None
    assert effort([made(Broke(fault=Fault.SANDBOX))]).finished is None


def test_usages_add_up_class_by_class():
    assert USED.plus(USED) == Usage(
        input_tokens=200, cache_read_tokens=40, cache_write_tokens=6, output_tokens=20, reasoning_tokens=8, cost_usd=1.0
    )
    assert USED.plus(Usage(uncounted_calls=1)).cost_usd is None
    assert USED.plus(Usage(uncounted_calls=1)).uncounted_calls == 1


@pytest.mark.parametrize("share", [0, 1])
def test_a_step_counts_as_successful_in_whole(share):
    assert effort([made(Answered(), 1, share)]).successful_steps == share
