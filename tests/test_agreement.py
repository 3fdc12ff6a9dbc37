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
        assert min(len(set(first)), len(set(second))) == 1
    else:
        assert found == pytest.approx(cohen_kappa_score(first, second))


def test_the_example_of_the_literature_is_met():
    pairs = [("yes", "yes")] * 20 + [("yes", "no")] * 5 + [("no", "yes")] * 10 + [("no", "no")] * 15
    found = agreement_of(pairs)
    assert (found.n, found.accuracy, found.kappa) == (50, 0.7, pytest.approx(0.4))
    assert found.confusion == {"no/no": 15, "no/yes": 10, "yes/no": 5, "yes/yes": 20}


@pytest.mark.parametrize("second", [["yes", "yes", "no"], ["no", "no", "yes"], ["yes", "yes", "yes"]])
def test_of_a_rater_who_said_one_word_only_there_is_no_kappa(second):
    pairs = [*zip(["yes", "yes", "yes"], second, strict=True)]
    assert cohen_kappa(pairs) is None
    assert cohen_kappa([(second, first) for first, second in pairs]) is None
    assert agreement_of(pairs).kappa_in_words == "not defined"


def test_raters_who_both_chose_and_agree_no_better_than_chance_have_a_kappa_of_0():
    pairs = [("yes", "yes"), ("yes", "no"), ("no", "yes"), ("no", "no")]
    assert cohen_kappa(pairs) == 0.0
    assert agreement_of(pairs).kappa_in_words == "0.00"
