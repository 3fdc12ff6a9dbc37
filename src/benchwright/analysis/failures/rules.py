"""The rules that decide an attempt's class, in their order: the first that fits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from benchwright.analysis.discovery import Search
from benchwright.analysis.failures.record import Finding
from benchwright.analysis.failures.trail import Trail, cut, message_of
from benchwright.errors import Fault
from benchwright.run import Attempt
from benchwright.score import Score, Scored, Unscored, unscorable
from benchwright.trajectory import Broke, LimitHit

_LIMITS = {
    "step": "step_timeout",
    **dict.fromkeys(("wall", "time", "messages", "turns", "tokens", "cost", "budget"), "global_limit"),
}
"""Limits on the time of one call, on all of an attempt, and, all others, on what it may take of the machine."""
_BLAMED = {Fault.SUITE: "suite", Fault.MODEL: "environment", Fault.SANDBOX: "environment", Fault.SCORER: "scorer"}


@dataclass(frozen=True)
class Case:
    """A planned attempt that is not right, and all that rules look at.

    `attempt` is None where none was made, `search` where it is not known what was sought or opened. `outputs` are the
    names of the files that were asked for. `format` finds right answers in the wrong format; it is asked only where
    the rules before it do not fit.
    """

    attempt: Attempt | None
    score: Score | None
    trail: Trail
    search: Search | None
    outputs: frozenset[str]
    format: Callable[[], Finding | None]

    @cached_property
    def handed_in(self) -> bool:
        """Whether the attempt handed in anything that was asked for; its scripts and notes are nothing of the kind."""
        made = self.attempt
        return made is not None and bool((made.answer or "").strip() or self.outputs.intersection(made.files))


def by_rules(case: Case) -> Finding | None:
    """The first rule's finding; None where no rule fits: the work itself is wrong."""
    return next((found for rule in RULES if (found := rule(case)) is not None), None)


def _fault_of_others(case: Case) -> Finding | None:
    """The suite, the machine, the model's server or the scorer: nothing is said of the agent."""
    if case.score is not None and unscorable(case.score):
        return Finding(failure="suite", rule="no gold")
    if case.attempt is None:
        return Finding(failure="not_run", rule="no attempt")
    ending = case.attempt.ending
    if isinstance(ending, Broke) and ending.fault in _BLAMED:
        return Finding(failure=_BLAMED[ending.fault], rule=f"broke:{ending.fault}", evidence=cut(ending.detail))
    if case.score is None or isinstance(case.score, Unscored):
        reason = "" if case.score is None else case.score.reason.partition(":")[0]
        return Finding(failure="scorer", rule="no verdict", evidence=cut(reason))
    return None


def _limit(case: Case) -> Finding | None:
    ending = case.attempt.ending if case.attempt else None
    if not isinstance(ending, LimitHit):
        return None
    name = _LIMITS.get(ending.which, "resource_limit")
    last = case.trail.steps[-1].index if case.trail.steps else None
    return Finding(failure=name, rule=f"limit:{ending.which}", step=last, evidence=cut(ending.detail))


def _crash(case: Case) -> Finding | None:
    ending = case.attempt.ending if case.attempt else None
    if not isinstance(ending, Broke):
        return None
    return Finding(failure="crash", rule=f"broke:{ending.fault}", evidence=cut(ending.detail))


def _format(case: Case) -> Finding | None:
    return case.format()


def _step_timeout(case: Case) -> Finding | None:
    """Time limits of calls were at least half of the errors that no successful step came after."""
    tail = case.trail.unrepaired
    ended = [(step, call) for step, call in tail if case.trail.timed_out(call)]
    if not ended or 2 * len(ended) < len(tail):
        return None
    step, call = ended[-1]
    return Finding(failure="step_timeout", rule="timed out", step=step, evidence=cut(call.text))


def _self_repair(case: Case) -> Finding | None:
    """Two errors in a row or more that no successful step came after; one, where nothing was handed in."""
    tail = case.trail.unrepaired
    if len(tail) >= 2 or (tail and not case.handed_in):
        step, call = tail[-1]
        return Finding(failure="self_repair", rule="unrepaired error", step=step, evidence=message_of(call))
    if case.trail.unread and not case.handed_in:
        last = case.trail.unread[-1]
        return Finding(failure="self_repair", rule="unread replies", step=last.index, evidence=cut(last.text))
    return None


def _never_found(case: Case) -> Finding | None:
    """A required file was not opened, nor one of its content, and was never shown to the agent."""
    if case.search is None:
        return None
    missing = [item for item in case.search.missing if item.listed is None]
    if not missing:
        return None
    near = [read.access for item in missing for read in item.instead]
    opened = near or [read.access for read in case.search.wasted]
    step = opened[0].step if opened else None
    return Finding(
        failure="never_found",
        rule="near miss" if near else f"{case.search.basis} reads",
        step=step,
        evidence=cut("opened " + ", ".join(access.path for access in opened)) if opened else "opened nothing else",
    )


def _found_unused(case: Case) -> Finding | None:
    """A required file was shown to the agent, and neither it nor one of its content was opened."""
    if case.search is None or not case.search.missing:
        return None
    shown = case.search.missing[0].listed
    step = shown.step if shown else None
    return Finding(failure="found_unused", rule=f"{case.search.basis} reads", step=step, evidence=_shown(case, step))


def _shown(case: Case, step: int | None) -> str:
    """What was run in a step, which showed the file."""
    told: Iterator[str] = (call.text for made in case.trail.steps if made.index == step for call in made.calls)
    return cut(next(told, ""))


def _no_answer(case: Case) -> Finding | None:
    if case.handed_in:
        return None
    last = case.trail.steps[-1] if case.trail.steps else None
    said = cut(last.text) if last else ""
    return Finding(failure="no_answer", rule="nothing handed in", step=last.index if last else None, evidence=said)


RULES: Sequence[Callable[[Case], Finding | None]] = (
    _fault_of_others,
    _limit,
    _crash,
    _format,
    _step_timeout,
    _self_repair,
    _never_found,
    _found_unused,
    _no_answer,
)


def is_right(score: Score | None) -> bool:
    """Whether a verdict leaves nothing to explain."""
    return isinstance(score, Scored) and score.value == 1.0
