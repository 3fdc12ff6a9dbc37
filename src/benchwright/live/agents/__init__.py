"""Agents by name: ours, those of any package that Inspect knows, and those in a file of the user's own."""

from __future__ import annotations

import importlib.util
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path

from inspect_ai.agent import Agent
from inspect_ai.util import registry_create

from benchwright.baselines import BASELINES
from benchwright.errors import InputError
from benchwright.live.agents import da_agent, programs, react, smolagents
from benchwright.live.agents.baselines import baseline
from benchwright.live.agents.command import command
from benchwright.live.agents.oracle import oracle
from benchwright.live.agents.papers import PAPERS, own_preset
from benchwright.live.agents.settings import DSBC
from benchwright.live.agents.snippets import APPROACHES
from benchwright.live.prompts import Prompts
from benchwright.run.records import Setting

ABOUT = {
    "react": "a model in a loop with a shell, a Python and submit",
    "da_agent": "AgenticDataBench's data-science agent: text actions Bash, Python, SQL, Terminate and a short memory",
    "single_code": "DSBC: one reply with one program, from a description of the data file",
    "multi_code": "DSBC: one reply with two or three snippets, run one by one",
    "smolagents": "smolagents' CodeAgent with its code run in the sandbox (pip install 'benchwright[smolagents]')",
    **programs.ABOUT,
    "oracle": "runs the reference solution; the only agent that may read the gold",
    "explorer": "searches names, headers and values for the question's words, and computes simple aggregates",
    "know_nothing": "answers from the question's text and common values, without reading any data",
    "constant": "the same answer to everything",
    "random": "values of the kinds that the guideline asks for, drawn by lot",
}
"""Our agents by name, each with what it does."""

TALKING: Mapping[str, Callable[[Prompts, str], Agent]] = {
    "react": react.react,
    "da_agent": da_agent.da_agent,
    **APPROACHES,
    "smolagents": smolagents.smolagents,
}
"""Our agents that talk to a model: each made of the prompts and a preset."""

OURS = ("oracle", *BASELINES, *TALKING)
FOREIGN = "package/agent of an installed package, file.py@function, or command@FILE.toml for any program"


def needs_model(name: str) -> bool:
    """Whether an agent talks to a model; of agents that are not ours it is assumed."""
    return name in TALKING or name not in OURS


def settings_of(name: str, preset: str = "") -> Mapping[str, Setting]:
    """Settings of the model that an agent's protocol or the run's preset fixes, where a run sets no others."""
    if preset in PAPERS and needs_model(name):
        return PAPERS[preset].generation
    return DSBC if name in APPROACHES or (name == "smolagents" and preset.startswith("dsbc")) else {}


def wants_one_file(name: str, preset: str) -> bool:
    """Whether an agent is told where a task's one data file is, and so needs tasks about one."""
    return name in APPROACHES or (name == "smolagents" and not smolagents.PRESETS[own_preset(name, preset)].context)


def versions_of(name: str) -> Mapping[str, str]:
    """The versions of others' code that a run with this agent stands on."""
    return {name: smolagents.library_version()} if name == "smolagents" else programs.versions_of(name)


def needs_sandbox(name: str) -> bool:
    """Whether an agent runs anything in its sandbox."""
    return name not in BASELINES or BASELINES[name].needs_sandbox


def agent_for(name: str, preset: str, prompts: Prompts) -> Agent:
    """The agent of that name: one of ours, `package/agent` of Inspect's registry, or `file.py@function`."""
    preset = own_preset(name, preset)
    if name in TALKING:
        return TALKING[name](prompts, preset)
    if preset:
        raise InputError(f"agent {name} has no preset {preset!r}", expected=f"none, or a paper's: {', '.join(PAPERS)}")
    if programs.is_program(name):
        return command(programs.harness_of(name), prompts)
    if name == "oracle":
        return oracle()
    if name in BASELINES:
        return baseline(name)
    return _foreign(name)


def _foreign(name: str) -> Agent:
    path, at, function = name.rpartition("@")
    if at and path.endswith(".py"):
        return _from_file(Path(path), function)
    try:
        agent = registry_create("agent", name)
    except (LookupError, ValueError) as error:
        raise InputError(
            f"no agent {name!r}",
            found=str(error),
            expected=f"one of {', '.join(ABOUT)}; {FOREIGN}",
            hint="benchwright agents list",
        ) from error
    assert isinstance(agent, Agent)
    return agent


def _from_file(path: Path, function: str) -> Agent:
    """The agent that a function of the user's file makes; InputError where there is none, or the file's code fails."""
    if not path.is_file():
        raise InputError(f"no such agent file: {path}")
    spec = importlib.util.spec_from_file_location(f"benchwright_agent_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        make: Callable[[], Agent] | None = getattr(module, function, None)
        agent = None if make is None else make()
    except Exception as error:  # the user's own program may fail in any way
        raise InputError(f"{path} makes no agent", found=_told(error, path), hint=f"python {path} says more") from error
    if not isinstance(agent, Agent):
        found = "no such name" if make is None else f"it returns {type(agent).__name__}"
        raise InputError(f"{path} defines no agent {function!r}", found=found, expected="a function under @agent")
    return agent


def _told(error: Exception, path: Path) -> str:
    """What is wrong with a program, and the last of its own lines that had a part in it."""
    if isinstance(error, SyntaxError):
        return f"{error.msg}, line {error.lineno}"
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == str(path)]
    return f"{type(error).__name__}: {error}" + (f", line {lines[-1]}" if lines else "")
