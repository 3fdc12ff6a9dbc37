import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from benchwright.cli import app
from benchwright.errors import InputError
from benchwright.files import read_jsonl
from benchwright.skills.graph import SkillGraph, Source, blend, early, graph_of, weights
from benchwright.skills.nodes import Hierarchy, SkillNode, by_id, write_hierarchy
from benchwright.skills.published import Skill, read_frequencies, read_skills, traces

NAMES = st.sampled_from("abcd")
SEQUENCES = st.lists(st.lists(st.frozensets(NAMES, max_size=3), max_size=5), max_size=6)


@given(SEQUENCES)
def test_nodes_count_steps_and_edges_count_pairs_of_neighbours(sequences):
    graph = graph_of(sequences)
    for name in "abcd":
        assert graph.nodes.get(name, 0) == sum(name in step for steps in sequences for step in steps)
    for first in "abcd":
        for second in "abcd":
            expected = sum(
                first in steps[i] and second in steps[i + 1] and first != second
                for steps in sequences
                for i in range(len(steps) - 1)
            )
            assert graph.edges.get((first, second), 0) == expected


@given(SEQUENCES, st.floats(0, 1), st.dictionaries(NAMES, st.integers(1, 9)))
def test_blending_keeps_the_total_and_gives_the_other_source_its_share(sequences, share, counts):
    graph = graph_of([*sequences, [["a"], ["b"], ["c"], ["d"]]])
    mixed = blend(graph, Source(counts, {}, node_share=share))
    assert sum(mixed.nodes.values()) == pytest.approx(sum(graph.nodes.values()))
    if counts:
        named = sum(counts.values())
        for name in "abcd":
            ours, theirs = graph.nodes[name] / sum(graph.nodes.values()), counts.get(name, 0) / named
            assert mixed.nodes[name] / sum(mixed.nodes.values()) == pytest.approx((1 - share) * ours + share * theirs)


def test_each_of_several_sources_makes_up_its_share_whatever_their_order():
    graph = graph_of([[["a"], ["b"]]])
    first, second = Source({"a": 7.0}, {("b", "a"): 3.0}, 0.2, 0.5), Source({"b": 1.0}, {("a", "a"): 9.0}, 0.3, 0.1)
    mixed = blend(graph, first, second)
    assert mixed.nodes == pytest.approx({"a": 2 * (0.25 + 0.2), "b": 2 * (0.25 + 0.3)})
    assert mixed.edges == pytest.approx({("a", "b"): 0.4, ("b", "a"): 0.5, ("a", "a"): 0.1})
    other = blend(graph, second, first, Source({}, {}, 0.5, 0.3))
    assert (other.nodes, other.edges) == (pytest.approx(mixed.nodes), pytest.approx(mixed.edges))
    assert blend(graph) == graph


@given(st.dictionaries(NAMES, st.floats(0, 100)), st.floats(0.1, 10))
def test_weights_keep_the_order_and_lie_between_0_and_1(counts, temperature):
    found = weights(counts, temperature)
    assert all(0 <= value <= 1 for value in found.values())
    assert sorted(found, key=lambda name: (counts[name], name)) == sorted(found, key=lambda n: (found[n], counts[n], n))


def test_skills_of_the_first_tenth_begin():
    answer = {0: ("load",), 1: ("join",), 9: ("plot",)}
    assert early([answer, {0: ("short",), 8: ("end",)}]) == ("load",)
    assert early([answer], share=0.2) == ("load", "join")
    assert early([{}]) == ()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda graph: SkillGraph({"a": 1.0}, {("a", "z"): 1.0}), "an edge to an unknown skill"),
        (lambda graph: blend(graph, Source({"z": 1}, {})), "does not have"),
        (lambda graph: blend(graph, Source({"a": 1}, {}, node_share=1.5)), "share of a source"),
        (lambda graph: blend(graph, *[Source({"a": 1}, {}, node_share=0.6)] * 2), "together at most 1"),
        (lambda _: traces([Skill(id="1", name="a", steps=("x",))]), "not a step"),
        (lambda graph: weights(graph.nodes, 0), "temperature"),
    ],
)
def test_what_cannot_be_is_refused(wrong, words):
    with pytest.raises(InputError, match=words):
        wrong(graph_of([[["a"], ["b"]]]))


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"graph_id": "1", "name": "", "cluster": []}, "line 2"),
        ({"graph_id": "0", "name": "other", "cluster": []}, "a skill twice"),
        ({"graph_id": "1", "name": "load", "cluster": []}, "a skill twice"),
        ({"graph_id": "1", "name": "sort", "cluster": ["nonsense"]}, "not a step"),
        ([], "not a skill"),
    ],
)
def test_a_bad_row_is_named(tmp_path, row, words):
    path = tmp_path / "clusters.jsonl"
    rows = [{"graph_id": "0", "name": "load", "cluster": ["1-2-0"], "type": "IO"}, row]
    path.write_text("".join(json.dumps(each) + "\n" for each in rows))
    with pytest.raises(InputError, match=words):
        read_skills(path)


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{",
        "{}",
        '{"skills_frequency": {"a": 1.5}, "skill_pairs_frequency": {}}',
        '{"skills_frequency": {"a": true}, "skill_pairs_frequency": {}}',
        '{"skills_frequency": {}, "skill_pairs_frequency": {"a, b": 1}}',
        '{"skills_frequency": [], "skill_pairs_frequency": {}}',
    ],
)
def test_a_file_that_holds_no_frequencies_is_refused(tmp_path, text):
    path = tmp_path / "pairs.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"pairs\.json"):
        read_frequencies(path)


