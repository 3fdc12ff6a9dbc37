import json
import re
import runpy
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from benchwright.chat.scripted import register
from benchwright.cli import app
from benchwright.errors import EnvironmentFault, InputError
from benchwright.files import write_jsonl
from benchwright.skills.hierarchy import graphml, page, tree
from benchwright.skills.hierarchy.places import places
from benchwright.skills.nodes import Hierarchy, SkillNode, read_hierarchy, write_hierarchy

world = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("sorting.py"))))


def run(*words, code=0):
    done = CliRunner().invoke(app, ["skills", *map(str, words)])
    assert done.exit_code == code, done.output or done.exception
    return done


def test_the_commands_make_a_described_hierarchy_of_steps_and_show_it(tmp_path):
    register("sorting", world.sorting)
    steps, skills = tmp_path / "steps.jsonl", tmp_path / "skills"
    write_jsonl(steps, world.steps_of())
    words = ["cluster", steps, "--model", "scripted/sorting", "--out", skills, "--target", "6", "--cap", "20", "--json"]
    found = json.loads(run(*words).stdout)
    assert (found["tops"], found["unassigned"]) == (len(world.FAMILIES), 0)
    assert found["steps"] == len(world.steps_of())
    before = (skills / "skills.jsonl").read_bytes()
    assert json.loads(run(*words).stdout)["calls"] == found["calls"]  # nothing is asked again
    assert (skills / "skills.jsonl").read_bytes() == before
    shown = run("show", skills).stdout
    assert all(name in shown for name in (*world.FAMILIES, *world.SKILLS))
    run("show", skills, "--out", tmp_path / "skills.html")
    assert "Interpolating Gaps" in (tmp_path / "skills.html").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["show", "nothing"], "no skills"),
        (["cluster", "nothing", "--model", "scripted/x", "--out", "o"], "no steps"),
    ],
)
def test_what_is_not_there_is_said(words, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["skills", *words])
    assert isinstance(done.exception, InputError)
    assert message in str(done.exception)


def test_nobody_overwrites_skills_or_steps_that_were_not_made_there(tmp_path):
    register("sorting", world.sorting)
    reviewed, steps = tmp_path / "reviewed", tmp_path / "steps.jsonl"
    write_hierarchy(reviewed, Hierarchy({"6-1": SkillNode(id="6-1", name="By people", steps=("1-1-0",))}))
    before = (reviewed / "skills.jsonl").read_bytes()
    write_jsonl(steps, world.steps_of(3))
    (tmp_path / "clusters.jsonl").write_text('{"graph_id": "1", "name": "load", "cluster": ["7-8-0"], "type": "IO"}\n')
    (tmp_path / "corpus.jsonl").write_text('{"id": "1-1", "source": "x", "question": "q", "answer": "a"}\n')
    model = ["--model", "scripted/sorting"]
    for words, message in (
        (["cluster", steps, *model, "--out", reviewed], "not made here"),
        (["cluster", steps, *model, "--out", tmp_path], "no place for skills"),
        (["show", tmp_path / "clusters.jsonl", "--out", reviewed], "holds other skills"),
        (["extract", tmp_path / "corpus.jsonl", *model, "--out", tmp_path], "not made here"),
    ):
        done = CliRunner().invoke(app, ["skills", *map(str, words)])
        assert message in str(done.exception)
    assert (reviewed / "skills.jsonl").read_bytes() == before
    assert not list(tmp_path.rglob("*.sqlite"))
    run("show", tmp_path / "clusters.jsonl", "--out", tmp_path / "published")
    run("show", tmp_path / "clusters.jsonl", "--out", tmp_path / "published")


HOSTILE = "</title><script>alert(1)</script>\x00\x1b[31m[bold]\ufffe"


def hostile():
    below = SkillNode(id="2-0", name=f"below {HOSTILE}", parents=("3-0",), steps=("1-0",), top=False)
    over = SkillNode(
        id="3-0",
        name=HOSTILE,
        description=HOSTILE,
        category='"><img src=x onerror=alert(1)>',
        children=("2-0",),
        steps=("1-0",),
        examples=(HOSTILE,),
    )
    return Hierarchy({node.id: node for node in (over, below)}).checked()


