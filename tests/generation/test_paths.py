from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from benchwright.cli import app
from benchwright.errors import InputError
from benchwright.files import read_jsonl
from benchwright.generation.paths import PAPER, PUBLISHED, PathRule, PathSampler, SkillPath, coverage, sample
from benchwright.skills.graph import SkillGraph, early, graph_of
from benchwright.skills.published import read_skills, traces

NAMES = "abcdefg"
GRAPHS = st.dictionaries(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), st.floats(1, 100), min_size=1, max_size=25
).map(lambda edges: SkillGraph(dict.fromkeys(NAMES, 4.0), edges))
RULES = st.sampled_from([PAPER, PUBLISHED, replace(PUBLISHED, rare=0.5, uncovered=0.5)])


@given(GRAPHS, RULES, st.integers(0, 9), st.integers(1, 9))
def test_a_path_follows_ways_of_the_graph_and_holds_no_skill_twice(graph, rule, seed, length):
    sampler = PathSampler(graph, ["a", "b"], replace(rule, length=length), seed)
    for path in sample(sampler, 5):
        walked = [name for name in path.skills if name != path.placed]
        assert 1 <= len(path.skills) <= max(length, 1)
        assert len(set(path.skills)) == len(path.skills)
        assert not walked or walked[0] in "ab"
        assert all(pair in graph.edges for pair in pairwise(walked))


@given(GRAPHS, RULES, st.integers(0, 9))
def test_one_seed_draws_the_same_and_a_second_sampler_goes_on_where_the_first_stopped(graph, rule, seed):
    def sampler():
        return PathSampler(graph, NAMES, rule, seed)

    whole = list(sample(sampler(), 6))
    assert whole == list(sample(sampler(), 6))
    later = sampler()
    for path in whole[:3]:
        later.accept(path)
    assert later.draw(3) == whole[3]


def test_skills_are_drawn_by_their_own_weight_and_the_way_to_them_each_over_its_uses():
    graph = SkillGraph({"a": 1, "b": 16, "c": 4}, {("a", "b"): 1, ("a", "c"): 16})
    rule = PathRule(length=2)
    first = Counter(PathSampler(graph, ["a"], rule, seed=7).draw(n).skills[1] for n in range(4000))
    # Square roots over the largest: node b 1, node c 1/2, edge to b 1/4, edge to c 1.
    assert first["b"] / 4000 == pytest.approx(1.25 / 2.75, abs=0.03)
    used = PathSampler(graph, ["a"], rule, seed=7)
    for _ in range(3):
        used.accept(SkillPath(("a", "c")))
    then = Counter(used.draw(n).skills[1] for n in range(4000))
    # Node c and the way to it are a quarter now: b 1, c 1/8; to b 1/4, to c 1/4, which is the largest: 1 and 1.
    assert then["b"] / 4000 == pytest.approx(2 / 3.125, abs=0.03)


def test_where_a_path_begins_is_drawn_by_weight():
    graph = SkillGraph({"a": 1, "b": 9, "c": 100}, {("a", "b"): 1})
    found = Counter(PathSampler(graph, ["a", "b"], PathRule(length=1)).draw(n).skills[0] for n in range(4000))
    assert found["b"] / 4000 == pytest.approx(0.75, abs=0.03)


def test_a_rare_skill_is_put_beside_the_one_that_it_is_tied_to_most():
    nodes = {"a": 100, "b": 100, "c": 100, "rare": 1}
    graph = SkillGraph(nodes, {("a", "b"): 9, ("b", "c"): 9, ("rare", "b"): 4, ("c", "rare"): 1})
    sampler = PathSampler(graph, ["a"], PathRule(length=4, rare=1.0))
    path = sampler.draw(0)
    assert path == SkillPath(("a", "b", "rare", "c"), placed="rare")
    sampler.accept(path)
    assert sampler.draw(1).placed is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"length": 0},
        {"node_weight": -1},
        {"node_weight": 0, "edge_weight": 0},
        {"rare": 1.5},
        {"rare": 0.6, "uncovered": 0.6},
        {"uniform": float("nan")},
    ],
)
def test_rules_that_mean_nothing_are_refused(wrong):
    with pytest.raises(InputError, match=r"a path|the weights of nodes and edges|shares of draws"):
        PathRule(**wrong)
    with pytest.raises(InputError, match="begin"):
        PathSampler(SkillGraph({"a": 1}, {}), ["x"])


def test_paths_over_the_published_skills_cover_them_as_was_measured(shared):
    answers = traces(read_skills(shared / "data/agenticdatabench/step-clusters.jsonl"))
    graph = graph_of([list(steps.values()) for steps in answers.values()])
    sampler = PathSampler(graph, early(answers.values()), replace(PAPER, length=10), seed=1)
    found = coverage(sample(sampler, 500), graph.nodes)
    for paths, share in ((50, 0.55), (100, 0.75), (200, 0.89), (500, 0.98)):
        assert found[paths - 1] == pytest.approx(share, abs=0.05)


def test_the_command_writes_paths_with_examples(tmp_path):
    clusters = tmp_path / "clusters.jsonl"
    clusters.write_text(
        '{"graph_id": "3-0", "name": "Load", "cluster": ["1-2-0", "3-4-0"]}\n'
        '{"graph_id": "3-1", "name": "Join", "cluster": ["1-2-10", "3-4-12"]}\n'
    )
    command = ["skills", "sample", str(clusters), "--paths", "3", "--length", "2", "--out", str(tmp_path / "p.jsonl")]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    rows = [row for _, row in read_jsonl(tmp_path / "p.jsonl")]
    assert [row["path"] for row in rows] == [["Load", "Join"]] * 3
    assert {one["solution"]: one["steps"] for one in rows[0]["examples"]} == {"1-2": [0, 10], "3-4": [0, 12]}
