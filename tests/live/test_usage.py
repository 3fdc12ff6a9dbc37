import pytest
from inspect_ai.model import ModelUsage

from benchwright.errors import InputError
from benchwright.live.usage import Price, Prices, prices, refuse_unpriced, total, usage_of


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path))
    prices.cache_clear()
    yield tmp_path
    prices.cache_clear()


def test_a_price_counts_cached_tokens_at_their_own_rate():
    price = Price(input=3.0, output=15.0, cache_read=0.3, cache_write=3.75)
    used = ModelUsage(
        input_tokens=1000, output_tokens=100, input_tokens_cache_read=10_000, input_tokens_cache_write=2000
    )
    assert price.of(used) == pytest.approx((3000 + 1500 + 3000 + 7500) / 1e6)


def test_a_dated_release_has_the_price_of_its_model_and_a_relative_has_none():
    table = Prices(models={"openai/gpt-4o": Price(input=1, output=1)})
    assert table.price("openai/gpt-4o-2024-11-20") is not None
    assert table.price("openai/gpt-4o-latest") is not None
    assert table.price("openai/gpt-4o-audio") is None


def test_an_unknown_price_is_unknown_and_makes_the_total_unknown():
    used = ModelUsage(input_tokens=5, output_tokens=5, total_tokens=10)
    assert usage_of(used, "nobody/knows").cost_usd is None
    assert total({"nobody/knows": used, "openai/gpt-5": used}).cost_usd is None
    assert total({"nobody/knows": used, "openai/gpt-5": used}).input_tokens == 10
    assert total({}).cost_usd == 0.0


def test_ones_own_prices_are_laid_over_the_shipped_ones(own_home):
    assert prices().date
    (own_home / "prices.toml").write_text('[models."openai-api/local/mine"]\ninput = 1\noutput = 2\n')
    prices.cache_clear()
    assert prices().price("openai-api/local/mine") == Price(input=1, output=2)
    assert prices().price("openai/gpt-5") is not None


def test_a_bad_price_table_names_the_field(own_home):
    (own_home / "prices.toml").write_text("[models.x]\ninput = -1\noutput = 2\n")
    with pytest.raises(InputError, match=r"prices.toml"):
        prices()


def test_a_budget_is_refused_for_models_without_a_price():
    refuse_unpriced(("openai/gpt-5", ""), "a budget")
    with pytest.raises(InputError, match="no price is known for nobody/knows"):
        refuse_unpriced(("openai/gpt-5", "nobody/knows"), "a budget")
