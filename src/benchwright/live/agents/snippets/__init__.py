"""DSBC's two plain approaches: a model writes code once, from a description of the data, and the code is run."""

from benchwright.live.agents.snippets.approach import APPROACHES, multi_code, single_code
from benchwright.live.agents.snippets.context import data_file

__all__ = ["APPROACHES", "data_file", "multi_code", "single_code"]
