"""The chart scorer: what a chart shows against what it should show, series by series."""

from benchwright.scorers.chart.scorer import ChartScorer

__all__ = ["ChartScorer"]
