"""From what a user asks for to a resolved run specification; whatever is wrong with it is said before anything runs."""

from __future__ import annotations

import itertools
import math
import platform
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from benchwright import __version__
from benchwright.errors import InputError
from benchwright.files import canonical_json, sha256
from benchwright.live.agents import (
    OURS,
    agent_for,
    needs_model,
    needs_sandbox,
    settings_of,
    versions_of,
    wants_one_file,
)
from benchwright.live.agents.papers import limits_of, packages_of
from benchwright.live.agents.snippets import data_file
from benchwright.live.prompts import Prompts
from benchwright.live.sweeps import swept
from benchwright.live.usage import refuse_unpriced
from benchwright.run import Attempt, Cell, RunFolder, RunSpec
from benchwright.run.records import MAY_CHANGE, Packages, SandboxChoice, Setting
from benchwright.run.secrecy import HIDDEN
from benchwright.sandbox import wheelhouse
from benchwright.suite import Selection, Suite
from benchwright.task import Limits

_ENDINGS = ("answered", "gave_up", "limit", "broke")


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What `benchwright run` was asked for. `sweep` is settings of the model, each with the values to try.

    An agent of ours may bring its own preset, as `smolagents:dsbc-8`. `packages` None: as the preset has it.
    """

    agents: tuple[str, ...]
    models: tuple[str, ...] = ()
    preset: str = ""
    variants: tuple[str, ...] = ("",)
    sweep: tuple[str, ...] = ()
    model_roles: Mapping[str, str] = field(default_factory=dict)
    model_args: Mapping[str, Setting] = field(default_factory=dict)
    selection: Selection = field(default_factory=Selection)
    epochs: int = 1
    seed: int = 0
    limits: Mapping[str, float] = field(default_factory=dict)
    sandbox: SandboxChoice = "auto"
    packages: Packages | None = None
    tracing: Literal["auto", "fanotify", "strace", "off"] = "auto"
    budget_usd: float | None = None
    budget_minutes: float | None = None
    max_parallel: int | None = None
    calls_per_minute: float | None = None


def resolve(request: RunRequest, suite: Suite, prompts: Prompts) -> RunSpec:
    """The specification of a run; an InputError names what in the request cannot be."""
    words = prompts.of(suite)
    for name, preset in _played(request):
        agent_for(name, preset, words)
    cells = tuple(_cells(request, suite))
    packages = request.packages or packages_of(request.preset)
    _check(request, suite)
    _check_tasks(request, suite, words)
    return RunSpec(
        suite=suite.name,
        suite_folder=str(suite.folder.absolute()),
        suite_digest=suite.digest,
        cells=cells,
        model_roles=dict(request.model_roles),
        model_args=dict(request.model_args),
        subset=request.selection.subset,
        ids=request.selection.ids,
        limit=request.selection.limit,
        epochs=request.epochs,
        seed=request.seed,
        limits=dict(request.limits),
        cell_limits={cell.id: limits for cell in cells if (limits := limits_of(cell.agent, cell.preset))},
        sandbox=request.sandbox,
        packages=packages,
        tracing=request.tracing,
        budget_usd=request.budget_usd,
        budget_minutes=request.budget_minutes,
        max_parallel=request.max_parallel,
        calls_per_minute=request.calls_per_minute,
        prompts=words.digests(),
        own_prompts=words.given,
        versions=versions({cell.agent for cell in cells}, packages),
    )


def again(run: RunFolder, only: str, raised: float, secrets: Mapping[str, Setting] | None = None) -> RunSpec:
    """The attempts of an earlier run that ended so (`limit`, `limit:wall`, `gave_up`, `broke:agent`...), once more,
    with every limit multiplied by `raised`; `secrets` are its secret arguments of models, which are not in its record.
    """
    given = dict(secrets or {})
    if not 0 < raised < math.inf:
        raise InputError(
            f"limits cannot be multiplied by {raised:g}", expected="--raise with a number above 0, e.g. 2x"
        )
    if unknown := sorted(name for name in given if run.spec.model_args.get(name) != HIDDEN):
        raise InputError(f"-M {unknown[0]}: not a secret argument of the run in {run.path}", hint="leave it out")
    kind, _, detail = only.partition(":")
    if kind not in _ENDINGS:
        raise InputError(f"no ending {only!r}", expected=", ".join(_ENDINGS) + ", or e.g. limit:wall, broke:model")
    found = [str(key) for key, attempt in run.attempts().items() if ended(attempt, kind, detail)]
    if not found:
        raise InputError(f"no attempt of {run.path} ended so", found=only)
    changed = {
        "only": tuple(sorted(found)),
        "raised": run.spec.raised * raised,
        "versions": versions({cell.agent for cell in run.spec.cells}, run.spec.packages),
    }
    changed["secret_args"] = given
    return run.spec.model_copy(update=changed)


def ended(attempt: Attempt, kind: str, detail: str) -> bool:
    """Whether an attempt ended in this way; an empty detail stands for any."""
    ending = attempt.ending
    named = getattr(ending, "which", None) or getattr(ending, "fault", None)
    return ending.kind == kind and detail in ("", named)


def versions(agents: Iterable[str] = (), packages: Packages = "none") -> dict[str, str]:
    """What a run stands on, its agents' programs among it: another version of any of these is another run."""
    python = ".".join(platform.python_version_tuple()[:2])
    ours = {"benchwright": __version__, "inspect_ai": version("inspect_ai"), "python": python}
    if packages == "wheelhouse":
        ours["wheelhouse"] = wheelhouse.version()
    return ours | {name: told for agent in sorted(agents) for name, told in versions_of(agent).items()}


