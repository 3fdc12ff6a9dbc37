"""Every planned attempt of a run with its class of failure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from benchwright.analysis.discovery import search
from benchwright.analysis.failures.classes import is_open
from benchwright.analysis.failures.estimates import Estimates
from benchwright.analysis.failures.formats import Formats
from benchwright.analysis.failures.opinions import OPINIONS, Opinion
from benchwright.analysis.failures.record import Failure, Finding
from benchwright.analysis.failures.rules import Case, by_rules, is_right
from benchwright.analysis.failures.trail import Trail, cut
from benchwright.run import Attempt, Key, RunFolder
from benchwright.score import Score, Scored, unscorable
from benchwright.scoring.verdicts import Mode
from benchwright.suite import Selection, Suite
from benchwright.trajectory import Trajectory


def failures(suite: Suite, run: RunFolder, mode: Mode, name: str = "") -> tuple[Failure, ...]:
    """One record a planned attempt, in the order of cells, tasks and epochs; `name` is what the run is called.

    What a model was asked of the same attempts (`asking.inquire`) decides where rules leave it open.
    Errors: InputError where the run was not scored in that mode.
    """
    planned = Planned(suite, run, mode)
    with Formats(suite, run, mode) as formats:
        return tuple(_failure(planned, key, formats, name or run.path.absolute().name) for key in planned.keys)


@dataclass(frozen=True)
class Planned:
    """What a run was to attempt, and the verdicts of one mode on it."""

    suite: Suite
    run: RunFolder
    mode: Mode

    @cached_property
    def keys(self) -> tuple[Key, ...]:
        """Every planned attempt."""
        spec = self.run.spec
        chosen = self.suite.select(Selection(subset=spec.subset, ids=spec.ids, limit=spec.limit))
        return spec.keys(task.id for task in chosen)

    @cached_property
    def attempts(self) -> Mapping[Key, Attempt]:
        """Those that were made."""
        return self.run.attempts()

    @cached_property
    def verdicts(self) -> Mapping[Key, Mapping[str, Score]]:
        """By attempt, its verdicts by their names: the mode's, and those of single checks."""
        found: dict[Key, dict[str, Score]] = defaultdict(dict)
        for row in self.run.read_scores(self.mode)[0]:
            found[Key(row.cell, row.task_id, row.epoch)][row.name] = row.score
        return found

    @cached_property
    def opinions(self) -> Mapping[Key, Opinion]:
        """What a model said of attempts, as long as they are the ones that it was asked of."""
        return OPINIONS.read(self.run, self.mode, self.attempts)

    @cached_property
    def sound(self) -> Mapping[Key, Score]:
        """The sound verdicts, beside which the published rule's are looked at."""
        rows = self.run.read_scores("sound")[0] if self.run.has_scores("sound") else ()
        return {Key(row.cell, row.task_id, row.epoch): row.score for row in rows if row.name == "sound"}

    def score(self, key: Key) -> Score | None:
        """The verdict on an attempt; None where there is no row of it."""
        return self.verdicts.get(key, {}).get(self.mode)

    @cached_property
    def estimates(self) -> Mapping[str, Estimates]:
        """By cell, what guesses go by."""
        values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for key in self.keys:
            score = self.score(key)
            if score is not None and not unscorable(score):
                values[key.cell][key.task_id].append(score.value if isinstance(score, Scored) else 0.0)
        return {
            cell: Estimates({task: sum(of) / len(of) for task, of in tasks.items()}, self.suite.labels)
            for cell, tasks in values.items()
        }

    def checks(self, key: Key) -> dict[str, float]:
        """The lowest value of each kind of check, by the scorer's name, worst first."""
        gold = self.suite.golds.get(key.task_id) if self.suite.has_gold else None
        told = self.verdicts.get(key, {})
        found: dict[str, float] = {}
        for number, check in enumerate(gold.checks if gold else (), start=1):
            score = told.get(f"{self.mode}.{number}") or (told.get(self.mode) if number == 1 else None)
            value = score.value if isinstance(score, Scored) else 0.0
            found[check.scorer] = min(value, found.get(check.scorer, 1.0))
        return dict(sorted(found.items(), key=lambda pair: pair[1]))

    def transcript(self, attempt: Attempt | None) -> Trajectory:
        """What is kept of an attempt step by step; nothing where nothing is, or it is damaged."""
        return self.run.transcripts.found(attempt.uuid if attempt is not None else "")


def _failure(planned: Planned, key: Key, formats: Formats, name: str) -> Failure:
    score = planned.score(key)
    about = {"run": name, "cell": key.cell, "task_id": key.task_id, "epoch": key.epoch}
    made = Failure(
        **about,
        domain=planned.suite.label(key.task_id).domain,
        value=score.value if isinstance(score, Scored) else None,
        counted=score is None or not unscorable(score),
    )
    if is_right(score):
        return made
    attempt = planned.attempts.get(key)
    told = planned.transcript(attempt)
    trail = Trail(told.steps, told.harness)
    found, opinion = _found(planned, key, trail, formats), planned.opinions.get(key)
    decided = _with_opinion(found, opinion) if opinion is not None and is_open(found.failure) else found
    return made.model_copy(
        update={
            **decided.model_dump(),
            "failed": made.counted,
            "by_rules": found.failure,
            "by_model": opinion.failure if opinion is not None else "",
            "timeouts": len(trail.timeouts) if told.steps else None,
            "failed_steps": trail.failed_steps if told.steps else None,
        }
    )


def _with_opinion(found: Finding, said: Opinion) -> Finding:
    """What a model said in place of a guess; the guess's own evidence where it showed none."""
    shown = {"step": said.step, "evidence": cut(said.quote)} if said.quote else {}
    return found.model_copy(update={"failure": said.failure, "basis": "model", "rule": said.model, **shown})


def _found(planned: Planned, key: Key, trail: Trail, formats: Formats) -> Finding:
    attempt = planned.attempts.get(key)
    case = Case(
        attempt=attempt,
        score=planned.score(key),
        trail=trail,
        search=None if attempt is None else search(planned.suite, attempt, trail.steps),
        outputs=frozenset(output.name for output in planned.suite.tasks[key.task_id].outputs),
        format=lambda: _accepted(planned, key) or formats.find(attempt, trail),
    )
    found = by_rules(case)
    if found is not None:
        return found
    guess = planned.estimates[key.cell].guess(key.task_id, planned.checks(key))
    last = trail.working[-1] if trail.working else None
    said = next(_last_texts(trail), "")
    return guess.model_copy(update={"step": last.index if last else None, "evidence": cut(said)})


def _accepted(planned: Planned, key: Key) -> Finding | None:
    """An answer that only the published rule refuses: what is wrong with it is its form."""
    if planned.mode == "reference" and is_right(planned.sound.get(key)):
        answer = planned.attempts[key].answer or ""
        return Finding(failure="format", rule="sound verdict", evidence=cut(answer))
    return None


def _last_texts(trail: Trail) -> Iterator[str]:
    """What was run last, and is likely to have made what was handed in."""
    for step in reversed(trail.working):
        for call in reversed(step.calls):
            if call.kind != "submit" and call.text.strip():
                yield call.text
