"""Scoring: a run folder or a predictions file, and a suite, become verdicts and numbers."""

from benchwright.process import WorkLimits
from benchwright.scoring.aggregate import Judged
from benchwright.scoring.attempt import score_attempt
from benchwright.scoring.document import Scoring
from benchwright.scoring.intervals import wilson
from benchwright.scoring.jobs import Job
from benchwright.scoring.judging import Judging, Ways, with_judge
from benchwright.scoring.predicted import score_predictions
from benchwright.scoring.predicted_run import Predictor, import_predictions
from benchwright.scoring.predictions import Predictions, read_predictions, require_some
from benchwright.scoring.runs import keep_scores, score_one, score_rows, score_run, scores_text
from benchwright.scoring.verdicts import BOTH, CheckScores, Discovery, Mode, TaskScores
from benchwright.scoring.workers import Worker, score_jobs

__all__ = [
    "BOTH",
    "CheckScores",
    "Discovery",
    "Job",
    "Judged",
    "Judging",
    "Mode",
    "Predictions",
    "Predictor",
    "Scoring",
    "TaskScores",
    "Ways",
    "WorkLimits",
    "Worker",
    "import_predictions",
    "keep_scores",
    "read_predictions",
    "require_some",
    "score_attempt",
    "score_jobs",
    "score_one",
    "score_predictions",
    "score_rows",
    "score_run",
    "scores_text",
    "wilson",
    "with_judge",
]
