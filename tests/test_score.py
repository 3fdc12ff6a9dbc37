import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.score import Evidence, Scored, Unscored, unscorable, without_gold

texts = st.text(alphabet="secret", min_size=12)
details = st.dictionaries(
    st.sampled_from("abc"), st.none() | st.booleans() | st.floats(allow_nan=False) | texts | st.lists(texts)
)


@given(texts, texts, details, st.floats(0, 1))
def test_no_text_of_a_score_is_left(secret, reason, told, value):
    evidence = Evidence(part=secret, verdict="wrong", expected=secret, found=secret, reason=secret)
    for score in (
        Scored(value=value, reason=reason, evidence=(evidence,), details=told),
        Unscored(reason=f"suite: {secret}", details=told),
    ):
        kept = without_gold(score)
        assert secret not in kept.model_dump_json()
        assert kept.kind == score.kind
        assert kept.details == {name: told[name] for name in kept.details}
        assert all(isinstance(told[name], (str, list)) for name in set(told) - set(kept.details))


def test_what_counts_is_kept():
    evidence = (Evidence(part="row 1", verdict="wrong", expected="42"), Evidence(verdict="right"))
    kept = without_gold(Scored(value=0.5, reason="42", evidence=evidence, details={"precision": None, "swept": True}))
    assert (kept.value, kept.reason) == (0.5, "")
    assert [item.verdict for item in kept.evidence] == ["wrong", "right"]
    assert kept.details == {"precision": None, "swept": True}
    assert without_gold(Unscored(reason="suite: the gold 42 is broken")).reason == "suite"
    assert without_gold(Unscored(reason="broke: sandbox (no space)")).reason == "broke"
    assert without_gold(Unscored(reason="the right answer is 42")).reason == "no verdict"


@pytest.mark.parametrize(
    ("score", "wanted"),
    [
        (Unscored(reason="no gold answer", details={"gold": "missing"}), True),
        (Unscored(reason="suite: the gold 42 is broken"), True),
        (Unscored(reason="suite"), True),
        (Unscored(reason="scorer: ValueError: 42"), False),
        (Unscored(reason="suites differ"), False),
        (Scored(value=0.0, details={"gold": "missing"}), False),
    ],
)
def test_whether_a_suite_is_to_blame_is_known_of_a_kept_score_as_of_a_given_one(score, wanted):
    assert unscorable(score) == unscorable(without_gold(score)) == wanted
