"""Suites as Inspect tasks: samples without their gold, our sandbox, an agent, and the scorers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from inspect_ai import Task as InspectTask
from inspect_ai import task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig, Model, get_model
from inspect_ai.util import SandboxEnvironmentSpec

from benchwright import suites
from benchwright.errors import InputError
from benchwright.live.agents import agent_for, needs_model, settings_of
from benchwright.live.agents.papers import limits_of
from benchwright.live.agents.programs import folders_of
from benchwright.live.carrying import carry_out
from benchwright.live.machine import MachineConfig
from benchwright.live.models import model_of
from benchwright.live.prompts import Prompts
from benchwright.live.provider import NAME
from benchwright.live.scorers import discovery, reference, sound
from benchwright.live.session import current
from benchwright.live.suites import suite_at
from benchwright.live.usage import refuse_unpriced
from benchwright.run import Cell, RunSpec
from benchwright.run.limits import overrides
from benchwright.run.records import SandboxChoice
from benchwright.suite import Suite
from benchwright.task import Task


@dataclass(frozen=True, slots=True)
class Play:
    """How one cell plays a suite."""

    suite: Suite
    cell: Cell
    spec: RunSpec
    prompts: Prompts = field(default_factory=Prompts)
    any_solver: bool = False
    """Whether solvers that are not ours make the attempts, and scorers take out what they leave."""

    def sample(self, task_id: str, epoch: int | None) -> Sample:
        """One attempt to be made; an epoch of None leaves counting the epochs to Inspect.

        Holds nothing of the gold: scorers look it up by the task's id.
        """
        stated = self.suite.tasks[task_id]
        return Sample(
            id=task_id if epoch is None or self.spec.epochs == 1 else f"{task_id}@{epoch}",
            input=self.prompts.task(stated, self.cell.variant),
            metadata={
                "suite": str(self.suite.folder),
                "task_id": task_id,
                "epoch": epoch,
                "variant": self.cell.variant,
                "seed": self.spec.seed,
                "raised": self.spec.raised,
                **({"any_solver": True} if self.any_solver else {}),
                "domain": self.suite.label(task_id).domain,
                "difficulty": self.suite.label(task_id).difficulty,
            },
            sandbox=SandboxEnvironmentSpec(NAME, self._machine(stated)),
        )

    def _machine(self, stated: Task) -> MachineConfig:
        return MachineConfig(
            suite=str(self.suite.folder),
            task_id=stated.id,
            choice=self.spec.sandbox,
            tracing=self.spec.tracing,
            limits=tuple(sorted(overrides(self.spec, self.cell).items())),
            raised=self.spec.raised,
            programs=tuple(map(str, folders_of(self.cell.agent))),
            packages=self.spec.packages,
        )

    def task(self, samples: Iterable[Sample], model: Model | None = None) -> InspectTask:
        """The Inspect task of these attempts."""
        return InspectTask(
            dataset=MemoryDataset(list(samples), name=self.suite.name),
            solver=carry_out(agent_for(self.cell.agent, self.cell.preset, self.prompts)),
            scorer=[reference(), sound(), discovery()] if self.suite.has_gold else None,
            model=model,
            config=GenerateConfig.model_validate(self.cell.generation),
            metadata={"cell": self.cell.id, **self.cell.model_dump(mode="json")},
            fail_on_error=False,
            continue_on_fail=True,
            name=f"{self.suite.name}-{self.cell.agent.replace('/', '-')}",
        )


@task
def cell(cell: str, sitting: str) -> InspectTask:
    """The attempts that one cell of the run under way has to make in this evaluation.

    Identity for Inspect is (cell, sitting), so that no log of an earlier sitting is taken for this one's: which
    attempts are done is in the run's own journal.
    """
    session = current()
    if session is None:
        raise InputError(
            "this task runs inside `benchwright run` only", hint="inspect eval benchwright/suite -T suite=..."
        )
    spec = session.folder.spec
    played = session.cell(cell)
    play = Play(suite_at(spec.suite_folder), played, spec, session.prompts)
    samples = [play.sample(key.task_id, key.epoch) for key in session.due[cell]]
    return play.task(samples, model_of(played, spec))


@task
def suite(
    suite: str,
    agent: str = "react",
    preset: str = "",
    variant: str = "",
    subset: str = "full",
    sandbox: SandboxChoice = "auto",
) -> InspectTask:
    """Any suite by its folder or name: `inspect eval benchwright/suite -T suite=... -T agent=...`.

    Inspect's own --limit, --sample-id and --epochs choose among the attempts.
    """
    opened = suites.find(suite)
    _refuse_limits_in_dollars(opened, agent, subset)
    played = Cell(
        agent=agent,
        preset=preset,
        variant=variant,
        generation=dict(settings_of(agent, preset)),
        suite_digest=opened.digest,
    )
    spec = RunSpec(
        suite=opened.name,
        suite_folder=str(opened.folder),
        suite_digest=opened.digest,
        cells=(played,),
        cell_limits={played.id: limits_of(agent, preset)},
        sandbox=sandbox,
    )
    play = Play(opened, played, spec, Prompts().of(opened))
    return play.task(play.sample(task_id, None) for task_id in opened.subset(subset))


def _refuse_limits_in_dollars(suite: Suite, agent: str, subset: str) -> None:
    """A task's limit in dollars needs a known price of the model that Inspect was given."""
    limits = [suite.tasks[task_id].limits.cost_usd for task_id in suite.subset(subset)]
    if needs_model(agent) and any(limit is not None for limit in limits):
        most = max(limit for limit in limits if limit is not None)
        refuse_unpriced((str(get_model()),), f"an attempt's limit of ${most:g}")


@task
def lake(agent: str = "react", preset: str = "", subset: str = "full", sandbox: SandboxChoice = "auto") -> InspectTask:
    """The built-in suite `lake`."""
    return suite("lake", agent, preset, "", subset, sandbox)


@task
def coda_bench(
    agent: str = "react", preset: str = "", subset: str = "full", sandbox: SandboxChoice = "auto"
) -> InspectTask:
    """CoDA-Bench, as `benchwright suites build coda_bench` has laid it down."""
    return suite("coda_bench", agent, preset, "", subset, sandbox)
