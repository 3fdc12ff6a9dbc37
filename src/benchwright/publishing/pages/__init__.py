"""Pages of runs: what the report, one file, and the viewer, live, show alike."""

from benchwright.publishing.pages.attempt import AttemptPage, FailureNote
from benchwright.publishing.pages.making import AttemptPages
from benchwright.publishing.pages.rendering import render_attempt

__all__ = ["AttemptPage", "AttemptPages", "FailureNote", "render_attempt"]
