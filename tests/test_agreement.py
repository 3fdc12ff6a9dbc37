import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.agreement import agreement_of, cohen_kappa

WORDS = st.sampled_from(["yes", "no", "perhaps"])


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1))
def test_kappa_is_that_of_scikit_learn(pairs):
    from sklearn.metrics import cohen_kappa_score

    first, second = zip(*pairs, strict=True)
    found = cohen_kappa(pairs)
    if found is None:
        assert len(set(first) | set(second)) == 1
    else:
        assert found == pytest.approx(cohen_kappa_score(first, second))


def test_the_example_of_the_literature_is_met():
    pairs = [("yes", "yes")] * 20 + [("yes", "no")] * 5 + [("no", "yes")] * 10 + [("no", "no")] * 15
    found = agreement_of(pairs)
    assert (found.n, found.accuracy, found.kappa) == (50, 0.7, pytest.approx(0.4))
    assert found.confusion == {"no/no": 15, "no/yes": 10, "yes/no": 5, "yes/yes": 20}
