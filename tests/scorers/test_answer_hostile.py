"""Answers made to hang, to crash or to slip through: time is bounded, nothing raises, nothing is accepted."""

import time

import pytest

from benchwright.scorers.answer import judge
from benchwright.scorers.answer.guideline import read_guideline

GUIDELINE = read_guideline(
    "Answer must be two integers separated by a semicolon in the format: [A]; [B].", "What are the counts?", {}
)
BITS = (
    "1,", "1,111,", "a", "( ", ")(", "-", "1-", "- 1", " ", "\n", "\t", "1 111 ", "1.", "1.1.", "1e", "e1", "%", "$", "1:", "12:3", "2020-", "2020-1-1 ", "Jan ",
    "1 Jan ", "January 1, ", "is ", "a: ", "a = b ", "the answer is ", "answer: ", "final answer ", "**", "**a** ", "`", "```", "```a```", "\\boxed{",
    "\\boxed{1}", "{", "[", '{"a":', "[1,", "|", "|a|b|\n", "| - |\n", "<answer>", "</answer>", "<answer>1</answer>", "'", "1'111", "1_111_", "a_", "a-", "a.", "1a",
    "e\u0301", "\u0301", "１", "٣", "²", "10²", "−", "\u200b", "\ufeff", "n/a ", "more than 1 ", "between 1 and 2 ", "1 to ", "&", "\x00", "😀", "1 x 10^9 ", "1%1", "$1$",
    "\\text{", "? ", "a. ", "because ", "ß", "İ", "0,0", "9" * 30 + " ", "# a\n", "- a\n", "1. a\n", "......", "+1", "USD1", "1am ", "1:00 ", "1/", "that the ", "\ud800",
)  # fmt: skip


@pytest.mark.parametrize("bit", BITS, ids=ascii)
def test_a_long_repetition_is_judged_quickly_and_refused(bit):
    text = bit * (30_000 // len(bit))
    started = time.process_time()
    for prediction in (text, f"The answer is {text}", f"{text} Answer: 5", f"5\n{text}"):
        assert not judge(prediction, "106; 93", GUIDELINE).right
    assert time.process_time() - started < 20.0


def test_megabytes_are_refused_unread():
    started = time.process_time()
    judgement = judge("106; 93 " * 2_000_000, "106; 93", GUIDELINE)
    assert (judgement.right, judgement.reason) == (False, "too long for a final answer")
    assert time.process_time() - started < 20.0


@pytest.mark.parametrize(
    "number",
    ["1e999999999", "1e-999999999", "9" * 20_000, "0." + "0" * 20_000 + "1", "1e" + "9" * 5000, "-" * 500 + "1"],
)
def test_numbers_beyond_any_machine_neither_hang_nor_pass(number):
    for gold in ("0", "1", "106"):
        assert not judge(number, gold, GUIDELINE).right


@pytest.mark.parametrize(
    "text",
    [
        "[" * 20_000,
        '{"a":' * 5000,
        '{"answer": ' + "[" * 2000 + "5" + "]" * 2000 + "}",
        '{"answer": ' + "9" * 5000 + "}",
    ],
)
def test_nested_and_overlong_json_neither_hangs_nor_passes(text):
    assert not judge(text, "5; 6", GUIDELINE).right


def test_a_text_has_one_answer_and_not_several_guesses():
    """Whatever a text says, it is right for at most one of ten golds."""
    texts = (
        "1\nThe value is 2.", "Answer: 1\nFinal answer: 2", "1 is the count: 2", "**1** The answer is 2", "The answer is 1 because the value is 2.",
        '{"answer": 1, "other": 2}', "```1```\nThe answer is 2", "1, 2, 3, 4, 5, 6, 7, 8, 9", "1 (2) (3)", "Answer: 1 (2)", "\\boxed{1} so the answer is 2",
        "1: 2: 3: 4", "The value is 1. The value is 2.", "1 has the highest count: 2", "| 1 | 2 |\n|---|---|\n| 3 | 4 |", "1. 2\n2. 3", "<answer>1</answer> is 2",
    )  # fmt: skip
    for text in texts:
        assert sum(judge(text, str(gold), GUIDELINE).right for gold in range(10)) <= 1, text
