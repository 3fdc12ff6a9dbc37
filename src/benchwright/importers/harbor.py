"""Harbor's job folders: a trial's result, the ATIF trajectory of its agent, and the files that were handed in."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from benchwright.errors import Fault
from benchwright.importers.atif import Atif
from benchwright.importers.base import regular_files
from benchwright.importers.log_file import LogFile
from benchwright.importers.values import dollars, mapping, moment, text, tokens
from benchwright.trajectory import Answered, Broke, Ending, LimitHit, Trajectory, Usage

_RESULT = "result.json"
_HANDED_IN = ("artifacts", "workspace")
_AFTERWARDS = ("Verifier", "Reward", "AddTestsDir", "DownloadVerifierDir")
"""How errors begin that happened when the agent had done its work."""
_LIMITS = {"AgentTimeout": "wall", "MemoryLimitExceeded": "memory", "SandboxLikelyOutOfMemory": "memory"}
_MODELS = ("Api", "API", "Authentication", "AgentAuthentication", "ModelNotFound", "MissingModelCredential", "Network")
_MACHINES = ("Environment", "AgentSetup", "Healthcheck", "Image", "Sandbox", "Compose", "Runtime", "Transfer", "GKE")


class Harbor:
    """Reads trials of Harbor, each by its `result.json`."""

    name = "harbor"
    keeps_folder = True

    def find(self, folder: Path) -> Iterator[Path]:
        """The results of the trials in a folder of jobs; those of whole jobs are none."""
        for parent, folders, names in os.walk(folder):
            folders.sort()
            path = Path(parent, _RESULT)
            if _RESULT in names and not path.is_symlink() and _result(LogFile(path)):
                folders.clear()
                yield path

    def parse(self, path: Path) -> tuple[Trajectory, ...]:
        """See `Importer.parse`."""
        log = LogFile(path)
        result = _result(log)
        if not result:
            return ()
        told = _told(path.parent / "agent" / "trajectory.json")
        return (_of_trial(told, result, (*told.notes, *log.notes, *_rewards(result))),)

    def handed_in(self, path: Path) -> Mapping[str, Path]:
        """The files of the workspace that Harbor carried out of the agent's machine, by name; links are none."""
        folder = path.parent
        for name in _HANDED_IN:
            folder /= name
            if folder.is_symlink() or not folder.is_dir():
                return {}
        return regular_files(folder)


def _result(log: LogFile) -> Mapping[str, Any]:
    """A trial's result; empty for anything else, such as a whole job's."""
    return next((found for found in map(mapping, log.values()) if text(found.get("trial_name"))), {})


def _told(path: Path) -> Trajectory:
    """What the agent's trajectory tells; nothing where it left none."""
    if path.is_symlink() or not path.is_file():
        return Trajectory(notes=("the agent left no trajectory",))
    found = Atif().parse(path)
    return found[0] if found else Trajectory(notes=("the agent's trajectory cannot be read",))


def _of_trial(told: Trajectory, result: Mapping[str, Any], notes: tuple[str, ...]) -> Trajectory:
    agent, spent = mapping(result.get("agent_info")), mapping(result.get("agent_result"))
    work = mapping(result.get("agent_execution"))
    model = mapping(agent.get("model_info"))
    names = [text(model.get("provider")), text(model.get("name"))]
    configured = text(mapping(mapping(result.get("config")).get("agent")).get("model_name"))
    usage = _usage(spent)
    return told.model_copy(
        update={
            "session": _task(result),
            "harness": text(agent.get("name")) or told.harness or "harbor",
            "harness_version": text(agent.get("version")) or told.harness_version,
            "model": configured or "/".join(filter(None, names)) or told.model,
            "usage": usage if usage is not None else told.usage,
            "logged_cost_usd": dollars(spent.get("cost_usd")) or told.logged_cost_usd,
            "started": moment(work.get("started_at")) or told.started,
            "ended": moment(work.get("finished_at")) or told.ended,
            "ending": _ending(mapping(result.get("exception_info"))),
            "notes": tuple(dict.fromkeys(notes)),
        }
    )


def _task(result: Mapping[str, Any]) -> str:
    """The task's id: the name of its folder, as our export has it."""
    path = text(mapping(result.get("task_id")).get("path")) or text(result.get("task_name"))
    return PurePosixPath(path.replace("\\", "/")).name


def _usage(spent: Mapping[str, Any]) -> Usage | None:
    """The tokens that Harbor counted, where it did; its input counts hold those from a cache."""
    if spent.get("n_input_tokens") is None and spent.get("n_output_tokens") is None:
        return None
    cached = tokens(spent.get("n_cache_tokens"))
    return Usage(
        input_tokens=max(0, tokens(spent.get("n_input_tokens")) - cached),
        output_tokens=tokens(spent.get("n_output_tokens")),
        cache_read_tokens=cached,
    )


def _ending(error: Mapping[str, Any]) -> Ending:
    """How the agent ended: what failed after its work is no ending of the attempt."""
    kind, detail = text(error.get("exception_type")), text(error.get("exception_message"))[:2000]
    if not kind or kind.startswith(_AFTERWARDS):
        return Answered()
    limit = next((which for name, which in _LIMITS.items() if kind.startswith(name)), "")
    if limit:
        return LimitHit(which=limit, detail=detail)
    faults = ((_MODELS, Fault.MODEL), (_MACHINES, Fault.SANDBOX))
    fault = next((fault for names, fault in faults if kind.startswith(names)), Fault.AGENT)
    return Broke(fault=fault, detail=f"{kind}: {detail}")


def _rewards(result: Mapping[str, Any]) -> Iterator[str]:
    """Harbor's own verdict, which is told and counts for nothing here."""
    rewards = mapping(mapping(result.get("verifier_result")).get("rewards"))
    if rewards:
        yield "Harbor's own rewards: " + ", ".join(f"{name} {value}" for name, value in sorted(rewards.items())[:10])
    if result.get("step_results"):
        yield "the trial has several steps; they are taken as one attempt"
