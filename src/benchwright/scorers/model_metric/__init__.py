"""The scorer of predictions: joined to the labels by id, measured, and placed between a baseline and a target."""

from benchwright.scorers.model_metric.metrics import METRICS
from benchwright.scorers.model_metric.rule import MetricRule
from benchwright.scorers.model_metric.scorer import ModelMetricScorer

__all__ = ["METRICS", "MetricRule", "ModelMetricScorer"]
