"""The command line: each command builds a spec, calls one stage, and prints."""

from benchwright.cli import (
    agents,
    analyse,
    checking,
    compare,
    demo,
    doctor,
    exporting,
    fetching,
    importing,
    judge,
    packages,
    profile,
    run,
    score,
    select,
    skills,
    suites,
)
from benchwright.cli.app import app, main

__all__ = [
    "agents",
    "analyse",
    "app",
    "checking",
    "compare",
    "demo",
    "doctor",
    "exporting",
    "fetching",
    "importing",
    "judge",
    "main",
    "packages",
    "profile",
    "run",
    "score",
    "select",
    "skills",
    "suites",
]
