"""Which writer a generation gets: templates, or a model with another one that judges."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright.cli.output import progress, shortened
from benchwright.errors import InputError

if TYPE_CHECKING:
    from benchwright.generation.executing import Machine
    from benchwright.generation.modelled import Decision
    from benchwright.generation.workflow import Writer
    from benchwright.skills.nodes import SkillNode
    from benchwright.spreading import Spread


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """Which models write and judge, and what all their calls may cost; `tops` are the skills with their steps.

    A draft begins from `steps` skills; a `spread` says who calls the models.
    Without `values` no value of the data is told to a model before programs run.
    """

    model: str = ""
    judge: str = ""
    same_judge: bool = False
    budget_usd: float | None = None
    prices: Path | None = None
    tops: tuple[SkillNode, ...] = ()
    steps: int = 5
    values: bool = True
    at_once: int = 1
    budget_tokens: int | None = None
    spread: Spread | None = None


def writer_of(name: str, choice: ModelChoice, machine: Machine, work: Path, held: ExitStack) -> Writer:
    """The writer; what it holds is closed with `held`. Errors: InputError where models are missing or not wanted."""
    if name == "model":
        return _model_writer(choice, machine, work, held)
    if choice.model or choice.judge or choice.budget_usd is not None or choice.budget_tokens is not None:
        found = "--model, --judge-model or a budget"
        raise InputError(f"the writer {name} asks no model", found=found, hint="give --writer model")
    from benchwright.generation.writers import writer_named

    return writer_named(name)


def _model_writer(choice: ModelChoice, machine: Machine, work: Path, held: ExitStack) -> Writer:
    if not choice.model:
        raise InputError("no model to write", expected="--model NAME", hint="or --writer template, which needs none")
    from benchwright.chat.asking import Limits
    from benchwright.cli.asking import asked_over
    from benchwright.generation.executing import Bench
    from benchwright.generation.modelled import Means, ModelWriter, Rules
    from benchwright.generation.modelled.compositions import by_hierarchy
    from benchwright.generation.modelled.lab import Sandboxed
    from benchwright.generation.trial import Tools
    from benchwright.scoring.workers import Worker

    limits = Limits(usd=choice.budget_usd, tokens=choice.budget_tokens)
    means = Means(
        model=held.enter_context(asked_over(choice.spread, choice.model, choice.prices, limits)),
        judge=held.enter_context(asked_over(choice.spread, choice.judge or choice.model, choice.prices, limits)),
        folder=work / "asked",
        lab=Sandboxed(Tools(held.enter_context(Bench(machine)), held.enter_context(Worker(None)))),
        compose=by_hierarchy(choice.tops, choice.steps),
        rules=Rules(same_judge=choice.same_judge, least_steps=min(3, choice.steps), values=choice.values),
        limits=limits,
        telling=_told,
        at_once=choice.at_once,
    )
    return held.enter_context(ModelWriter(means))


def _told(decision: Decision) -> None:
    """A decision on stderr: a draft takes a model many calls."""
    about = f" {decision.skill}" if decision.skill else ""
    why = f": {decision.reason}" if decision.reason else ""
    detail = shortened(" ".join(decision.detail.split())) if decision.outcome != "kept" else ""
    progress(f"{decision.draft} {decision.stage}{about}: {decision.outcome}{why}{f': {detail}' if detail else ''}")
