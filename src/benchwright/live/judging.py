"""The model role `judge`: any of Inspect's models as the judge of free responses."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from inspect_ai.model import GenerateConfig

from benchwright.files import home
from benchwright.live.asking import chat_named
from benchwright.scorers.judge import Decision, Judge, JudgeCase, Kept
from benchwright.scoring import Judging

ROLE = "judge"
SETTINGS = GenerateConfig(temperature=0.0, seed=1024, max_tokens=1024)
"""Temperature 0 and DSBC's seed; what a provider does not take, it ignores."""


def judge_named(model: str, times: int = 1, kept: Path | None = None) -> Judge:
    """A model as judge.

    Replies may quote gold: they are kept under `$BENCHWRIGHT_HOME/judge`, never in a run folder.
    """
    return Judge(
        chat_named(model, SETTINGS),
        times=times,
        kept=Kept(kept or home() / "judge" / "replies.jsonl"),
    )


def judging(model: str, times: int = 1) -> Judging:
    """The judge as scoring takes it."""
    judge = judge_named(model, times)

    def decide(cases: Sequence[JudgeCase]) -> Sequence[Decision]:
        return asyncio.run(judge.decide(cases))

    return decide
