import pytest

from benchwright.errors import InputError
from benchwright.prices import Price, Prices, forget_given_prices, prices, use_prices
from benchwright.trajectory import Usage


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path))
    forget_given_prices()
    yield tmp_path
    forget_given_prices()


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


OWN = """date = "2027-01-02"
[models."openai-api/local/mine"]
input = 1.0
output = 2.0
"""


def test_a_file_of_prices_prevails_over_the_shipped_ones_and_keeps_the_rest(tmp_path):
    known = next(iter(prices().models))
    file = tmp_path / "given-prices.toml"
    file.write_text(f'{OWN}[models."{known}"]\ninput = 77.0\noutput = 78.0\n')
    use_prices(file)
    assert prices().date == "2027-01-02"
    assert prices().price("openai-api/local/mine").output == 2.0
    assert prices().price(known).input == 77.0
    assert len(prices().models) > 5


BAD = {
    "no prices": 'date = "2027-01-02"',
    "a negative price": "[models.a]\ninput = -1.0\noutput = 1.0",
    "no number": "[models.a]\ninput = nan\noutput = 1.0",
    "an endless price": "[models.a]\ninput = inf\noutput = 1.0",
    "a price without output": "[models.a]\ninput = 1.0",
    "an unknown class": "[models.a]\ninput = 1.0\noutput = 1.0\nthinking = 2.0",
    "no table": "models = 3",
    "no TOML": "models = [",
}


@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
def test_a_file_that_holds_no_prices_is_refused_and_changes_nothing(tmp_path, text):
    before = prices()
    file = tmp_path / "given-prices.toml"
    file.write_text(text)
    with pytest.raises(InputError, match=r"prices\.toml"):
        use_prices(file)
    with pytest.raises(InputError, match="no such file"):
        use_prices(tmp_path / "none.toml")
    assert prices() == before


def test_what_a_cache_keeps_for_an_hour_has_a_price_of_its_own_or_an_unknown_cost():
    used = Usage(cache_write_tokens=1_000_000, cache_write_long_tokens=400_000)
    known = Price(input=1, output=1, cache_write=1.25, cache_write_long=2)
    assert known.of(used) == pytest.approx(0.6 * 1.25 + 0.4 * 2)
    assert Prices(models={"a": known}).cost({"a": used}) == pytest.approx(known.of(used))
    unknown = Prices(models={"a": Price(input=1, output=1, cache_write=1.25)})
    assert unknown.cost({"a": used}) is None
    assert unknown.cost({"a": used.model_copy(update={"cache_write_long_tokens": 0})}) == pytest.approx(1.25)
