"""Benchwright runs, scores, explains and builds benchmarks for data agents."""

__version__ = "0.1.0"
