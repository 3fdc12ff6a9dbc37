"""Skills: which are mastered, which are hard, and what each agent is better or worse at than the others."""

from __future__ import annotations

from collections.abc import Iterator

from benchwright.publishing.report.source import Source
from benchwright.publishing.tables import Column, Pivot, Table


def skills(source: Source) -> Iterator[Table]:
    """The ranking, scores by agent, deviations, and hardest skills by domain; none without labels of skills."""
    found = source.document["skills"]
    if not any(found["scores"].values()):
        return
    if any(found["profile"].values()):
        yield _profile(source)
    yield _ranking(source)
    yield _scores(source)
    if len(source.titles) > 1:
        yield _deviations(source)
    yield _hardest(source)


def _profile(source: Source) -> Table:
    profile = source.document["skills"]["profile"]
    rows = [
        {**source.key(title), "title": title, "label": name, **told}
        for title in source.titles
        for name, told in profile[title].items()
    ]
    return Table(
        "skill_profile",
        "By category of skills",
        (Column("label", "category"), Column("title", "agent"), Column("mean", "mean", "share")),
        tuple(rows),
        note="The mean of an agent's scores of the category's skills.",
        pivot=Pivot("label", "title"),
        hidden=("run", "cell", "skills"),
        query="skill_profile",
    )


def _ranking(source: Source) -> Table:
    return Table(
        "skill_ranking",
        "Skills by score",
        (
            Column("skill", "skill"),
            Column("mean", "mean", "share", about="mean over agents"),
            Column("weighted", "weighted", "share", about="times 1 - exp(-applications / 40)"),
            Column("n", "applications", "count"),
        ),
        tuple(source.document["skills"]["ranking"]),
        note=f"Skills with 3 applications or more; {source.document['skills']['estimated']}.",
        query="skill_ranking",
    )


def _scores(source: Source) -> Table:
    scores = source.document["skills"]["scores"]
    rows = [
        {**source.key(title), "title": title, "skill": skill, "mean": score["mean"], "n": score["n"]}
        for title in source.titles
        for skill, score in scores[title].items()
    ]
    return Table(
        "skill_scores",
        "Skills by agent",
        (Column("skill", "skill"), Column("title", "agent"), Column("mean", "mean", "share")),
        tuple(rows),
        pivot=Pivot("skill", "title"),
        hidden=("run", "cell", "n"),
        query="skill_scores",
    )


def _deviations(source: Source) -> Table:
    rows = [
        {**source.key(title), "title": title, "skill": skill, "deviation": value}
        for title in source.titles
        for skill, value in source.document["skills"]["deviations"][title].items()
    ]
    return Table(
        "skill_deviations",
        "Strengths and weaknesses",
        (Column("skill", "skill"), Column("title", "agent"), Column("deviation", "deviation", "points")),
        tuple(rows),
        note="How far an agent's score lies above the mean of the others', weighted by the skill's frequency.",
        pivot=Pivot("skill", "title"),
        hidden=("run", "cell"),
        query="skill_deviations",
    )


def _hardest(source: Source) -> Table:
    rows = [
        {"domain": domain, "skill": skill, "mean": score["mean"], "n": score["n"]}
        for domain, found in source.document["skills"]["challenging"].items()
        for skill, score in found.items()
    ]
    return Table(
        "skills_by_domain",
        "Skills by domain, hardest first",
        (
            Column("domain", "domain"),
            Column("skill", "skill"),
            Column("mean", "mean", "share", about="over all agents' applications in the domain"),
            Column("n", "applications", "count"),
        ),
        tuple(rows),
        query="skills_by_domain",
    )
