import pytest

from benchwright.errors import InputError
from benchwright.prices import prices, use_prices

OWN = """date = "2027-01-02"
[models."openai-api/local/mine"]
input = 1.0
output = 2.0
"""


@pytest.fixture(autouse=True)
def as_before():
    from benchwright import prices as module

    yield
    module._GIVEN.clear()
    prices.cache_clear()


def test_a_file_of_prices_prevails_over_the_shipped_ones_and_keeps_the_rest(tmp_path):
    known = next(iter(prices().models))
    file = tmp_path / "prices.toml"
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
    file = tmp_path / "prices.toml"
    file.write_text(text)
    with pytest.raises(InputError, match=r"prices\.toml"):
        use_prices(file)
    with pytest.raises(InputError):
        use_prices(tmp_path / "none.toml")
    assert prices() == before
