"""The classes of failures, in the order in which they are decided."""

from __future__ import annotations

import re
from typing import Final

_SKILLS: Final = (
    "Data Format Handling",
    "Data Preprocessing",
    "Data Manipulation",
    "Data Analysis",
    "Data Modeling",
    "Data Visualization",
    "Cross-Stage",
)


def skill_class(category: str) -> str:
    """The class of failures in skills of a category."""
    return f"skill:{re.sub(r'[^a-z0-9]+', '_', category.lower()).strip('_')}"


_TITLES: Final = {
    "suite": "Suite's fault",
    "not_run": "Not run yet",
    "environment": "Model's server or sandbox",
    "scorer": "No verdict",
    "global_limit": "Global limit exceeded",
    "resource_limit": "Memory, disk or process limit",
    "crash": "Agent's program broke",
    "format": "Right answer, wrong format",
    "step_timeout": "Single-step timeout",
    "self_repair": "Self-repair failure",
    "never_found": "Right files never found",
    "found_unused": "Found but not used",
    "no_answer": "Ended without an answer",
    **{skill_class(category): category for category in _SKILLS},
    "unclassified": "Wrong, not told why",
}
CLASSES: Final = tuple(_TITLES)
"""Every class, the one that is decided first in front: an attempt has the first that fits."""
SKILL_CLASSES: Final = {skill_class(category): category for category in _SKILLS}
OF_PAPER: Final = frozenset(("global_limit", "step_timeout", "self_repair", *SKILL_CLASSES))
"""AgenticDataBench's ten classes (section 6.4)."""
NOT_THE_AGENTS: Final = frozenset(("suite", "not_run", "environment", "scorer"))
"""Classes that say nothing of the agent; all but `suite` count as wrong, as in every mean."""


def is_open(name: str) -> bool:
    """Whether a class is what is left where no rule is sure."""
    return name in SKILL_CLASSES or name == "unclassified"


def title_of(name: str) -> str:
    """A class in words; empty for attempts that are right."""
    return _TITLES.get(name) or name.removeprefix("skill:").replace("_", " ").capitalize()
