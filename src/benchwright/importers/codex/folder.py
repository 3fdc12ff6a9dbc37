"""The rollout files of a session's sub-agents, which Codex keeps beside the session's own."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchwright.importers.base import regular_files
from benchwright.importers.log_file import LogFile
from benchwright.importers.values import mapping, text

_THREAD = re.compile(r"[\w-]{1,100}")
_MOST_BESIDE = 2000
"""Rollouts of one day that are looked at."""


def parent_of(head: Mapping[str, Any]) -> str:
    """The thread that sent a sub-agent, by the head of the sub-agent's rollout; nothing for any other rollout."""
    source = mapping(mapping(mapping(head.get("source")).get("subagent")).get("thread_spawn"))
    named = text(source.get("parent_thread_id")) or text(head.get("parent_thread_id"))
    return named if _THREAD.fullmatch(named) else ""


def is_part(path: Path) -> bool:
    """Whether a file is the rollout of a sub-agent whose session's own rollout lies beside it."""
    if not _rollout(path.name):
        return False
    parent = parent_of(_head(path))
    return bool(parent) and next(path.parent.glob(f"rollout-*{parent}.jsonl"), None) is not None


def parts_of(path: Path, session: str) -> Iterator[Path]:
    """The rollouts of the sub-agents of a session."""
    if not _THREAD.fullmatch(session) or not path.name.endswith(f"{session}.jsonl"):
        return
    beside = (file for name, file in sorted(regular_files(path.parent).items()) if _rollout(name) and file != path)
    yield from (file for file in itertools.islice(beside, _MOST_BESIDE) if parent_of(_head(file)) == session)


def _rollout(name: str) -> bool:
    return name.startswith("rollout-") and name.endswith(".jsonl")


def _head(path: Path) -> Mapping[str, Any]:
    first = mapping(next(iter(LogFile(path).values()), None))
    return mapping(first.get("payload")) if first.get("type") == "session_meta" else {}
