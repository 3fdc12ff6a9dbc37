"""The documented queries give the numbers of the document, from the tables alone."""

import contextlib
import json
import re
from pathlib import Path

import duckdb
import pytest

from benchwright.suite import Suite

DOCS = Path(__file__).parents[2] / "docs" / "recomputing.md"
QUERIES = {
    re.match(r"-- (\w+):", block)[1]: block for block in re.findall(r"```sql\n(.*?)```", DOCS.read_text(), re.DOTALL)
}


@pytest.fixture(scope="module")
def suite(suite, tmp_path_factory):
    """The same suite, with skills that are not everywhere, and their categories."""
    more = {"skill_categories": {"join": "Data Manipulation", "plot": "Data Visualization"}}
    labels = [
        label.model_copy(update={"skills": ("join", "plot") if place % 4 else ("join",), "extra": more})
        for place, label in enumerate(suite.labels.values())
    ]
    folder = tmp_path_factory.mktemp("recomputed") / "suite"
    return Suite.write(folder, suite.info, suite.tasks.values(), labels, suite.golds.values())


@pytest.fixture(scope="module")
def runs(make):
    return make("base", 12, 7, 20, agents=("a", "b", "oracle")), make("raised", 16, 7, raised=2.0)


@pytest.fixture(scope="module")
def document(runs, asked):
    return json.loads(asked("analyse", *(run.path for run in runs), "--json"))


@pytest.fixture(scope="module")
def folder(runs, asked, tmp_path_factory):
    """The exported tables."""
    folder = tmp_path_factory.mktemp("tables")
    asked("export", "tables", *(run.path for run in runs), "--out", folder)
    return folder


@pytest.fixture(scope="module")
def query(folder):
    """The rows of a documented query, by the values of its first columns."""

    def run(name, keys):
        with duckdb.connect() as base:
            base.execute(f"set file_search_path = '{folder}'")
            found = base.sql(QUERIES[name])
            return {
                tuple(row[:keys]): dict(zip(found.columns[keys:], row[keys:], strict=True)) for row in found.fetchall()
            }

    return run


@pytest.fixture(scope="module")
def places(document):
    """The document's cells by the run's name and the cell's id, as the tables have them."""
    return {(Path(cell["run"]).name, cell["cell"]): cell for cell in document["cells"]}


def close(found, expected):
    assert found == pytest.approx(expected, abs=1e-9, nan_ok=False)


def test_accuracy_and_coverage_of_every_cell(query, places):
    means, made = query("cells", 2), query("coverage", 2)
    assert means.keys() == places.keys()
    for place, cell in places.items():
        close(means[place], {name: cell[name] for name in ("mean", "tasks", "unscorable", "mean_all")})
        close(made[place], {"coverage": cell["coverage"]})


def test_means_by_every_label(query, document, places):
    found = query("groups", 4)
    told = {
        (*place, kind, group["name"]): group["cells"][title]
        for kind, groups in document["groups"].items()
        for group in groups
        for place, title in titles(places, document).items()
    }
    assert found.keys() == told.keys()
    for key, row in found.items():
        close(row, {name: told[key][name] for name in ("mean", "tasks")})


def titles(places, document):
    return {place: cell["title"] for place, cell in zip(places, document["cells"], strict=True)}


def test_repeated_attempts(query, places):
    found = query("pass", 2)
    assert found.keys() == {place for place, cell in places.items() if cell["pass"]}
    assert found
    for place, row in found.items():
        told = places[place]["pass"]
        close(row, {"pass_at_2": told["pass@2"], "pass_all_2": told["pass^2"]})


def test_failures(query, document, places):
    named = {title: place for place, title in titles(places, document).items()}
    told = {
        (*named[cell["title"]], name): {key: each[key] for key in ("n", "of_attempts", "of_failures")}
        for cell in document["failures"]["cells"]
        for name, each in cell["classes"].items()
    }
    found = query("failures", 3)
    assert found.keys() == told.keys()
    for key, row in found.items():
        close(row, told[key])


