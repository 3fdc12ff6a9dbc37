"""A model as judge of free responses: asked only where rules cannot tell, and held against human verdicts."""

from benchwright.scorers.judge.asking import Decision, Judge, Kept
from benchwright.scorers.judge.calibration import Calibration, Human, calibrate, read_humans
from benchwright.scorers.judge.case import JudgeCase
from benchwright.scorers.judge.verdict import Opinion, Verdict, parse_opinion, parse_published

__all__ = [
    "Calibration",
    "Decision",
    "Human",
    "Judge",
    "JudgeCase",
    "Kept",
    "Opinion",
    "Verdict",
    "calibrate",
    "parse_opinion",
    "parse_published",
    "read_humans",
]
