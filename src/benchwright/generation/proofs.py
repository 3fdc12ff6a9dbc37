"""What a machine proves of a draft: each proof is one function, and says with a reason what speaks against it."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Final

from benchwright.baselines.guess import Constant, KnowNothing
from benchwright.files import sha256_file
from benchwright.generation.static_checks import Fault
from benchwright.generation.trial import Trial
from benchwright.generation.workflow import Draft, Material, Reason
from benchwright.generation.writing import answers, is_empty_file
from benchwright.profiles.relations import Join
from benchwright.proving.findings import Severity
from benchwright.proving.guideline import split_parts
from benchwright.proving.lint import RULES
from benchwright.proving.lint.base import TaskRule
from benchwright.proving.lint.guessable import find as guessable
from benchwright.proving.lint.text import plain
from benchwright.proving.proofs.fixed_files import fixed_files
from benchwright.proving.proofs.self_scores import fixed_file_score, self_scores
from benchwright.proving.proofs.solution_runs import Run
from benchwright.score import Scored
from benchwright.trajectory import Submission

Proof = Callable[[Trial], Iterator[Fault]]

_NOTHING = re.compile(r"(?i)^(?:nan|none|null|nat|na|n/a|inf|-inf|<na>|\[\]|\{\}|\(\)|[+-]?0+(?:\.0+)?\s*%?)$")
_WHOLE = re.compile(r"^[+-]?1(?:00)?\.0{2,}\s*%?$")
_NUMBER = re.compile(r"^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$")
_FEW_ROWS = 3
_CONSTANTS: Final = ("0", "1", "100", "0.5", "Yes", "No", "None")
_LONGEST = 2000
_JOINED = (
    r"\b(?:join|merg|match|link|combin|relat)\w*\b.{0,80}\b(?:on|by|using|via|through|over)\b.{0,30}(?<!\w)%s(?!\w)"
)
_KEYED = r"(?<!\w)%s(?!\w).{0,30}\bkeys?\b|\bkeys?\b.{0,30}(?<!\w)%s(?!\w)"
_HINT = re.compile(r"(?i)\bhints?\s*:")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_LEAKS = frozenset(("gold-in-question", "gold-in-guideline"))


def answer_is_there(trial: Trial) -> Iterator[Fault]:
    """Something was printed where words are asked for, and every output file was left."""
    if answers(trial.draft) and not trial.first.printed.strip():
        yield "empty_answer", "nothing was printed"
    for output in trial.draft.outputs:
        if output.kind != "answer" and output.name not in trial.first.files:
            yield "empty_answer", f"{output.name} was not written"


def answer_says_something(trial: Trial) -> Iterator[Fault]:
    """The answer is no missing value, no zero, no measured 1 or 100, nothing that one guesses in ten tries, and no file
    that is empty or says the same of each row.
    """
    if answers(trial.draft):
        parts = split_parts(trial.first.printed.strip())
        if not parts or any(_NOTHING.match(part) for part in parts) or _degenerate(parts):
            yield "trivial_answer", trial.first.printed.strip()[:100]
        for evidence in guessable(trial.case):
            yield "trivial_answer", evidence
    for name, path in trial.first.files.items():
        if is_empty_file(name, path.read_bytes()):
            yield "trivial_answer", f"{name} holds no value"
        elif flat := _flat_columns(name, path.read_bytes()):
            yield "trivial_answer", f"{name} has the same number in each row of {flat}"


def _degenerate(parts: tuple[str, ...]) -> bool:
    """Whether a measured part is exactly 1 or 100, as of what follows from itself, or all parts are the same."""
    return any(_WHOLE.match(part) for part in parts) or (len(parts) > 1 and len(set(parts)) == 1)


def _flat_columns(name: str, content: bytes) -> str:
    """The columns of numbers of a csv file of three rows and more that hold one value; "" where any column tells."""
    if not name.endswith(".csv"):
        return ""
    head, *rows = list(csv.reader(io.StringIO(content.decode("utf-8", errors="replace")))) or [[]]
    columns = {told: {row[place] for row in rows if len(row) == len(head)} for place, told in enumerate(head)}
    numbers = {told: values for told, values in columns.items() if values and all(map(_NUMBER.match, values))}
    flat = [told for told, values in numbers.items() if len(values) == 1]
    return ", ".join(flat) if len(rows) >= _FEW_ROWS and len(flat) == len(numbers) else ""


def answer_fits_a_line(trial: Trial) -> Iterator[Fault]:
    """An answer in words is one line of some length."""
    text = trial.first.printed.strip()
    if answers(trial.draft) and ("\n" in text or len(text) > _LONGEST):
        yield "unfit_answer", f"{len(text.splitlines())} lines, {len(text)} characters"


def second_run_agrees(trial: Trial) -> Iterator[Fault]:
    """Another process, with other hashes, prints and writes the same bytes."""
    second = trial.again(trial.draft.workflow.code)
    if second.failure:
        yield "runs_differ", f"the second run failed: {second.failure}"
    elif difference := _difference(trial.first, second):
        yield "runs_differ", difference


def _difference(first: Run, second: Run) -> str:
    if first.printed.strip() != second.printed.strip():
        return f"printed {first.printed.strip()[:60]!r}, then {second.printed.strip()[:60]!r}"
    changed = [name for name in sorted({*first.files, *second.files}) if not _same_file(first, second, name)]
    return f"files differ: {', '.join(changed)}" if changed else ""


def _same_file(first: Run, second: Run, name: str) -> bool:
    there = name in first.files and name in second.files
    return there and sha256_file(first.files[name]) == sha256_file(second.files[name])


def seed_does_not_matter(trial: Trial) -> Iterator[Fault]:
    """Where chance is declared, another seed's answer is right by the task's own checks."""
    if trial.draft.workflow.random:
        other = trial.again(trial.draft.workflow.program(1))
        if other.failure:
            yield "seeds_differ", f"with seed 1 it failed: {other.failure}"
        elif not trial.right(other):
            yield "seeds_differ", f"with seed 1: {other.printed.strip()[:60]!r}"


def ties_do_not_matter(trial: Trial) -> Iterator[Fault]:
    """The answer stays right where the last of several equal ones is taken in place of the first.

    Of pandas' and Python's own ways to take one; numpy, polars and SQL are not seen through.
    """
    other = trial.again(trial.draft.workflow.code, ties="last")
    if not other.failure and not trial.right(other):
        yield "depends_on_ties", f"with the last of equal ones: {other.printed.strip()[:60]!r}"


def gold_scores_one(trial: Trial) -> Iterator[Fault]:
    """The task's own checks give its gold 1 and nothing at all 0, under both verdicts."""
    reasons: Mapping[str, Reason] = {"gold-scores-one": "gold_does_not_score_1", "empty-scores-zero": "empty_scores"}
    for step in self_scores(trial.suite, trial.case, trial.judge):
        if step.outcome == "failed":
            yield reasons[step.name], step.evidence


