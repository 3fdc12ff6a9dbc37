import anyio
import anyio.lowlevel

from benchwright.live.session import Budget
from benchwright.run import Spend


async def test_money_that_is_spent_cuts_off_what_is_under_way_and_starts_nothing_further():
    budget = Budget(usd=1.0, spent=Spend(usd=0.5))
    went_on = []
    with budget.under() as scope:
        budget.pay(10, 0.25)
        await anyio.lowlevel.checkpoint()
        went_on.append("within")
        budget.pay(10, 0.25)
        await anyio.lowlevel.checkpoint()
        went_on.append("beyond")
    assert went_on == ["within"]
    assert scope.cancelled_caught
    assert budget.exhausted
    with budget.under():
        await anyio.lowlevel.checkpoint()
        went_on.append("later")
    assert went_on == ["within"]


async def test_minutes_count_what_earlier_sittings_used():
    budget = Budget(seconds=100.0, spent=Spend(seconds=99.95))
    with anyio.fail_after(100), budget.under() as scope:
        await anyio.sleep(90)
    assert scope.cancelled_caught
    assert "minutes" in budget.stopped


async def test_tokens_of_unknown_price_are_counted_apart_and_cost_no_budget():
    budget = Budget(usd=1.0)
    budget.pay(1000, None)
    assert (budget.spent.unpriced, budget.spent.usd, budget.exhausted) == (1000, 0.0, False)


async def test_without_a_budget_nothing_is_cut_off():
    budget = Budget()
    budget.pay(10**9, 10.0**6)
    with budget.under() as scope:
        await anyio.lowlevel.checkpoint()
    assert not scope.cancelled_caught
    assert not budget.exhausted
