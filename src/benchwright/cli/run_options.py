"""What `run` and `plan` are asked for, in options that both have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchwright.errors import InputError

if TYPE_CHECKING:
    from benchwright.live.planning import RunRequest


class SandboxKind(StrEnum):
    """Which sandbox attempts get."""

    AUTO = "auto"
    NAMESPACE = "namespace"
    PODMAN = "podman"
    DOCKER = "docker"


class PackagesKind(StrEnum):
    """What agents may install."""

    NONE = "none"
    WHEELHOUSE = "wheelhouse"


Agents = Annotated[str, typer.Option("--agent", help="Agents, split at commas; AGENT:PRESET for one's own preset.")]
Models = Annotated[str, typer.Option("--model", help="Models by Inspect's names, split at commas.")]
Roles = Annotated[list[str] | None, typer.Option("--model-role", help="ROLE=MODEL, e.g. judge=openai/gpt-5.")]
Arguments = Annotated[list[str] | None, typer.Option("-M", help="NAME=VALUE, handed to the model.")]
Preset = Annotated[str, typer.Option(help="A preset of the agent.")]
Variants = Annotated[str, typer.Option(help="Wordings of the questions, split at commas.")]
Sweep = Annotated[list[str] | None, typer.Option(help="Settings to try, e.g. temperature=0:1:0.1.")]
Subset = Annotated[str, typer.Option(help="full, hard, or another subset of the suite.")]
Limit = Annotated[int | None, typer.Option(min=1, help="At most so many tasks.")]
Ids = Annotated[str | None, typer.Option(help="Only these tasks, split at commas.")]
Epochs = Annotated[int, typer.Option(min=1, help="How often each task is attempted.")]
Seed = Annotated[int, typer.Option(help="For agents that draw lots.")]
TaskLimits = Annotated[
    list[str] | None, typer.Option("--task-limit", help="NAME=VALUE, for every task, e.g. memory_mb=2048.")
]
OwnPrompts = Annotated[Path | None, typer.Option("--prompts", help="A folder of prompts that replace ours.")]
Prices = Annotated[Path | None, typer.Option(help="A file of prices, over those that are known.")]
Sandbox = Annotated[SandboxKind, typer.Option(help="The kind of sandbox.")]
Packages = Annotated[
    PackagesKind | None, typer.Option(help="What agents may install; default: none, unless the preset says so.")
]
Parallel = Annotated[int | None, typer.Option(min=1, help="Attempts at once, on all machines together.")]
Rate = Annotated[float | None, typer.Option(min=0.0, help="Calls of models a minute, on all machines together.")]
Dollars = Annotated[float | None, typer.Option(min=0.0, help="Dollars that the whole run may cost.")]
Minutes = Annotated[float | None, typer.Option(min=0.0, help="Minutes that the whole run may take.")]


@dataclass(frozen=True, slots=True)
class Asked:
    """The options as they were given."""

    agent: str = ""
    model: str = ""
    model_role: list[str] | None = None
    model_arg: list[str] | None = None
    preset: str = ""
    variants: str = ""
    sweep: list[str] | None = None
    subset: str = "full"
    limit: int | None = None
    ids: str | None = None
    epochs: int = 1
    seed: int = 0
    task_limit: list[str] | None = None
    sandbox: SandboxKind = SandboxKind.AUTO
    packages: PackagesKind | None = None
    max_parallel: int | None = None
    calls_per_minute: float | None = None
    budget_usd: float | None = None
    budget_minutes: float | None = None

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Asked:
        """These of all the parameters of a command, which may have others."""
        return cls(**{name: given[name] for name in cls.__dataclass_fields__})

    def request(self) -> RunRequest:
        """The run that they ask for. Errors: InputError where one cannot be read."""
        from benchwright.live.planning import RunRequest
        from benchwright.suite import Selection

        return RunRequest(
            agents=_names(self.agent),
            models=_names(self.model),
            preset=self.preset,
            variants=_names(self.variants) or ("",),
            sweep=tuple(self.sweep or ()),
            model_roles=_pairs(self.model_role, "--model-role"),
            model_args=_pairs(self.model_arg, "-M"),
            selection=Selection(self.subset, _chosen(self.ids), self.limit),
            epochs=self.epochs,
            seed=self.seed,
            limits=_numbers(self.task_limit),
            sandbox=self.sandbox.value,
            packages=self.packages.value if self.packages else None,
            budget_usd=self.budget_usd,
            budget_minutes=self.budget_minutes,
            max_parallel=self.max_parallel,
            calls_per_minute=self.calls_per_minute,
        )

    def secrets(self) -> Mapping[str, Any]:
        """The arguments of models alone, as they are given again where no record holds them."""
        return _pairs(self.model_arg, "-M")

    def besides(self, *names: str) -> tuple[str, ...]:
        """The options that were given, but for these."""
        plain = Asked()
        given = [name for name in Asked.__dataclass_fields__ if getattr(self, name) != getattr(plain, name)]
        return tuple(f"--{name.replace('_', '-')}" for name in given if name not in names)


def _chosen(ids: str | None) -> tuple[str, ...]:
    """The tasks of `--ids`; an empty list, of a shell variable that is not set, is not every task."""
    names = _names(ids or "")
    if ids is not None and not names:
        raise InputError("--ids names no task", found=repr(ids), hint="leave it out to take every task")
    return names


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _pairs(texts: list[str] | None, option: str) -> dict[str, Any]:
    pairs = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise InputError(f"{option} takes NAME=VALUE", found=text or "nothing")
        pairs[name] = value
    return pairs


def _numbers(texts: list[str] | None) -> dict[str, float]:
    found = {}
    for name, value in _pairs(texts, "--task-limit").items():
        try:
            found[name] = float(value)
        except ValueError as error:
            raise InputError(
                "--task-limit takes NAME=NUMBER", found=f"{name}={value}", hint="e.g. memory_mb=2048"
            ) from error
    return found
