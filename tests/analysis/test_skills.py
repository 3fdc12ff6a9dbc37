import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.analysis import skills

TASKS = {"1": ("load", "join"), "2": ("load",), "3": ("load", "plot", "load"), "4": ("join",), "5": ("join",)}
DOMAINS = {"1": "a", "2": "a", "3": "b", "4": "b", "5": "b"}


def test_a_skill_is_worth_the_mean_of_its_applications_and_needs_three():
    found = skills.skill_scores({"1": 1.0, "2": 0.0, "3": 0.5, "4": 1.0}, TASKS)
    assert found == {"load": skills.SkillScore(0.5, 3)}
    assert skills.skill_scores({"1": 1.0, "4": 0.0, "5": 0.5}, TASKS) == {"join": skills.SkillScore(0.5, 3)}
    assert set(skills.skill_scores({"1": 1.0}, TASKS, fewest=1)) == {"load", "join"}


@given(st.integers(0, 10_000))
def test_the_weight_grows_with_frequency_to_one(n):
    assert skills.weight(n) == pytest.approx(1 - math.exp(-n / 40))
    assert 0 <= skills.weight(n) <= skills.weight(n + 1) <= 1


def test_skills_are_ranked_by_weighted_mean():
    one = {"rare": skills.SkillScore(1.0, 3), "often": skills.SkillScore(0.5, 80), "mine": skills.SkillScore(1.0, 9)}
    two = {"rare": skills.SkillScore(0.8, 3), "often": skills.SkillScore(0.7, 80)}
    found = skills.ranking({"one": one, "two": two})
    assert [(item.skill, round(item.mean, 9), item.n) for item in found] == [("often", 0.6, 80), ("rare", 0.9, 3)]
    assert found[1].weighted == pytest.approx(0.9 * (1 - math.exp(-3 / 40)))
    assert skills.ranking({}) == []


def test_a_strength_is_above_the_mean_of_the_others():
    agents = {name: {"join": skills.SkillScore(mean, 40)} for name, mean in (("a", 0.9), ("b", 0.5), ("c", 0.3))}
    agents["a"]["own"] = skills.SkillScore(1.0, 40)
    found = skills.deviations(agents)
    share = 1 - math.exp(-1)
    assert found["a"] == {"join": pytest.approx(share * 0.5)}
    assert found["b"]["join"] == pytest.approx(share * (0.5 - 0.6))


def test_what_every_task_needs_is_typical_of_no_domain():
    needed = {task: (*names, "always") for task, names in TASKS.items()}
    found = skills.representative(DOMAINS, needed)
    assert found["a"]["always"] == found["b"]["always"] == 0
    assert found["b"]["plot"] == pytest.approx(math.log(5))
    assert found["b"]["join"] == pytest.approx(2 * math.log(5 / 3))
    assert list(found["b"])[:2] == ["plot", "join"]


def test_the_hardest_skills_of_a_domain_come_first():
    agents = [{"3": 0.0, "4": 1.0, "5": 0.5, "1": 0.0}, {"3": 0.0, "4": 1.0, "5": 0.5}, {"3": 0.0}]
    assert skills.challenging(agents, DOMAINS, TASKS)["b"] == {
        "load": skills.SkillScore(0.0, 3),
        "plot": skills.SkillScore(0.0, 3),
        "join": skills.SkillScore(0.75, 4),
    }
