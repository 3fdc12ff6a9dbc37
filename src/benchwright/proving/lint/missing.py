"""Rules: a gold, a gold file or a label that is missing, empty, or belongs to nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchwright.gold import Gold
from benchwright.proving.findings import Severity
from benchwright.proving.lint.base import Hit, SuiteRule, quoted
from benchwright.suite import Suite

_NO_ANSWER = re.compile(
    r"(?is)nan|null|undefined|placeholder|tb[acd]|todo|x{3,}|[?.\-_]+|#(?:n/a|ref!|value!|div/0!|name\?)"
    r"|(?:\w+\.)*\w*(?:Error|Exception): .*|Traceback \(most recent.*"
)
"""What a program or an editor leaves where an answer is missing."""
_SOURCE_OPTIONS = ("answer", "gold", "expected")


def no_gold(suite: Suite) -> Iterator[Hit]:
    """Tasks without a gold, or whose gold holds nothing to compare with: nothing, a placeholder, an error."""
    if not suite.has_gold:
        return
    bare = [task_id for task_id in suite.tasks if not _compares(suite.golds.get(task_id))]
    if suite.tasks and len(bare) == len(suite.tasks):
        yield Hit("", f"no gold available for {len(bare)} of {len(bare)} tasks: export a submission instead of scoring")
        return
    for task_id in bare:
        gold = suite.golds.get(task_id)
        yield Hit(task_id, "gold.jsonl has no line for this task" if gold is None else "the gold is empty")
    for task_id, gold in suite.golds.items():
        if gold.answer and _NO_ANSWER.fullmatch(gold.answer.strip()):
            yield Hit(task_id, f"the gold stands for no answer: {quoted(gold.answer)}")


def _compares(gold: Gold | None) -> bool:
    if gold is None:
        return False
    return bool((gold.answer or "").strip() or gold.files or any(check.options for check in gold.checks))


def withheld(suite: Suite) -> Iterator[Hit]:
    """A suite without gold can be run but not scored here."""
    if not suite.has_gold:
        yield Hit("", f"the gold of all {len(suite.tasks)} tasks is withheld; rules on golds were not applied")


def counts(suite: Suite) -> Iterator[Hit]:
    """Tasks, golds and labels that do not agree in number."""
    golds = len(suite.golds) if suite.has_gold else len(suite.tasks)
    labels = len(suite.labels) or len(suite.tasks)
    if {golds, labels} != {len(suite.tasks)}:
        yield Hit("", f"{len(suite.tasks)} tasks, {golds} golds, {labels} labels")


def stray_labels(suite: Suite) -> Iterator[Hit]:
    """Labels of tasks that the suite does not have."""
    stray = tuple(sorted(set(suite.labels) - set(suite.tasks)))
    if stray:
        yield Hit("", f"labels for tasks that do not exist: {', '.join(stray[:5])}", stray)


def wiring(suite: Suite) -> Iterator[Hit]:
    """Checks that name an output, a gold file or a gold that is not there, or golds that contradict each other."""
    if not suite.has_gold:
        return
    for task_id, gold in suite.golds.items():
        outputs = {output.name for output in suite.tasks[task_id].outputs}
        for evidence in (*_unknown_names(gold, outputs), *_two_sources(gold)):
            yield Hit(task_id, evidence)


def _unknown_names(gold: Gold, outputs: set[str]) -> Iterator[str]:
    for check in gold.checks:
        if check.output not in outputs:
            asked = ", ".join(sorted(outputs))
            yield f"the check {check.scorer!r} looks at {check.output!r}; the task asks for {asked}"
        unknown = [name for name in check.golds if name not in gold.files]
        if unknown:
            yield f"the check {check.scorer!r} compares with {unknown[0]!r}, which is not among the gold's files"


def _two_sources(gold: Gold) -> Iterator[str]:
    for check in gold.checks:
        for key in _SOURCE_OPTIONS:
            other = check.options.get(key)
            if gold.answer and isinstance(other, str | int | float) and str(other).strip() != gold.answer.strip():
                yield (
                    f"gold mismatch between sources: the answer is {quoted(gold.answer)}, "
                    f"the check's option {key!r} says {quoted(str(other))}"
                )


RULES = (
    SuiteRule("no-gold", Severity.ERROR, "write the gold, or take the task out: it counts in no score", no_gold),
    SuiteRule("gold-withheld", Severity.NOTE, "run the check where the gold is kept", withheld),
    SuiteRule("counts-differ", Severity.WARNING, "one gold and one line of labels a task", counts),
    SuiteRule("stray-labels", Severity.WARNING, "remove them, or add their tasks", stray_labels),
    SuiteRule(
        "gold-wiring", Severity.ERROR, "name outputs and gold files as task and gold do, one source a gold", wiring
    ),
)
