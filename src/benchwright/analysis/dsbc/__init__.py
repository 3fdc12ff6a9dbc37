"""The tables of a DSBC run: accuracy by setup, temperature and category, paired wordings, errors, cost."""

from benchwright.analysis.dsbc.document import analyse
from benchwright.analysis.dsbc.frame import OUTCOMES, SCHEMA, attempts_frame

__all__ = ["OUTCOMES", "SCHEMA", "analyse", "attempts_frame"]
