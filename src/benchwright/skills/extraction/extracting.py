"""From a corpus to the steps of its solutions: resumable, within limits, and no solution lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchwright.chat.asking import Ledger, Limits, Progress, Spending, ask_all, require_own
from benchwright.chat.base import ChatModel
from benchwright.errors import BenchwrightError, InputError
from benchwright.files import Record, canonical_json, read_jsonl, write_atomic, write_jsonl
from benchwright.skills.corpus.base import cleaned
from benchwright.skills.extraction.asking import StepsForm, covered, question_about, shown_calls
from benchwright.skills.steps import STEPS_FILE, SkillStep, Solution

_STAGE, _LEDGER = "extract", "state.sqlite"
_USUAL = Limits()


@dataclass(frozen=True, slots=True)
class Rules:
    """What an extraction has to be: which share of a solution's calls its steps name at least."""

    coverage: float = 0.8

    def __post_init__(self) -> None:
        if not 0 <= self.coverage <= 1:
            raise InputError("the share of calls that steps name", found=str(self.coverage), expected="from 0 to 1")


class SolutionStatus(Record):
    """What became of one solution: how many steps, how many of its calls they name, or why there are none."""

    id: str
    status: Literal["done", "failed", "missing"]
    reason: str = ""
    steps: int = 0
    calls: int = 0
    unnamed_calls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Extracted:
    """The outcome of an extraction; `stopped` says why it ended before every solution was asked about."""

    solutions: tuple[SolutionStatus, ...]
    steps: int
    spent: Spending
    stopped: BenchwrightError | None = None

    @property
    def counts(self) -> dict[str, int]:
        """Solutions by status, which add up, and steps."""
        by_status = Counter(each.status for each in self.solutions)
        statuses = {status: by_status[status] for status in ("done", "failed", "missing")}
        return {"solutions": len(self.solutions), **statuses, "steps": self.steps}


def read_corpus(path: Path) -> tuple[Solution, ...]:
    """The solutions of a corpus file; InputError names the line that is wrong, or the id that stands twice."""
    found: dict[str, Solution] = {}
    for number, value in read_jsonl(path):
        solution = Solution.from_json(value, f"{path}, line {number}")
        if solution.id in found:
            raise InputError(f"{path}, line {number}: a solution twice", found=solution.id, expected="each id once")
        found[solution.id] = solution
    if not found:
        raise InputError(f"{path}: no solutions", hint="make a corpus with: benchwright skills corpus")
    return tuple(found.values())


async def extract(
    model: ChatModel,
    corpus: Sequence[Solution],
    out: Path,
    rules: Rules = Rules(),
    limits: Limits = _USUAL,
    told: Callable[[Progress], None] = lambda _: None,
) -> Extracted:
    """Take every solution apart that is not yet, and write `steps.jsonl`, `status.jsonl` and `counts.json`.

    They hold what the corpus and the answers say and nothing of how they came about, in the corpus' order: a work that
    was killed and resumed writes the same bytes. The status of each solution, and every call with its tokens, is in
    `state.sqlite`. Where the budget or the model ends the work first, what there is gets written all the same.
    """
    questions = (question_about(solution, rules.coverage) for solution in corpus)
    stopped = None
    require_own(out, STEPS_FILE, _LEDGER)
    with Ledger.open(out / _LEDGER) as ledger:
        try:
            await ask_all(model, _STAGE, questions, ledger, limits, told)
        except BenchwrightError as error:
            stopped = error
        made = [_outcome(solution, rules, ledger, model.name) for solution in corpus]
        spent = ledger.spending()
    steps = [step for _, steps in made for step in steps]
    extracted = Extracted(tuple(status for status, _ in made), len(steps), spent, stopped)
    write_jsonl(out / STEPS_FILE, steps)
    write_jsonl(out / "status.jsonl", extracted.solutions)
    write_atomic(out / "counts.json", canonical_json(extracted.counts) + "\n")
    return extracted


def _outcome(solution: Solution, rules: Rules, ledger: Ledger, model: str) -> tuple[SolutionStatus, list[SkillStep]]:
    asked = ledger.answer(_STAGE, solution.id, question_about(solution, rules.coverage).digest(model))
    calls = shown_calls(solution)
    if asked is None:
        return SolutionStatus(id=solution.id, status="missing", calls=len(calls)), []
    if asked.status == "failed":
        return SolutionStatus(id=solution.id, status="failed", reason=asked.reason, calls=len(calls)), []
    answer = asked.read(StepsForm)
    steps = [
        SkillStep(solution_id=solution.id, index=place, skill=step.skill, description=cleaned(step.detail).strip())
        for place, step in enumerate(answer.steps)
    ]
    status = SolutionStatus(
        id=solution.id, status="done", steps=len(steps), calls=len(calls), unnamed_calls=covered(answer, calls).missing
    )
    return status, steps
