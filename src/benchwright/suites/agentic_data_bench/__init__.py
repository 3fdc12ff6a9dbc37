"""AgenticDataBench: tasks of fifteen domains that end in tables, documents, charts, models, texts and databases."""

from benchwright.suites.agentic_data_bench.loader import AgenticDataBenchLoader

__all__ = ["AgenticDataBenchLoader"]
