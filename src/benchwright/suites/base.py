"""What every suite family offers: build a suite folder from local files, and fetch those files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable

from benchwright.suite import Suite

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """Where to build from and to. `sources` are local files or folders by name (e.g. tasks, hard, data)."""

    out: Path
    sources: Mapping[str, Path] = field(default_factory=dict)
    release: str = ""
    progress: Progress = lambda _: None


class SuiteLoader(Protocol):
    """One family of suites."""

    name: str
    title: str
    sources: Mapping[str, str]
    """The sources that `load` takes, each with a sentence of help."""

    def load(self, request: BuildRequest) -> Suite:
        """Build the suite folder at `request.out` (atomically: all or nothing) and open it."""


@runtime_checkable
class BuiltIn(SuiteLoader, Protocol):
    """A family that needs no sources; a suite of another release is built anew when it is asked for by name."""

    release: str


@dataclass(frozen=True, slots=True)
class FetchRequest:
    """What to fetch, and where to put it.

    `origin` is a repository ("owner/name") or a folder on this machine; empty: where the family is published.
    `endpoint` is another hub's address, `revision` a commit, branch or tag. `rooms` are the rooms wanted; None: all.
    """

    into: Path
    origin: str = ""
    endpoint: str = ""
    revision: str = ""
    rooms: tuple[str, ...] | None = None
    progress: Progress = lambda _: None


@runtime_checkable
class SuiteFetcher(SuiteLoader, Protocol):
    """A family whose files can be downloaded."""

    def fetch(self, request: FetchRequest) -> Mapping[str, Path]:
        """Fetch the files, resuming what was interrupted; the sources for `BuildRequest`."""
