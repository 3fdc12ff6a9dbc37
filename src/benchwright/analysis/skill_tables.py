"""The tables of skills: scores, categories, strengths, what is typical and what is hard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum
from typing import Any

from benchwright.analysis import skills
from benchwright.analysis.applications import APPLICATIONS
from benchwright.analysis.sides import Side
from benchwright.scoring.verdicts import Mode
from benchwright.suite import Suite

_GUESS = "each application is worth its task's score"


def skills_document(suite: Suite, mode: Mode, sides: Mapping[str, Side], tasks: Sequence[str]) -> dict[str, Any]:
    """Everything about skills as plain values; scores are a model's where one was asked, and say how many are."""
    needed = {task: tuple(dict.fromkeys(suite.label(task).skills)) for task in tasks}
    domains = {task: suite.label(task).domain for task in tasks if suite.label(task).domain}
    told = {task: suite.label(task).extra.get("skill_categories") for task in tasks}
    categories = {
        skill: str(name) for known in told.values() if isinstance(known, dict) for skill, name in known.items()
    }
    found = {title: _applied(each, mode, needed) for title, each in sides.items()}
    agents = {
        title: skills.application_scores((skill, value) for (_, skill), value in applied.items())
        for title, (applied, _) in found.items()
    }
    return {
        "estimated": _basis([counts for _, counts in found.values()]),
        "scores": {title: _plain(scores) for title, scores in agents.items()},
        "ranking": [
            {"skill": item.skill, "mean": item.mean, "weighted": item.weighted, "n": item.n}
            for item in skills.ranking(agents)
        ],
        "deviations": skills.deviations(agents),
        "representative": skills.representative(domains, needed),
        "challenging": {
            domain: _plain(hard) for domain, hard in skills.hardest([a for a, _ in found.values()], domains).items()
        },
        "categories": categories,
        "profile": {
            title: {
                name: {"mean": score.mean, "skills": score.n}
                for name, score in skills.profile(scores, categories).items()
            }
            for title, scores in agents.items()
        },
        "category_shares": skills.category_shares(domains, needed, categories),
        "concordance": _concordance(sides, agents),
    }


def _plain(scores: skills.Scores) -> dict[str, dict[str, Any]]:
    return {name: {"mean": score.mean, "n": score.n} for name, score in scores.items()}


def _applied(
    each: Side, mode: Mode, needed: Mapping[str, Sequence[str]]
) -> tuple[dict[tuple[str, str], float], tuple[int, int]]:
    """By task and skill, the mean over epochs; and how many attempts a model scored, of how many."""
    said = APPLICATIONS.read(each.run, mode, {attempt.key: attempt for attempt in each.attempts})
    values: dict[tuple[str, str], list[float]] = {}
    for key, score in each.scores.items():
        own = said[key].scores if key in said else {}
        for skill in needed.get(key.task_id, ()):
            values.setdefault((key.task_id, skill), []).append(own.get(skill, score))
    judged = sum(key in said for key in each.scores)
    return {place: fsum(of) / len(of) for place, of in values.items()}, (judged, len(each.scores))


def _basis(counts: Sequence[tuple[int, int]]) -> str:
    judged, every = sum(some for some, _ in counts), sum(all_ for _, all_ in counts)
    if not judged:
        return _GUESS
    if judged == every:
        return "each application was scored by a model"
    return f"{judged} of {every} attempts were scored by a model; in the others {_GUESS}"


def _concordance(sides: Mapping[str, Side], agents: Mapping[str, skills.Scores]) -> dict[str, Any]:
    """Whether mean skill scores rank the cells as their tasks do: over all, and for each agent over its models."""
    pairs = {
        title: (fsum(score.mean for score in scores.values()) / len(scores), fsum(values) / len(values))
        for title, scores in agents.items()
        if scores and (values := list(sides[title].values.values()))
    }
    by_agent: dict[str, list[tuple[float, float]]] = {}
    for title, pair in pairs.items():
        by_agent.setdefault(sides[title].cell.agent, []).append(pair)
    return {
        "all": skills.concordance(list(pairs.values())),
        "agents": {agent: skills.concordance(some) for agent, some in by_agent.items()},
    }
