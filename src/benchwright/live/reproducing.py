"""Runs once more what a manifest describes: the same agent, settings and tasks, with what is installed here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchwright.errors import InputError
from benchwright.live.agents import ABOUT
from benchwright.live.opening import tools_here
from benchwright.live.planning import versions
from benchwright.live.progress import say
from benchwright.live.prompts import Prompts
from benchwright.live.runner import run
from benchwright.publishing.submission import Package, make
from benchwright.publishing.submission.records import Manifest
from benchwright.run import RunFolder, RunSpec
from benchwright.run.records import Setting
from benchwright.run.secrecy import HIDDEN
from benchwright.suite import Suite


@dataclass(frozen=True, slots=True)
class Again:
    """Where runs are made once more, and what a manifest does not hold: own prompts, keys, budgets.

    `given` are the settings that models are called with, `agent` the name of an agent that is not ours: whoever wrote
    the manifest does not decide whose code runs here, nor to which address keys are sent.
    """

    out: Path
    prompts: Path | None = None
    given: Mapping[str, Setting] = field(default_factory=dict)
    agent: str = ""
    budget_usd: float | None = None
    max_parallel: int | None = None


def rerun(manifest: Manifest, suite: Suite, again: Again) -> Package:
    """Make every attempt of the manifest's runs once more, and put them together as the manifest does.

    The same call goes on where it was interrupted. Errors: InputError where the suite is not the one that the manifest
    was made with, where prompts or secret settings are missing, or where attempts broke and are to be made again.
    """
    _same_data(suite, manifest.suite.digest, f"{manifest.suite.name} {manifest.suite.release}")
    folders = [_run(spec, suite, again, again.out / f"run-{n}") for n, spec in enumerate(manifest.runs, start=1)]
    return make(suite, folders, manifest.cell.id, manifest.epoch)


def rerun_run(folder: RunFolder, suite: Suite, again: Again) -> RunFolder:
    """Make every attempt of a run once more, in `again.out`. Errors: as of `rerun`."""
    _same_data(suite, folder.spec.suite_digest, folder.spec.suite)
    return _run(folder.spec, suite, again, again.out)


def _same_data(suite: Suite, digest: str, name: str) -> None:
    if suite.digest != digest:
        raise InputError(
            f"it was made with other questions or data than {suite.folder}",
            found=f"{suite.name} {suite.info.release} {suite.digest[:12]}",
            expected=f"{name} {digest[:12]}",
            hint="name the suite with --suite; predictions can be scored by another one with --rescore",
        )


def _confirmed(spec: RunSpec, again: Again) -> None:
    """Refuse what a stranger's manifest could do harm with, where the user has not said the same."""
    for cell in spec.cells:
        if cell.agent not in ABOUT and cell.agent != again.agent:
            raise InputError(
                f"the agent {cell.agent} is not one of ours: its code would run here",
                hint=f"read it, then confirm with --agent {cell.agent}",
            )
    wrong = sorted(
        name
        for name in {*spec.model_args, *again.given}
        if name not in spec.model_args
        or name not in again.given
        or (spec.model_args[name] != HIDDEN and str(spec.model_args[name]) != str(again.given[name]))
    )
    if wrong:
        told = ", ".join(f"{name}={value}" for name, value in sorted(spec.model_args.items())) or "none"
        raise InputError(
            "the settings of the model are to be confirmed: they may send keys to an address",
            found=f"not given, or otherwise: {', '.join(wrong)}",
            expected=told,
            hint="give each as -M NAME=VALUE; what stands as [secret] in no record but yours",
        )


def _run(spec: RunSpec, suite: Suite, again: Again, out: Path) -> RunFolder:
    prompts = Prompts(again.prompts)
    words = prompts.of(suite)
    if lacking := sorted(set(spec.own_prompts) - set(words.given)):
        raise InputError("the agents had prompts of their own", found=", ".join(lacking), hint="--prompts DIR")
    _confirmed(spec, again)
    resolved = spec.model_copy(
        update={
            "suite_folder": str(suite.folder.absolute()),
            "secret_args": {name: value for name, value in again.given.items() if spec.model_args[name] == HIDDEN},
            "prompts": words.digests(),
            "own_prompts": words.given,
            "versions": versions({cell.agent for cell in spec.cells}, spec.packages),
            "budget_usd": again.budget_usd,
            "budget_minutes": None,
            "max_parallel": again.max_parallel,
        }
    )
    RunFolder.refuse(out, resolved)
    tools_here(spec.packages, say)
    return run(resolved, out, prompts).folder
