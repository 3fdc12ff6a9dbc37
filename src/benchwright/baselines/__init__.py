"""Baselines: programs without a model, to hold agents and scorers against."""

from benchwright.baselines.base import Baseline
from benchwright.baselines.explorer import Explorer
from benchwright.baselines.guess import Constant, KnowNothing, Random

BASELINES: dict[str, Baseline] = {item.name: item for item in (Random(), Constant(), KnowNothing(), Explorer())}
"""Every baseline by its name."""

__all__ = ["BASELINES", "Baseline", "Constant", "Explorer", "KnowNothing", "Random"]
