import pytest

from benchwright.errors import InputError
from benchwright.prices import Price, Prices, prices
from benchwright.trajectory import Usage


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path))
    prices.cache_clear()
    yield tmp_path
    prices.cache_clear()


def test_a_price_counts_cached_tokens_at_their_own_rate():
    price = Price(input=3.0, output=15.0, cache_read=0.3, cache_write=3.75)
    used = Usage(input_tokens=1000, output_tokens=100, cache_read_tokens=10_000, cache_write_tokens=2000)
    assert price.of(used) == pytest.approx((3000 + 1500 + 3000 + 7500) / 1e6)


def test_a_dated_release_has_the_price_of_its_model_and_a_relative_has_none():
    table = Prices(models={"openai/gpt-4o": Price(input=1, output=1)})
    assert table.price("openai/gpt-4o-2024-11-20") is not None
    assert table.price("openai/gpt-4o-latest") is not None
    assert table.price("openai/gpt-4o-audio") is None


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


def test_a_harness_names_a_model_without_its_provider():
    table = Prices(models={"anthropic/claude-sonnet-4-5": Price(input=3, output=15), "a/x": Price(input=1, output=1)})
    known = table.price("anthropic/claude-sonnet-4-5")
    for name in (
        "claude-sonnet-4-5-20250929",
        "claude-sonnet-4-5[1m]",
        "claude-sonnet-4-5@20250929",
        "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    ):
        assert table.price_by_name(name) == known
    assert table.price_by_name("claude-sonnet-4") is None
    assert table.price_by_name("") is None


def test_a_name_that_two_providers_serve_has_no_price():
    table = Prices(models={"a/x": Price(input=1, output=1), "b/x": Price(input=2, output=2)})
    assert table.price_by_name("x") is None
    assert table.price_by_name("b/x") == Price(input=2, output=2)


def test_the_cost_of_several_models_is_known_only_where_each_is():
    table = Prices(models={"a/x": Price(input=1, output=2), "a/y": Price(input=10, output=20)})
    used = Usage(input_tokens=1_000_000, output_tokens=500_000)
    assert table.cost({"x": used, "y": used}) == pytest.approx(22.0)
    assert table.cost({"x": used, "z": used}) is None
    assert table.cost({"x": used.model_copy(update={"uncounted_calls": 1})}) is None
    assert table.cost({}) is None
