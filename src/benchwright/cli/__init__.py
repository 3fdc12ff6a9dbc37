"""The command line: each command builds a spec, calls one stage, and prints."""

from benchwright.cli import agents, checking, demo, doctor, fetching, profile, run, score, suites
from benchwright.cli.app import app, main

__all__ = ["agents", "app", "checking", "demo", "doctor", "fetching", "main", "profile", "run", "score", "suites"]
