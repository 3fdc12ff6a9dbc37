"""What agents can and cannot do, skill by skill (AgenticDataBench, section 6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, fsum, log

FEWEST = 3
"""Skills with fewer applications have no score."""
_SCALE = 40.0
"""How many applications it takes for a skill to weigh 1 - 1/e in a ranking."""


@dataclass(frozen=True, slots=True)
class SkillScore:
    """The mean score of a skill's applications (0 to 1), and how many there are."""

    mean: float
    n: int


Scores = Mapping[str, SkillScore]
Applied = Mapping[tuple[str, str], float]
"""The score of each application of a skill, by task and skill."""


def skill_scores(
    values: Mapping[str, float], skills: Mapping[str, Collection[str]], fewest: int = FEWEST
) -> dict[str, SkillScore]:
    """By skill, the mean over its applications, each worth its task's score: the estimate that needs no model.

    `values` are scores by task, `skills` the annotated skills by task, each counting once a task. Skills with fewer
    than `fewest` applications are left out.
    """
    every = ((skill, value) for task, value in values.items() for skill in dict.fromkeys(skills.get(task, ())))
    return application_scores(every, fewest)


def application_scores(applications: Iterable[tuple[str, float]], fewest: int = FEWEST) -> dict[str, SkillScore]:
    """By skill, the mean over its applications as a model has scored each; those with fewer than `fewest` left out."""
    found: dict[str, list[float]] = {}
    for skill, value in applications:
        found.setdefault(skill, []).append(value)
    return {name: SkillScore(fsum(of) / len(of), len(of)) for name, of in sorted(found.items()) if len(of) >= fewest}


def profile(scores: Scores, categories: Mapping[str, str]) -> dict[str, SkillScore]:
    """What an agent can do by category: the mean of its scores of the category's skills, and how many skills that are.

    Skills without a category are left out.
    """
    found: dict[str, list[float]] = {}
    for skill, score in scores.items():
        if skill in categories:
            found.setdefault(categories[skill], []).append(score.mean)
    return {name: SkillScore(fsum(of) / len(of), len(of)) for name, of in sorted(found.items())}


def category_shares(
    domains: Mapping[str, str], skills: Mapping[str, Collection[str]], categories: Mapping[str, str]
) -> dict[str, dict[str, float]]:
    """By domain, how its annotated skills divide over categories (each skill of a task counts once)."""
    counts: dict[str, Counter[str]] = {}
    for task, domain in domains.items():
        told = [categories[skill] for skill in dict.fromkeys(skills.get(task, ())) if skill in categories]
        counts.setdefault(domain, Counter()).update(told)
    return {
        domain: {name: n / count.total() for name, n in count.most_common()}
        for domain, count in sorted(counts.items())
        if count
    }


def concordance(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Kendall's tau-b of two rankings of the same agents; None for fewer than two, or where one tells none apart.

    Of mean skill scores with mean task scores it says whether the skills tell the same story as the tasks.
    """
    from scipy import stats

    if len(pairs) < 2 or any(len(set(side)) < 2 for side in zip(*pairs, strict=True)):
        return None
    return float(stats.kendalltau([first for first, _ in pairs], [second for _, second in pairs]).statistic)


def weight(n: int) -> float:
    """What a skill counts in rankings by its number of applications: 1 - exp(-n / 40)."""
    return 1 - exp(-n / _SCALE)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A skill over several agents: the mean of their scores, and that mean times the weight of its frequency."""

    skill: str
    mean: float
    weighted: float
    n: int


def ranking(agents: Mapping[str, Scores]) -> list[Ranked]:
    """Skills that every agent has a score for, by weighted mean, best first; `n` is the most applications by one."""
    common = set.intersection(*(set(scores) for scores in agents.values())) if agents else set()
    found = []
    for skill in sorted(common):
        each = [scores[skill] for scores in agents.values()]
        mean, n = fsum(score.mean for score in each) / len(each), max(score.n for score in each)
        found.append(Ranked(skill, mean, mean * weight(n), n))
    return sorted(found, key=lambda item: -item.weighted)


def deviations(agents: Mapping[str, Scores]) -> dict[str, dict[str, float]]:
    """By agent and skill, how far its score lies above the mean of all others, times the weight of its frequency.

    Above 0 is a strength. Skills that no other agent has a score for are left out.
    """
    found: dict[str, dict[str, float]] = {}
    for agent, scores in agents.items():
        rest = [other for name, other in agents.items() if name != agent]
        told = {}
        for skill, score in scores.items():
            means = [other[skill].mean for other in rest if skill in other]
            if means:
                told[skill] = weight(score.n) * (score.mean - fsum(means) / len(means))
        found[agent] = dict(sorted(told.items(), key=lambda pair: -pair[1]))
    return found


def representative(domains: Mapping[str, str], skills: Mapping[str, Collection[str]]) -> dict[str, dict[str, float]]:
    """By domain, its skills by TF-IDF, most typical first: its tasks with the skill x log(all tasks / those with it).

    The logarithm is over the tasks of all domains, so that what every task needs is typical of none.
    """
    everywhere = Counter(skill for task in domains for skill in set(skills.get(task, ())))
    within: dict[str, Counter[str]] = {}
    for task, domain in domains.items():
        within.setdefault(domain, Counter()).update(set(skills.get(task, ())))
    return {
        domain: dict(
            sorted(
                ((skill, count * log(len(domains) / everywhere[skill])) for skill, count in counts.items()),
                key=lambda pair: (-pair[1], pair[0]),
            )
        )
        for domain, counts in sorted(within.items())
    }


def challenging(
    agents: Iterable[Mapping[str, float]],
    domains: Mapping[str, str],
    skills: Mapping[str, Collection[str]],
    fewest: int = FEWEST,
) -> dict[str, Scores]:
    """By domain, its skills by the mean over all agents' applications in it, hardest first.

    `agents` are scores by task, one mapping an agent.
    """
    every = [_applied(values, skills) for values in agents]
    return hardest(every, domains, fewest)


def hardest(agents: Iterable[Applied], domains: Mapping[str, str], fewest: int = FEWEST) -> dict[str, Scores]:
    """The same of applications that are scored one by one; one mapping an agent."""
    pooled: dict[str, list[tuple[str, float]]] = {domain: [] for domain in sorted(set(domains.values()))}
    for applied in agents:
        for (task, skill), value in applied.items():
            if task in domains:
                pooled[domains[task]].append((skill, value))
    scored = {domain: application_scores(found, fewest) for domain, found in pooled.items()}
    return {
        domain: dict(sorted(found.items(), key=lambda pair: (pair[1].mean, pair[0])))
        for domain, found in scored.items()
    }


def _applied(values: Mapping[str, float], skills: Mapping[str, Collection[str]]) -> dict[tuple[str, str], float]:
    """Each application worth its task's score."""
    return {(task, skill): value for task, value in values.items() for skill in skills.get(task, ())}