def know_nothing_scores_zero(trial: Trial) -> Iterator[Fault]:
    """Nothing is given to the likeliest answer that the question's text alone suggests."""
    baseline, task = KnowNothing(), trial.case.task
    made = {}
    for number, (name, content) in enumerate(baseline.files(task).items()):
        made[name] = trial.folder / f"guess-{number}"
        made[name].write_bytes(content)
    guess = baseline.attempt(task, None, 0)
    yield from _scores(trial, guess.model_copy(update={"files": made}), "know_nothing_scores")


def constants_score_zero(trial: Trial) -> Iterator[Fault]:
    """Nothing is given to usual constants, nor to files that hold a grid of numbers."""
    for text in _CONSTANTS if answers(trial.draft) else ():
        yield from _scores(trial, Constant(text).attempt(trial.case.task, None, 0), "constant_scores")
    folder = trial.folder / "fixed"
    folder.mkdir()
    if made := fixed_files(trial.case, folder):
        step = fixed_file_score(made, trial.judge)
        if step.outcome != "passed":
            yield "constant_scores", step.evidence


def _scores(trial: Trial, submission: Submission, reason: Reason) -> Iterator[Fault]:
    score = trial.judge(submission).sound
    if isinstance(score, Scored) and score.value > 0:
        yield reason, f"{(submission.answer or 'files')[:80]!r} scores {score.value:g}"


