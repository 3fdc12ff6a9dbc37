"""CoDA-Bench: 1,009 questions over communities of public data sets, of which an agent has to find the right files."""

from benchwright.suites.coda_bench.loader import CodaBenchLoader

__all__ = ["CodaBenchLoader"]
