"""The importers by the name of what they read."""

from __future__ import annotations

from benchwright.errors import InputError
from benchwright.importers.atif import Atif
from benchwright.importers.base import Importer
from benchwright.importers.claude_code import ClaudeCode
from benchwright.importers.codex import Codex
from benchwright.importers.harbor import Harbor
from benchwright.importers.mini_swe_agent import MiniSweAgent
from benchwright.importers.openhands import OpenHands
from benchwright.importers.smolagents import Smolagents

IMPORTERS: dict[str, Importer] = {
    importer.name: importer
    for importer in (ClaudeCode(), Codex(), OpenHands(), MiniSweAgent(), Smolagents(), Atif(), Harbor())
}

_ELSEWHERE = ("inspect", "predictions")
"""Formats that are read where Inspect is known, and where predictions are scored."""


def importer(name: str) -> Importer:
    """The importer of that name. Errors: InputError."""
    if name not in IMPORTERS:
        raise InputError(f"no importer for {name!r}", expected=f"one of {', '.join((*IMPORTERS, *_ELSEWHERE))}")
    return IMPORTERS[name]
