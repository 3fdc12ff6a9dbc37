"""The command line: each command builds a spec, calls one stage, and prints."""

from benchwright.cli import checking, demo, fetching, run, score, suites
from benchwright.cli.app import app, main

__all__ = ["app", "checking", "demo", "fetching", "main", "run", "score", "suites"]
