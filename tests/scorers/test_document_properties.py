"""What holds for every document: its score is in range and repeatable, rewriting changes nothing, errors never help."""

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

names = st.text(alphabet="abcdefgh", min_size=1, max_size=6)
numbers = st.integers(-(10**6), 10**6) | st.floats(allow_nan=False, allow_infinity=False, width=32)
scalars = st.none() | st.booleans() | numbers | names
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4), max_leaves=20
)
objects = st.dictionaries(names, values, min_size=1, max_size=5)
flat = st.dictionaries(names, st.integers(1, 10**6), min_size=1, max_size=8)


@pytest.fixture(scope="session")
def value(judge_file):
    return lambda found, gold, **options: judge_file("document", json.dumps(found), json.dumps(gold), **options).value


@given(gold=values, found=values)
def test_scores_lie_between_0_and_1_and_repeat(value, gold, found):
    first = value(found, gold)
    assert 0 <= first <= 1
    assert value(found, gold) == first


@given(gold=values, order=st.sampled_from(["", "any", "given"]))
def test_every_document_is_right_for_itself(value, gold, order):
    assert value(gold, gold, order=order) == 1


def rewritten(document, draw):
    """The same document with other key order, other case and gaps in its keys, and whole numbers as decimals."""
    if isinstance(document, dict):
        keys = draw(st.permutations(list(document)))
        return {
            draw(st.sampled_from([str.upper, str.title, " {} ".format, "{}_".format]))(key): rewritten(
                document[key], draw
            )
            for key in keys
        }
    if isinstance(document, list):
        return [rewritten(item, draw) for item in document]
    if isinstance(document, int | float) and not isinstance(document, bool):
        return document * (1 + 1e-10)
    return document


@given(gold=objects, data=st.data())
def test_key_order_case_gaps_and_float_noise_change_nothing(value, gold, data):
    assert value(rewritten(gold, data.draw), gold) == 1


@given(rows=st.lists(st.fixed_dictionaries({"id": st.integers(0, 5), "v": scalars}), max_size=6), data=st.data())
def test_the_order_of_keyed_items_changes_nothing(value, rows, data):
    assert value(data.draw(st.permutations(rows)), rows, key=["id"]) == 1


@given(gold=flat, data=st.data())
def test_each_wrong_or_lost_field_costs_its_share(value, gold, data):
    found = copy.deepcopy(gold)
    wrong = data.draw(st.lists(st.sampled_from(sorted(gold)), unique=True))
    scores = [value(found, gold)]
    for name in wrong:
        if data.draw(st.booleans()):
            found[name] += 1
        else:
            del found[name]
        scores.append(value(found, gold))
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] == pytest.approx(1 - len(wrong) / len(gold))


@given(
    gold=st.lists(st.integers(1, 100), min_size=1, max_size=8),
    extra=st.lists(st.integers(1, 100), min_size=1, max_size=4),
)
def test_surplus_items_never_help(value, gold, extra):
    assert value(gold + extra, gold, order="any") == pytest.approx(len(gold) / (len(gold) + len(extra)))


@given(gold=flat)
def test_a_wider_tolerance_accepts_what_a_narrower_one_refuses(value, gold):
    found = {name: number * 1.004 for name, number in gold.items()}
    assert value(found, gold, relative=0.003) == 0
    assert value(found, gold, relative=0.005) == 1
