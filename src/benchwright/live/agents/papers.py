"""The papers' settings as presets of a run: limits, settings of the model, and which preset each agent then gets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchwright.live.agents.settings import DSBC
from benchwright.run.records import Packages, Setting

_SIX_HOURS = 21_600.0
"""Where a paper limits steps and not the whole: what ends an attempt that hangs."""


@dataclass(frozen=True, slots=True)
class Paper:
    """How one paper runs its agents. `limits` take the place of the tasks' own, and the run's take theirs.

    `own_limits` are those of single agents, on top; `presets` are the agents' own presets, "" for those that are not
    named; `generation` are settings of the model, `packages` what agents may install on the way.
    """

    limits: Mapping[str, float] = field(default_factory=dict)
    own_limits: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    presets: Mapping[str, str] = field(default_factory=dict)
    generation: Mapping[str, Setting] = field(default_factory=dict)
    packages: Packages = "none"

    def limits_of(self, agent: str) -> dict[str, float]:
        """The limits that an agent gets, by name."""
        return {**self.limits, **self.own_limits.get(agent, {})}


PAPERS: Mapping[str, Paper] = {
    "agenticdatabench": Paper(
        limits={"wall_seconds": 3600.0, "step_seconds": 3600.0},
        own_limits={
            "da_agent": {"wall_seconds": _SIX_HOURS, "step_seconds": 60.0},
            "smolagents": {"wall_seconds": _SIX_HOURS, "step_seconds": 300.0},
            "react": {"step_seconds": 300.0},
        },
        presets={"da_agent": "published"},
        packages="wheelhouse",
    ),
    "coda": Paper(limits={"wall_seconds": 600.0, "step_seconds": 600.0, "memory_mb": 8192, "cpus": 2}),
    "dsbc": Paper(limits={"step_seconds": 90.0}, presets={"smolagents": "dsbc-8"}, generation=DSBC),
}
"""AgenticDataBench: 80 steps of a minute, 40 of five, an hour for programs; CoDA-Bench: its runner's ten minutes, 8 GB
and two processors; DSBC: 90 seconds a query, seed 1024, at most 8,192 tokens a reply."""


def own_preset(agent: str, preset: str) -> str:
    """The agent's own preset, where the run's is a paper's."""
    return PAPERS[preset].presets.get(agent, "") if preset in PAPERS else preset


def packages_of(preset: str) -> Packages:
    """What agents may install on the way where a run's preset decides it."""
    return PAPERS[preset].packages if preset in PAPERS else "none"


def limits_of(agent: str, preset: str) -> dict[str, float]:
    """The limits that a run's preset sets for an agent."""
    return PAPERS[preset].limits_of(agent) if preset in PAPERS else {}
