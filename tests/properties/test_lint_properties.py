"""Whatever a suite's texts hold, the lint ends, soon, and says the same whatever the order of the tasks."""

import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchwright.gold import Gold, Solution
from benchwright.proving.findings import Finding
from benchwright.proving.guideline import shapes, split_parts
from benchwright.proving.lint import lint
from benchwright.proving.privacy.detectors import matches, possible
from benchwright.suite import Suite, SuiteInfo
from benchwright.task import Task

PIECES = [
    "format: ",
    "'A; B'",
    "(e.g., 1; 2)",
    "two integers ",
    "separated by ",
    ";",
    "%",
    "not applicable",
    "if ",
    "etc.",
    "\n- ",
]
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=12)), max_size=12).map("".join)
LIMIT = 20.0


def _lint(*texts: tuple[str, str, str]) -> tuple[Finding, ...]:
    tasks = [Task(id=f"t{index}", question=f"?{text[0]}", guidelines=text[1]) for index, text in enumerate(texts)]
    golds = [
        Gold(task_id=f"t{index}", answer=text[2], solution=Solution(code=text[0])) for index, text in enumerate(texts)
    ]
    with tempfile.TemporaryDirectory() as folder:
        return lint(Suite.write(Path(folder), SuiteInfo(name="any"), tasks, (), golds))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.tuples(TEXTS, TEXTS, TEXTS))
def test_any_text_can_be_linted(texts):
    _lint(texts)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=2, max_size=5))
def test_findings_do_not_depend_on_the_order_of_the_tasks(texts):
    forward = sorted((finding.rule, finding.severity.value) for finding in _lint(*texts))
    backward = sorted((finding.rule, finding.severity.value) for finding in _lint(*reversed(texts)))
    assert forward == backward


@given(TEXTS)
def test_the_parts_of_a_text_join_to_the_text(text):
    parts = split_parts(text)
    squeezed = ";".join(parts).replace(" ", "")
    assert "".join(text.split()).startswith("".join(squeezed.split()))


@given(TEXTS)
def test_every_shape_has_at_least_one_part(text):
    assert all(shape.arity >= 1 for shape in shapes(text))


@given(st.text(alphabet="0123456789-+() .@aAbBxX", max_size=60))
def test_the_quick_look_for_personal_data_never_hides_a_match(text):
    assert {match.kind for match in matches(text)} <= {detector.kind for detector in possible(text)}


@pytest.mark.parametrize(
    "text",
    [
        "if " * 8000,
        "a; " * 8000,
        "format: '" * 3000,
        "(e.g., " * 4000,
        "two integers " * 2000,
        "the answer must be " * 1500,
        "1" * 30_000,
        "a.b " * 8000,
        "/aa" * 10_000,
        "[note" * 5000,
        "a b c d " * 4000 + ".csv",
        " " * 30_000,
    ],
    ids=lambda text: text[:12],
)
def test_long_hostile_texts_are_linted_in_seconds(text):
    started = time.process_time()
    _lint((text, text, text[:20_000]))
    assert time.process_time() - started < LIMIT