def answer_does_not_leak(trial: Trial) -> Iterator[Fault]:
    """Neither question nor guidelines hold the answer, nor all of its parts."""
    case = trial.case
    for rule in RULES:
        if isinstance(rule, TaskRule) and rule.name in _LEAKS:
            for evidence in rule.find(case):
                yield "answer_leaks", evidence
    words = f" {plain(case.task.question)} "
    parts = [part for part in map(plain, split_parts(case.answer)) if part]
    if parts and all(f" {part} " in words for part in parts):
        yield "answer_leaks", f"the question holds {case.answer[:80]!r}"


def lint_finds_nothing(trial: Trial) -> Iterator[Fault]:
    """No rule of the suite's lint that looks at single tasks finds an error, or warns."""
    for rule in RULES:
        if isinstance(rule, TaskRule) and rule.severity != Severity.NOTE and rule.name not in _LEAKS:
            for evidence in rule.find(trial.case):
                yield "lint_fault", f"{rule.name}: {evidence}"


def files_are_as_declared(trial: Trial) -> Iterator[Fault]:
    """The files that the first run opened were measured, and are those that the steps say they read."""
    seen, said = trial.opened, set(trial.draft.workflow.reads)
    if seen is None:
        reason = getattr(trial.first.accesses, "reason", "only an estimate")
        yield "files_not_measured", str(reason)
        return
    if unread := sorted(said - set(seen)):
        yield "files_not_as_declared", f"not opened: {', '.join(unread)}"
    if others := sorted(set(seen) - said):
        yield "files_not_as_declared", f"opened, and not declared: {', '.join(others)}"
    if not seen:
        yield "files_not_as_declared", "no file was opened"


def distractors_exist(trial: Trial) -> Iterator[Fault]:
    """The room holds a file that is neither required nor a copy of one that is."""
    entries = {entry.path: entry.sha256 for entry in trial.room.index}
    needed = {entries[path] for path in trial.opened or () if path in entries}
    if all(content in needed for content in entries.values()):
        yield "no_distractor", "every file of the room is required, or a copy of one that is"


def no_join_is_told(draft: Draft, material: Material) -> Iterator[Fault]:
    """No sentence tells by which columns files are joined, where the workflow joins some, nor promises a hint."""
    text = f"{draft.question}\n{draft.guidelines}"
    if match := _HINT.search(text):
        yield "join_hint_leaks", match[0]
    reads = set(draft.workflow.reads)
    joins = [one for one in material.relations if isinstance(one, Join) and {one.left, one.right} <= reads]
    columns = {column for one in joins for column in (one.left_column, one.right_column)}
    for sentence in chain.from_iterable(map(_SENTENCE.split, text.splitlines())):
        for told in (name for name in sorted(columns) if _tells_join(sentence, re.escape(name))):
            yield "join_hint_leaks", f"{told}: {sentence[:120]}"


def _tells_join(sentence: str, column: str) -> bool:
    return any(re.search(pattern, sentence, re.IGNORECASE) for pattern in (_JOINED % column, _KEYED % (column, column)))


PROOFS: Final[tuple[Proof, ...]] = (
    answer_is_there,
    answer_says_something,
    answer_fits_a_line,
    files_are_as_declared,
    distractors_exist,
    answer_does_not_leak,
    lint_finds_nothing,
    gold_scores_one,
    know_nothing_scores_zero,
    constants_score_zero,
    second_run_agrees,
    seed_does_not_matter,
    ties_do_not_matter,
)
"""In this order: what costs least comes first. Ablations (`ablations`) follow."""
