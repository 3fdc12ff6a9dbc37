"""All templates, by name."""

from __future__ import annotations

from collections.abc import Mapping

from benchwright.generation.templates import (
    amounts,
    calendars,
    comparing,
    components,
    correlations,
    crossings,
    databases,
    filling,
    grouping,
    holes,
    joins,
    neighbours,
    nested,
    networks,
    outliers,
    partners,
    periods,
    places,
    ranking,
    regressions,
    resampling,
    reshaping,
    rhythms,
    runs,
    shares,
    spreads,
    stacks,
    testing,
    texts,
    windows,
    words,
)
from benchwright.generation.templates.base import Template

FAMILIES = (
    grouping, shares, ranking, spreads, correlations, outliers, filling, holes, reshaping, crossings, testing,
    comparing, resampling, calendars, periods, windows, runs, rhythms, words, texts, amounts, regressions, neighbours,
    components, joins, partners, databases, stacks, places, networks, nested,
)  # fmt: skip
TEMPLATES: Mapping[str, Template] = {each.name: each for family in FAMILIES for each in family.TEMPLATES}
"""In the order of their families."""