def test_discovery(query, document, places):
    required, reads = query("required", 3), query("reads", 3)
    for place, cell in zip(places, document["discovery"]["cells"], strict=True):
        told, row = cell["measured"], required[*place, "measured"]
        close(row.pop("opened_step") or 0, told["first_opened"]["step"] or 0)
        close(row, {name: told[name] for name in row})
        close(reads[*place, "measured"], {name: told[name] for name in ("reads", "wasted_share")})


def test_costs_and_the_front(query, document, places):
    found, front = query("cost", 2), query("front", 2)
    for place, cell in zip(places, document["cost"]["cells"], strict=True):
        close(found[place], {name: cell[name] for name in found[place]})
        assert (place in front) == bool(cell["on_front"])
    ((best,),) = [tuple(key) for key in query("best", 1)]
    assert document["cost"]["routers"]
    assert all(row["oracle"]["mean"] == pytest.approx(best) for row in document["cost"]["routers"])


def test_skills(query, document, places):
    named = titles(places, document)
    scores = query("skills", 3)
    assert len(scores) == sum(map(len, document["skills"]["scores"].values())) > 0
    for (*place, skill), row in scores.items():
        close(row, document["skills"]["scores"][named[tuple(place)]][skill])
    told = document["skills"]["representative"]
    found = query("representative", 2)
    assert {domain for domain, _ in found} == {domain for domain, skills in told.items() if skills} != set()
    for (domain, skill), row in found.items():
        close(row["weight"], told[domain][skill])
    shares = query("category_shares", 2)
    assert len(shares) == sum(map(len, document["skills"]["category_shares"].values())) > 0
    for (domain, category), row in shares.items():
        close(row["share"], document["skills"]["category_shares"][domain][category])


def test_raised_limits(query, document, runs):
    cells = {cell.id: cell.title for cell in runs[0].spec.cells}
    told = {row["before"]: row for row in document["raised"]}
    found = query("raised", 1)
    assert len(found) == 2
    for (cell,), row in found.items():
        close(row, {name: told[cells[cell]][name] for name in row})


@pytest.fixture(scope="module")
def program(folder):
    """What the documented program makes in the folder of the tables."""
    made = {}
    (text,) = re.findall(r"```python\n(.*?)```", DOCS.read_text(), re.DOTALL)
    with contextlib.chdir(folder):
        exec(text, made)
    return made


def test_intervals_and_places(program, document, places):
    told = {each.name: each for each in program["places"]}
    named = {row["title"]: row for row in document["ranks"]}
    assert len(told) == 5
    for place, cell in places.items():
        found = program["intervals"][" ".join(place)]
        close([found.mean, found.low, found.high], [cell["mean"], *cell["ci95"]])
        shown, each = named[cell["title"]], told[" ".join(place)]
        assert (each.place, [each.low, each.high], each.group) == (shown["place"], shown["places95"], shown["group"])


def test_tests_of_pairs(program, runs, asked):
    cell = runs[0].spec.cells[0].id
    pair = (f"base {cell}", f"raised {cell}")
    chosen = ("--first-cell", cell, "--second-cell", cell)
    told = json.loads(asked("compare", *(run.path for run in runs), *chosen, "--json"))
    found = program["pairs"][pair]
    close([found.p(), program["exact"][pair].p], [told["difference"]["p"], told["flips"]["mcnemar"]["p"]])
    low, high = told["difference"]["ci95"]  # of the second against the first
    assert found.interval(0.95) == pytest.approx((-high, -low), abs=2e-6)
    assert program["adjusted"][pair] >= found.p()


def test_the_router(program, document):
    told = {row["kind"]: row for row in document["cost"]["routers"]}
    close(program["router"], told["domain"]["router"]["mean"])


def test_every_documented_query_is_compared():
    used = set(re.findall(r'query\("(\w+)"', Path(__file__).read_text()))
    assert used == set(QUERIES)