def default_folder(spec: RunSpec) -> Path:
    """Where a run goes that was given no folder: the same command finds the same one, and so resumes."""
    plain = spec.model_dump(mode="json", exclude=set(MAY_CHANGE))
    agents = "-".join(dict.fromkeys(cell.agent.rpartition("@")[2].replace("/", "-") for cell in spec.cells))
    return Path("runs") / f"{spec.suite}-{agents[:60]}-{sha256(canonical_json(plain))[:8]}"


def _played(request: RunRequest) -> tuple[tuple[str, str], ...]:
    """The agents, each with its preset: its own (`smolagents:dsbc-8`), else that of all agents that talk to a model."""
    found = []
    for text in request.agents:
        name, _, own = text.partition(":")
        found.append((name, own) if own and name in OURS else (text, request.preset if needs_model(text) else ""))
    return tuple(found)


def _cells(request: RunRequest, suite: Suite) -> Iterator[Cell]:
    for (agent, preset), variant in itertools.product(_played(request), request.variants or ("",)):
        talks = needs_model(agent)
        if talks and not request.models:
            raise InputError(f"agent {agent} needs a model", hint="--model PROVIDER/NAME, as Inspect spells it")
        for model, settings in itertools.product(request.models, swept(request.sweep)) if talks else (("", {}),):
            yield Cell(
                agent=agent,
                preset=preset,
                model=model,
                variant=variant,
                generation={**settings_of(agent, preset), **settings},
                suite_digest=suite.digest,
            )


def _check(request: RunRequest, suite: Suite) -> None:
    if not request.agents:
        raise InputError(
            "--agent names no agent", expected=f"some of {', '.join(OURS)}", hint="benchwright agents list"
        )
    for what, names in (("agents", request.agents), ("models", request.models), ("variants", request.variants)):
        if repeated := sorted({name for name in names if names.count(name) > 1}):
            raise InputError(f"the same twice among the {what}", found=", ".join(repeated), expected="each once")
    played = {name for name, _ in _played(request)}
    talking = any(map(needs_model, played))
    if request.models and not talking:
        raise InputError(f"no agent here talks to a model: {', '.join(request.agents)}", hint="leave out --model")
    given = (("--preset", request.preset), ("--sweep", " ".join(request.sweep)), ("-M", ", ".join(request.model_args)))
    for option, value in given:
        if value and not talking:
            raise InputError(f"no agent here talks to a model: {option} has no meaning", found=f"{option} {value}")
    if "oracle" in played and not suite.has_gold:
        raise InputError(f"suite {suite.name} holds no gold, and agent oracle runs its reference solutions")
    _check_amounts(request)
    if request.budget_usd is not None:
        refuse_unpriced((*request.models, *request.model_roles.values()), f"a budget of ${request.budget_usd:g}")
    stated = [task.limits.cost_usd for task in suite.select(request.selection)]
    limit = request.limits.get("cost_usd") or next((cost for cost in stated if cost is not None), None)
    if limit is not None:
        refuse_unpriced(request.models, f"an attempt's limit of ${limit:g}")


def _check_amounts(request: RunRequest) -> None:
    """Limits and budgets are amounts that can be kept, whatever the tasks state."""
    if unknown := sorted(set(request.limits) - set(Limits.model_fields)):
        raise InputError(f"no limit {unknown[0]!r}", expected=", ".join(Limits.model_fields))
    try:
        Limits.model_validate(dict(request.limits))
    except ValidationError as error:
        name = str(error.errors()[0]["loc"][0])
        whole = "int" in str(Limits.model_fields[name].annotation)
        raise InputError(
            f"no such limit: {name} of {request.limits[name]:g}",
            expected=f"a {'whole ' if whole else ''}number above 0",
            hint="leave it out, to keep what the tasks state",
        ) from error
    for option, amount in (
        ("--budget-usd", request.budget_usd),
        ("--budget-minutes", request.budget_minutes),
        ("--calls-per-minute", request.calls_per_minute),
    ):
        if amount is not None and not 0 < amount < math.inf:
            raise InputError(
                f"{option} cannot be {amount:g}", expected="a number above 0", hint="no limit: leave it out"
            )


def _check_tasks(request: RunRequest, suite: Suite, prompts: Prompts) -> None:
    """Every chosen task can be put into words, and its rooms are here where an agent works in them."""
    names = {name for name, _ in _played(request)}
    if suite.has_gold and not suite.golds:  # read here: a bad line is found before anything is spent
        raise InputError(f"the gold of suite {suite.name} is empty", hint=f"see {suite.folder / 'gold' / 'gold.jsonl'}")
    chosen = suite.select(request.selection)
    if not chosen:
        raise InputError(f"no task of suite {suite.name} is chosen", found=f"subset {request.selection.subset}")
    for task, variant in itertools.product(chosen, request.variants or ("",)):
        prompts.task(task, variant)
    rooms = {mount.room for task in chosen for mount in task.data if any(map(needs_sandbox, names))}
    if away := sorted(room for room in rooms if not suite.room_path(room).is_dir()):
        raise InputError(
            f"{len(away)} of the rooms that these tasks need are not on this machine",
            found=", ".join(away[:5]),
            expected=f"folders such as {suite.room_path(away[0])}",
            hint=f"benchwright suites fetch {suite.name}, or choose tasks by --ids or --subset",
        )
    if any(wants_one_file(agent, preset) for agent, preset in _played(request)):
        for task in chosen:
            data_file(task, suite)
