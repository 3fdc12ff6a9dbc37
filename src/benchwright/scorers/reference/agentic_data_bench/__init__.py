"""AgenticDataBench's published rules (testbed of 2026-07-03), to the letter, faults included.

They compare columns as sets, forgive wrong rows and names, and raise on files that they did not foresee; scores compare
with published ones, and the sound scorers say what is right. Two things differ, for safety: nothing is ever unpickled,
and files are opened in worker processes only. `agentic_data_bench_april` is the testbed of 2026-04-11.
"""

from benchwright.scorers.reference.agentic_data_bench.scorer import AgenticDataBenchAprilScorer, AgenticDataBenchScorer
from benchwright.scorers.reference.agentic_data_bench.task_rule import APRIL, JULY

__all__ = ["APRIL", "JULY", "AgenticDataBenchAprilScorer", "AgenticDataBenchScorer"]
