import pytest
from inspect_ai.model import ModelUsage

from benchwright.errors import InputError
from benchwright.live.usage import refuse_unpriced, total, usage_of
from benchwright.prices import prices


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path))
    prices.cache_clear()
    yield tmp_path
    prices.cache_clear()


def test_an_unknown_price_is_unknown_and_makes_the_total_unknown():
    used = ModelUsage(input_tokens=5, output_tokens=5, total_tokens=10)
    assert usage_of(used, "nobody/knows").cost_usd is None
    assert total({"nobody/knows": used, "openai/gpt-5": used}).cost_usd is None
    assert total({"nobody/knows": used, "openai/gpt-5": used}).input_tokens == 10
    assert total({}).cost_usd == 0.0


def test_a_budget_is_refused_for_models_without_a_price():
    refuse_unpriced(("openai/gpt-5", ""), "a budget")
    with pytest.raises(InputError, match="no price is known for nobody/knows"):
        refuse_unpriced(("openai/gpt-5", "nobody/knows"), "a budget")