def test_texts_of_skills_are_no_markup_of_the_page_and_nothing_is_loaded(tmp_path):
    page(hostile(), tmp_path / "page.html", [(0.5, 0.5)], title=HOSTILE)
    text = (tmp_path / "page.html").read_text()
    assert len(re.findall(r"<script", text)) == 1
    assert "<img" not in text
    assert "&lt;script&gt;alert(1)" in text
    assert not re.search(r"(src|href)=|url\(|@import|fetch\(", text.replace("src=x", ""))


def test_texts_of_skills_are_no_markup_of_the_terminal():
    from rich.console import Console

    console = Console(width=200, record=True, file=StringIO())
    console.print(tree(hostile()))
    shown = console.export_text(styles=False)
    assert "[bold]" in shown
    assert "\x1b[31m" not in shown


def test_graphml_is_read_back_by_networkx(tmp_path):
    import networkx as nx

    graphml(hostile(), tmp_path / "skills.graphml")
    graph = nx.read_graphml(tmp_path / "skills.graphml")
    assert list(graph.edges) == [("3-0", "2-0")]
    assert graph.nodes["3-0"]["name"] == HOSTILE.replace("\x00", "\ufffd").replace("\x1b", "\ufffd").replace(
        "\ufffe", "\ufffd"
    )


@pytest.mark.parametrize("count", [0, 1, 2, 5, 14])
def test_the_map_has_a_place_for_every_skill_and_the_same_each_time(count):
    import numpy as np

    vectors = np.random.default_rng(0).standard_normal((count, 6)).astype(np.float32)
    found = places(vectors)
    assert len(found) == count
    assert found == places(vectors)
    assert all(0 <= x <= 1 and 0 <= y <= 1 for x, y in found)


def test_the_published_skills_are_shown_by_category(shared):
    folder = shared / "data/agenticdatabench"
    words = ["--descriptions", folder / "skill-descriptions.jsonl", "--json"]
    found = json.loads(run("show", folder / "step-clusters.jsonl", *words).stdout)["categories"]
    counts = {name: len(rows) for name, rows in found.items()}
    assert sum(counts.values()) == 433
    assert counts["Data Visualization"] == 27
    assert len(counts) == 7


def test_published_skills_become_a_folder_of_ours_with_categories_and_descriptions(shared, tmp_path):
    folder = shared / "data/agenticdatabench"
    words = ["--descriptions", folder / "skill-descriptions.jsonl", "--out", tmp_path / "ours"]
    run("show", folder / "step-clusters.jsonl", *words)
    nodes = read_hierarchy(tmp_path / "ours").nodes
    assert len(nodes) == 433
    assert all(node.category and node.description for node in nodes.values())


def test_a_search_on_the_page_tells_how_many_of_each_category_are_shown(tmp_path):
    tops = {f"1-{n}": SkillNode(id=f"1-{n}", name=f"Doing {n}", category="Odd") for n in range(3)}
    page(Hierarchy(tops), tmp_path / "page.html", [(0.5, 0.5)] * 3)
    text = (tmp_path / "page.html").read_text()
    assert 'Odd (<span class="count">3</span>)' in text
    assert "here < all ? `${here} of ${all}` : all" in text


def test_of_many_skills_below_one_the_page_shows_some_and_counts_the_rest(tmp_path):
    many = {f"2-{n}": SkillNode(id=f"2-{n}", name=f"n{n}", parents=("3-0",), top=False) for n in range(45)}
    over = SkillNode(id="3-0", name="over", children=tuple(many))
    page(Hierarchy({"3-0": over, **many}), tmp_path / "page.html", [(0.5, 0.5)])
    text = (tmp_path / "page.html").read_text()
    assert text.count('class="leaf"') == 41
    assert "and 5 more" in text


def test_without_the_extra_the_message_says_what_to_install(tmp_path):
    from benchwright.cli.skills_opening import needs

    with pytest.raises(EnvironmentFault, match="not installed"):
        needs("no_such_package_at_all")
    needs("json")
