"""Finds out which files a program reads from its text alone, by following it without running it."""

from benchwright.reading.paths import canonical_key, matches_pattern
from benchwright.reading.program import FileRead, Reading, read_program
from benchwright.reading.required import Target, Targets, required_files

__all__ = [
    "FileRead",
    "Reading",
    "Target",
    "Targets",
    "canonical_key",
    "matches_pattern",
    "read_program",
    "required_files",
]
