"""What holds for every answer: writing it differently changes nothing, changing it changes the verdict."""

import json
import unicodedata
from decimal import Decimal

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from benchwright.scorers.answer import judge
from benchwright.scorers.answer.guideline import read_guideline
from benchwright.scorers.compare.numbers import round_to
from benchwright.scorers.compare.text import normalise

GUIDELINE = read_guideline("Round decimals as shown. Separate values by semicolons.", "What are the rates?", {})
ANY_ORDER = read_guideline("List the values in any order.", "Which?", {})

numbers = st.decimals(min_value=-(10**9), max_value=10**9, places=2, allow_nan=False, allow_infinity=False).map(str)
integers = st.integers(-(10**15), 10**15).map(str)
words = st.text(alphabet="bcdfgjlmpqrstvwz", min_size=4, max_size=9).map(str.capitalize)
parts = st.one_of(numbers, integers, words)
answers = st.lists(parts, min_size=1, max_size=5).map("; ".join)


def right(prediction, gold, guideline=GUIDELINE):
    return judge(prediction, gold, guideline).right


@given(answers)
def test_an_answer_is_right_for_itself(answer):
    assert right(answer, answer)


@given(answers, st.sampled_from([str.upper, str.lower, "  {}\n".format, '"{}"'.format, "[{}]".format, "**{}**".format, "{}.".format, "The answer is {}".format,
                                 "Answer: {}".format, "```\n{}\n```".format, "\\boxed{{{}}}".format, "<answer>{}</answer>".format]))  # fmt: skip
def test_dress_changes_nothing(answer, dress):
    assert right(dress(answer), answer)


@given(st.lists(parts, min_size=2, max_size=5), st.sampled_from([";", ", ", "\n", " | ", "\t", " and "]))
def test_the_separator_changes_nothing(values, separator):
    assert right(separator.join(values), "; ".join(values))
    assert right(json.dumps(values), "; ".join(values))


@given(integers, st.sampled_from([",", " ", "\u2009", "\u202f", "\u00a0", "'", "’", "_"]))
def test_a_thousands_separator_changes_nothing(number, separator):
    grouped = f"{int(number):,}".replace(",", separator)
    assert right(grouped, number)
    assert right(number, f"{int(number):,}")


@given(numbers)
def test_a_unicode_minus_and_trailing_zeros_change_nothing(number):
    assert right(number.replace("-", "−"), number)
    assert right(number + "00", number)


@given(numbers, st.integers(0, 999))
def test_further_digits_are_right_exactly_if_they_round_to_the_gold(number, more):
    longer = f"{number}{more:03}"
    rounded = {round_to(Decimal(longer), Decimal("0.01"), mode) for mode in ("ROUND_HALF_UP", "ROUND_HALF_EVEN")}
    assert right(longer, number) == (Decimal(number) in rounded)


@given(numbers)
def test_another_sign_is_wrong(number):
    assume(Decimal(number) != 0)
    assert not right(str(-Decimal(number)), number)


@given(integers, st.integers(-3, 3).filter(bool))
def test_another_integer_is_wrong(number, step):
    assert not right(str(int(number) + step), number)


@given(
    st.lists(parts, min_size=2, max_size=5, unique=True).flatmap(
        lambda values: st.tuples(st.just(values), st.permutations(values))
    )
)
def test_another_order_is_wrong_unless_any_order_is_allowed(pair):
    values, shuffled = pair
    assume(len({Decimal(value) if value[-1].isdigit() else value for value in values}) == len(values))
    gold, prediction = "; ".join(values), "; ".join(shuffled)
    assert right(prediction, gold) == (values == shuffled)
    if all(value[-1].isdigit() for value in values) or not any(value[-1].isdigit() for value in values):
        assert right(prediction, gold, ANY_ORDER)


@given(st.lists(parts, min_size=1, max_size=4), parts)
def test_a_part_too_many_or_too_few_is_wrong(values, extra):
    gold = "; ".join(values)
    assert not right("; ".join([*values, extra]), gold)
    assert not right(gold, "; ".join([*values, extra]))


@given(words, words)
def test_another_word_is_wrong(one, other):
    assume(one != other)
    assert not right(one, other)
    assert not right(f"{one} or {other}", other)


@settings(max_examples=300)
@given(st.text(max_size=200), answers)
def test_any_text_at_all_is_judged_without_an_error(text, gold):
    for judged in (judge(text, gold, GUIDELINE), judge(gold, text, GUIDELINE)):
        verdicts = {item.verdict for item in judged.evidence}
        assert judged.reason  # a word on every verdict
        assert verdicts <= {"right"} if judged.right else verdicts != {"right"}


FRAGMENTS = (
    "The answer is", "Answer:", "Final answer:", "is", "the rate is", "=", ":", ";", ",", "and", "or", ".", "\n", "(", ")", "**", "```", "\\boxed{", "}",
    "<answer>", "</answer>", '{"answer":', "|", "|---|---|", "has the", "is the answer", "because", "- ", "1. ", "2. ", "rates", "so", "not", "%", "1", "2", "3", "4",
)  # fmt: skip


@given(st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=10).map(" ".join))
def test_a_text_is_right_for_one_gold_at_most(text):
    golds = ("1", "2", "3", "4")
    assert sum(right(text, gold) for gold in golds) <= 1
    assert sum(right(text, f"{one}; {two}") for one in golds for two in golds) <= 1


@given(st.text(max_size=60))
def test_normalisation_is_stable_and_blind_to_the_unicode_form(text):
    once = normalise(text)
    assert normalise(unicodedata.normalize("NFD", text)) == normalise(unicodedata.normalize("NFC", text))
    assert normalise(once) == once or not text.isascii()
