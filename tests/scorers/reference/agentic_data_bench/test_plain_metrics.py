"""Metrics that are computed without a library, against the library that the published comparison calls."""

import numpy as np
import pandas as pd
import pytest
import scipy.stats
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st

from benchwright.scorers.reference.agentic_data_bench.metrics import metric_named

LIBRARY = {
    "mae": sklearn.metrics.mean_absolute_error,
    "mse": sklearn.metrics.mean_squared_error,
    "ks": lambda gold, found: scipy.stats.ks_2samp(found, gold).statistic,
}
NUMBERS = st.one_of(
    st.lists(st.integers(-1000, 1000), min_size=0, max_size=8),
    st.lists(st.floats(-1e6, 1e6) | st.sampled_from([np.nan, np.inf, -np.inf]), min_size=0, max_size=8),
    st.lists(st.sampled_from(["a", "b"]), min_size=1, max_size=8),
    st.lists(st.booleans(), min_size=1, max_size=8),
)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", LIBRARY)
@given(found=NUMBERS, gold=NUMBERS)
def test_a_metric_gives_what_the_library_gives_or_fails_where_it_fails(name, found, gold):
    sides = pd.Series(found), pd.Series(gold)
    measured = metric_named(name, "july")(*sides)
    try:
        expected = LIBRARY[name](sides[1].to_numpy(), sides[0].to_numpy())
    except Exception:
        assert measured.failure
        assert measured.value == 0.0
    else:
        assert not measured.failure
        assert measured.value == pytest.approx(expected, nan_ok=True)


@pytest.mark.filterwarnings("ignore")
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=9),
    st.sampled_from([int, float, str]),
)
def test_accuracy_is_the_share_of_equal_labels(pairs, kind):
    found, gold = (pd.Series([kind(pair[side]) for pair in pairs]) for side in (0, 1))
    expected = sklearn.metrics.accuracy_score(gold.astype(str), found.astype(str))
    assert metric_named("accuracy", "july")(found, gold).value == pytest.approx(expected)
