"""Why attempts failed: one class each, by rules first, with the evidence in the transcript."""

from benchwright.analysis.failures.classes import CLASSES, OF_PAPER, title_of
from benchwright.analysis.failures.reasons import failures
from benchwright.analysis.failures.record import Failure

__all__ = ["CLASSES", "OF_PAPER", "Failure", "failures", "title_of"]
