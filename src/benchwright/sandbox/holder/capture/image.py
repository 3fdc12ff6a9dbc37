"""The module that AgenticDataBench's prompts tell agents to import for charts."""

from benchwright_charts.published import Plotprocess

__all__ = ["Plotprocess"]
