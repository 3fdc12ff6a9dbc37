"""A corpus of solutions: from dumps, exports, notebooks, pairs and suites to one record a solution."""

from benchwright.skills.corpus.base import Refused, Wanted
from benchwright.skills.corpus.collecting import Collected, collect, source_kind

__all__ = ["Collected", "Refused", "Wanted", "collect", "source_kind"]