@pytest.fixture(scope="module")
def answers(shared):
    return traces(read_skills(shared / "data/agenticdatabench/step-clusters.jsonl"))


@pytest.fixture(scope="module")
def published(answers):
    return graph_of([list(steps.values()) for steps in answers.values()])


class TestPublishedData:
    """The reference's figures for the published skills and business traces."""

    def test_graph(self, answers, published):
        assert len(answers) == 6310
        assert sum(published.nodes.values()) == 101_557
        assert (len(published.nodes), len(published.edges), sum(published.edges.values())) == (433, 25_832, 193_642)
        assert max(published.edges.values()) == 701
        share_of_ones = sum(count == 1 for count in published.edges.values()) / len(published.edges)
        assert round(100 * share_of_ones, 2) == 44.75
        assert published.components == 1

    def test_blended_with_business_traces(self, shared, published):
        found = read_frequencies(shared / "data/agenticdatabench/skills_pairs_frequency.json")
        assert (len(found.skills), len(found.pairs)) == (196, 429)
        assert (sum(found.skills.values()), sum(found.pairs.values())) == (1246, 488)
        mixed = blend(published, Source(found.skills, found.pairs))
        assert len(mixed.edges) == 26_044
        assert sum(mixed.edges.values()) == pytest.approx(193_642)
        assert sum(mixed.nodes.values()) == pytest.approx(101_557)

    def test_orders_of_tasks(self, shared):
        found = read_frequencies(shared / "data/agenticdatabench/tasks.jsonl")
        assert (sum(found.skills.values()), len(found.pairs), sum(found.pairs.values())) == (4790, 3102, 4583)

    def test_skills_that_solutions_begin_with(self, answers):
        long = [steps for steps in answers.values() if max(steps) + 1 >= 10]
        assert (len(long), len(early(answers.values()))) == (1683, 341)


def test_skills_of_ours_have_a_graph_and_labels_of_tasks_are_mixed_in(tmp_path):
    nodes = [
        SkillNode(id="2-0", name="load", steps=("x-1-0", "x-2-0")),
        SkillNode(id="2-1", name="plot", steps=("x-1-1",), children=("1-0",)),
        SkillNode(id="1-0", name="draw", steps=("x-1-1",), parents=("2-1",), top=False),
    ]
    write_hierarchy(tmp_path / "skills", Hierarchy(by_id(nodes)))
    (tmp_path / "labels.jsonl").write_text('{"task_id": "a", "skills": ["plot", "load", "load"]}\n{"task_id": "b"}\n')
    words = ["skills", "graph", str(tmp_path / "skills"), "--json"]
    alone = json.loads(CliRunner().invoke(app, words).stdout)
    assert (alone["skills"], alone["edges"], alone["node_total"]) == (2, 1, 3.0)
    more = ["--blend", str(tmp_path), "--blend", str(tmp_path / "labels.jsonl"), "--edge-share", "0.25"]
    mixed = CliRunner().invoke(app, [*words, *more, "--out", str(tmp_path / "graph.jsonl")])
    assert json.loads(mixed.stdout)["edges"] == 3
    edges = [row for _, row in read_jsonl(tmp_path / "graph.jsonl") if row["kind"] == "edge"]
    assert [(row["from"], row["to"], row["count"]) for row in edges] == [
        ("load", "plot", 0.5),
        ("plot", "load", 0.25),
        ("load", "load", 0.25),
    ]
    done = CliRunner().invoke(app, [*words, *more, "--edge-share", "0.1", "--edge-share", "0.1"])
    assert "3 shares" in str(done.exception)
    (tmp_path / "labels.jsonl").write_text('{"skills": "load"}\n')
    assert "line 1: no labels" in str(CliRunner().invoke(app, [*words, *more]).exception)


def test_the_command_writes_the_graph(tmp_path):
    (tmp_path / "clusters.jsonl").write_text(
        '{"graph_id": "1", "name": "load", "cluster": ["7-8-0", "7-9-0"], "type": "IO"}\n'
        '{"graph_id": "2", "name": "plot", "cluster": ["7-8-1"], "type": "Plots"}\n'
    )
    (tmp_path / "pairs.json").write_text(
        '{"skills_frequency": {"plot": 2}, "skill_pairs_frequency": {"plot -> load": 4}}'
    )
    arguments = ["skills", "graph", str(tmp_path / "clusters.jsonl"), "--out", str(tmp_path / "graph.jsonl")]
    done = CliRunner().invoke(app, [*arguments, "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout) == {
        "answers": 2,
        "skills": 2,
        "edges": 1,
        "node_total": 3.0,
        "edge_total": 1.0,
        "components": 2,
        "early": [],
    }
    rows = [json.loads(line) for line in (tmp_path / "graph.jsonl").read_text().splitlines()]
    assert rows == [
        {"kind": "node", "name": "load", "count": 2.0, "weight": 1.0},
        {"kind": "node", "name": "plot", "count": 1.0, "weight": pytest.approx(0.5**0.5)},
        {"kind": "edge", "from": "load", "to": "plot", "count": 1.0, "weight": 1.0},
    ]
    done = CliRunner().invoke(
        app, [*arguments, "--blend", str(tmp_path / "pairs.json"), "--edge-share", "0.5", "--json"]
    )
    assert json.loads(done.stdout)["edges"] == 2
    done = CliRunner().invoke(app, [*arguments[:2], str(tmp_path / "absent.jsonl")])
    assert getattr(done.exception, "exit_code", None) == 2
