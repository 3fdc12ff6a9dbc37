"""The command line: each command builds a spec, calls one stage, and prints."""

from benchwright.cli import score, suites
from benchwright.cli.app import app, main

__all__ = ["app", "main", "score", "suites"]
