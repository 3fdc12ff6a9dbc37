"""Leaderboards: the published numbers rank as published, with what cannot be pointed out; ties; groups; left out."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from benchwright.analysis.statistics.pairs import sign_flip
from benchwright.cli import app
from benchwright.errors import InputError
from benchwright.publishing.leaderboard.apart import proportions, told_apart
from benchwright.publishing.leaderboard.contradictions import contradictions
from benchwright.publishing.leaderboard.entries import Board, Entry
from benchwright.publishing.leaderboard.ranking import rank
from benchwright.publishing.leaderboard.repository import Leaderboard
from benchwright.publishing.leaderboard.tables import tables
from benchwright.publishing.submission.counts import fitting, possible
from benchwright.publishing.submission.records import Metadata, Result, TaskLine
from benchwright.publishing.submission.strict_json import Share
from benchwright.run import Cell


def slug(text):
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-")


def section(text, title):
    return text.partition(title)[2].partition("\n## ")[0]


def rows_of(text, columns):
    """The rows of Markdown tables with so many columns, without head and rule."""
    found = [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in text.splitlines()
        if line.startswith("|")
    ]
    return [row for row in found if len(row) == columns and not set("".join(row)) <= set("-: ")]


def printed(percent):
    """A percentage as a share with the same digits: 61.1 (616 or 617) is 0.611."""
    return round(float(percent.split()[0]) / 100, 3)


@pytest.fixture(scope="session")
def site_rows(shared):
    """The published leaderboard: framework and model, then DA full, EA full, DA hard, EA hard, tokens, dollars."""
    text = section((shared / "reference" / "coda-bench.md").read_text(), "## 11. Leaderboard")
    return rows_of(text, 7)[1:]


@pytest.fixture
def asked():
    def call(*arguments, code=0):
        done = CliRunner().invoke(app, [*map(str, arguments)])
        assert done.exit_code == code, done.output + repr(done.exception)
        return done

    return call


def write_claim(folder, row, **more):
    name, da_full, ea_full, da_hard, ea_hard = row[:5]
    method, _, model = name.partition(", ")
    form = {
        "submission_id": slug(name),
        "method": method,
        "model": model,
        "results": {
            "full": {"execution_accuracy": printed(ea_full), "discovery_accuracy": printed(da_full), "n_tasks": 1009},
            "hard": {"execution_accuracy": printed(ea_hard), "discovery_accuracy": printed(da_hard), "n_tasks": 119},
        },
        "metadata": {"date": "2026-06-08"},
    } | more
    path = folder / f"{form['submission_id']}.json"
    path.write_text(json.dumps(form))
    return path


@pytest.fixture
def published(site_rows, tmp_path, asked):
    """A leaderboard of the published rows."""
    board = Board(
        title="Published",
        suite="coda_bench",
        costs={slug(row[0]): float(row[6]) for row in site_rows},
        tokens={slug(row[0]): float(row[5].replace(",", "")) for row in site_rows},
    )
    Leaderboard.create(tmp_path / "board", board)
    claims = tmp_path / "claims"
    claims.mkdir()
    files = [write_claim(claims, row) for row in reversed(site_rows)]
    asked("leaderboard", "add", *files, "--to", tmp_path / "board", "--published")
    return tmp_path / "board"


def test_the_published_numbers_load_and_rank_as_published(published, site_rows, asked):
    document = json.loads(asked("leaderboard", "rank", published, "--json", code=1).stdout)
    assert len(document["entries"]) == len(site_rows) == 10
    assert [entry["submission_id"] for entry in document["entries"]] == [slug(row[0]) for row in site_rows]
    assert [entry["place"] for entry in document["entries"]] == list(range(1, 11))
    assert {pair["test"] for pair in document["pairs"]} == {"proportions"}
    first, last = document["entries"][0]["group"], document["entries"][-1]["group"]
    assert not set(first) & set(last)  # 61.1 and 43.8 % of 1,009 tasks can be told apart
    assert set(first) & set(document["entries"][1]["group"])  # 61.1 and 60.5 % cannot
    fronts = {row["id"]: row["front"] for row in document["tables"]["costs"]}
    assert fronts[slug(site_rows[0][0])] == "yes"
    assert "no" in fronts.values()


def test_what_cannot_be_of_the_published_numbers_is_pointed_out(published, site_rows):
    board = Leaderboard.open(published)
    found = contradictions(board.board, board.entries())
    assert {item.what.partition(" (")[0] for item in found} == {"Discovery Accuracy"}  # every EA is a k of n tasks
    (column,) = (item.what for item in found if "values are no k/119" in item.what)
    assert column.startswith("Discovery Accuracy (hard): ")
    assert column.endswith("all 10 are k/m for m = 114")


def test_an_impossible_number_is_refused_unless_it_is_taken_as_published(site_rows, tmp_path, asked):
    Leaderboard.create(tmp_path / "board", Board(suite="coda_bench"))
    odd = next(row for row in site_rows if not possible(Share(printed(row[3]), 3), 119))
    path = write_claim(tmp_path, odd)
    refused = asked("leaderboard", "add", path, "--to", tmp_path / "board", code=1)
    assert "k/119 for no whole k: the nearest are " in refused.stderr
    assert Leaderboard.open(tmp_path / "board").entries() == ()


def test_discovery_of_the_repository_s_documents_contradicts_the_site_and_itself(
    shared, published, site_rows, asked, tmp_path
):
    """The same systems, other numbers: 47.2, 43.1 and 41.8 % are no k of 119 tasks."""
    text = (shared / "reference" / "coda-bench.md").read_text()
    said = text.partition("Repository documents give DA full ")[2]
    full = said.partition(" (")[0].split(" / ")
    hard = said.partition(" and hard ")[2].partition(" for ")[0].split(" / ")
    chosen = [site_rows[at] for at in (0, 2, 3, 4)]
    files = [
        write_claim(tmp_path, [row[0], *pair], submission_id=f"documents-{slug(row[0])}")
        for row, da_full, da_hard in zip(chosen, full, hard, strict=True)
        for pair in ([da_full, row[2], da_hard, row[4]],)
    ]
    asked("leaderboard", "add", *files, "--to", published, "--published")
    board = Leaderboard.open(published)
    found = [item.what for item in contradictions(board.board, board.entries())]
    impossible = sorted(re.findall(r"Discovery Accuracy \(hard\) of (0\.\d+) is k/119", "\n".join(found)))
    assert {"0.472", "0.431", "0.418"} <= set(impossible)
    assert "0.487" not in impossible
    differ = [what for what in found if what.startswith("two claims of")]
    assert len(differ) == 4
    assert all("Execution" not in what for what in differ)


def test_the_protocol_s_own_example_is_a_claim_with_two_shares_that_are_counts(tmp_path, asked):
    form = {
        "method": "YourAgent-v1",
        "model": "M",
        "ea_full": 0.611,
        "ea_hard": 0.496,
        "da_full": 0.523,
        "da_hard": 0.487,
    }
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(form | {"metadata": {"date": "2026-06-08", "contact": "your@email.com"}}))
    asked("submission", "check", path)
    Leaderboard.create(tmp_path / "board", Board(suite="coda_bench"))
    asked("leaderboard", "add", path, "--to", tmp_path / "board")
    (entry,) = Leaderboard.open(tmp_path / "board").entries()
    assert (entry.id, entry.status, entry.results["hard"].n_tasks) == ("mine", "claim", 119)


def test_agentic_data_bench_s_published_totals_rank_with_their_costs_and_are_no_counts(shared):
    text = (shared / "reference" / "agenticdatabench-testbed.md").read_text()
    rows = [row for row in rows_of(section(text, "## 9."), 7) if row[0][:3] in ("SA ", "DA ", "CC ", "CX ")]
    models = ("Qwen3.5", "Kimi-K2.5", "Claude 4.6")
    entries = [
        entry(slug(f"{row[0]} {model}"), float(total) / 100, method=row[0], model=model, cost_usd=float(cost))
        for row in rows
        for model, total, cost in zip(models, row[6].split(" / "), row[3].split(" / "), strict=True)
    ]
    assert len(entries) == 12
    board = Board(suite="agentic_data_bench", partial=True, then=())
    ranking = rank(board, entries)
    assert [item.entry.accuracy("full") for item in ranking.ranked] == sorted(
        (e.accuracy("full") for e in entries), reverse=True
    )
    assert ranking.entries[0].accuracy("full") == 0.488
    assert contradictions(board, entries) == ()
    costs = next(table for table in tables(ranking) if table.name == "costs")
    assert sum(row["front"] == "yes" for row in costs.rows) >= 2


def test_dsbc_s_published_overall_accuracies_are_counts_of_3333_and_rank(shared):
    text = (shared / "reference" / "dsbc.md").read_text()
    rows = [row for row in rows_of(section(text, "## 10."), 7) if row[2] in ("raw", "clean")]
    assert len(rows) == 15
    overall = [setup(row, 5, 3333) for row in rows]
    assert contradictions(Board(), overall) == ()
    best = rank(Board(then=()), overall).entries[0]
    assert (best.title, best.accuracy("full")) == ("multi raw, Claude-4-Sonnet", pytest.approx(0.59916))
    for column in (3, 4):  # the highest and the lowest are of 303 questions each
        assert contradictions(Board(), [setup(row, column, 303) for row in rows]) == ()
    assert contradictions(Board(), [setup(row, 5, 303) for row in rows])  # over 303 questions they could not be


def setup(row, column, n):
    """A setup of Table 7 as an entry: one of its accuracies, over so many answers."""
    share = Share(float(row[column].split()[0]) / 100, 5)
    return entry(slug(f"{row[0]} {row[1]} {row[2]} {column}"), share, n, method=f"{row[1]} {row[2]}", model=row[0])


def entry(name, ea=0.5, n=1009, *, hard=None, da=None, da_hard=None, date="", method="m", model="", **more):
    results = {"full": Result(execution_accuracy=ea, discovery_accuracy=da, n_tasks=n)}
    if hard is not None or da_hard is not None:
        results["hard"] = Result(execution_accuracy=hard, discovery_accuracy=da_hard, n_tasks=119)
    return Entry(name, method, model, "", Metadata(date=date), results, "claim", **more)


def test_ties_are_broken_as_the_protocol_says_and_equal_entries_share_a_place():
    entries = [
        entry("f", 0.4),
        entry("e2", hard=0.5, da=0.5, da_hard=0.5, date="2026-06-02"),
        entry("e1", hard=0.5, da=0.5, da_hard=0.5, date="2026-06-01"),
        entry("e1b", hard=0.5, da=0.5, da_hard=0.5, date="2026-06-01"),
        entry("d", hard=0.5, da=0.5, da_hard=0.6, date="2026-07-01"),
        entry("c", hard=0.5, da=0.6, da_hard=0.1, date="2026-07-01"),
        entry("b", hard=0.6, da=0.1, da_hard=0.1, date="2026-07-01"),
        entry("a", 0.6, hard=0.1),
        entry("g", 0.4, da=0.0),
    ]
    ranking = rank(Board(), entries)
    assert [(item.entry.id, item.place) for item in ranking.ranked] == [
        ("a", 1), ("b", 2), ("c", 3), ("d", 4), ("e1", 5), ("e1b", 5), ("e2", 7), ("g", 8), ("f", 9),
    ]  # fmt: skip
    assert rank(Board(), entries, "hard").entries[0].id == "b"


def test_withdrawn_entries_and_those_of_another_release_have_no_place():
    entries = [entry("a"), entry("b", withdrawn="a leak"), entry("c", release="v1.0.0"), entry("d", suite="lake")]
    ranking = rank(Board(suite="coda_bench", release="v1.0.1"), entries)
    assert [item.id for item in ranking.entries] == ["a"]
    assert [why for _, why in ranking.outside] == [
        "withdrawn: a leak",
        "of another release: v1.0.0",
        "of another suite: lake",
    ]


def lines(values, domains=2):
    return tuple(TaskLine(id=f"t{n}", domain=f"d{n % domains}", sound=Share(value)) for n, value in enumerate(values))


def by_task(name, values, domains=2, **more):
    return entry(name, sum(values) / len(values), len(values), lines=lines(values, domains), rule="sound", **more)


def test_entries_that_tell_their_tasks_are_compared_in_pairs_and_others_by_proportions():
    """One is right wherever the other is, and on 12 tasks more: paired that is plain, as two proportions it is not."""
    low, high = [1.0] * 40 + [0.0] * 60, [1.0] * 52 + [0.0] * 48
    paired = told_apart([by_task("high", high), by_task("low", low)], "full")
    assert (paired.pairs[0].way, paired.groups) == ("paired", {"high": "a", "low": "b"})
    claim = told_apart([by_task("high", high), entry("low", 0.4, 100)], "full")
    assert (claim.pairs[0].way, claim.groups) == ("proportions", {"high": "a", "low": "a"})
    assert paired.pairs[0].p < 0.001 < 0.05 < claim.pairs[0].p
    assert proportions((0.5, 100), (0.5, 100)) == 1.0
    assert proportions((0.52, 100), (0.40, 100)) == pytest.approx(0.0889, abs=1e-3)  # by hand: z = 1.701


@pytest.mark.parametrize("domains", [3, 20])
def test_pairs_have_the_p_of_the_paired_test_by_tasks_or_by_domains(domains):
    values = [[float((n * k) % 7 < 3) for n in range(60)] for k in (1, 2, 3)]
    entries = [by_task(f"e{k}", each, domains) for k, each in enumerate(values)]
    found = {(pair.first, pair.second): pair.p for pair in told_apart(entries, "full").pairs}
    groups = [f"d{n % domains}" for n in range(60)] if domains >= 8 else None
    assert len(found) == 3
    for (one, two), p in found.items():
        first, second = values[int(one[1])], values[int(two[1])]
        assert p == sign_flip([a - b for a, b in zip(first, second, strict=True)], groups)


def test_intervals_go_over_domains_where_there_are_enough_and_two_of_one_name_stay_two():
    """Domains that are all right or all wrong tell as much as ten values, not as a hundred."""
    values = [float(n % 10 < 5) for n in range(100)]
    ranking = rank(
        Board(then=()), [by_task("alike", values, 10), by_task("other", values, 2), entry("claim", 0.5, 100)]
    )
    found = {item.entry.id: item.high - item.low for item in ranking.ranked}
    assert found["alike"] > 2 * found["claim"] == pytest.approx(2 * found["other"])
    matrix = next(table for table in tables(ranking) if table.name == "domains")
    assert {row["agent"] for row in matrix.rows} == {"m (alike)", "m (other)"}


def test_domains_costs_and_sweeps_have_tables():
    at = [
        by_task(
            f"t{step}",
            [1.0] * (60 + step) + [0.0] * (40 - step),
            cost_usd=0.1,
            cell=Cell(agent="single_code", model="m", generation={"temperature": step / 10}),
        )
        for step in (0, 5, 9, 3)
    ]
    made = {table.name: table for table in tables(rank(Board(then=()), at))}
    (sweep,) = made["sweeps"].rows
    assert (sweep["highest"], sweep["highest_at"], sweep["lowest"], sweep["lowest_at"]) == (0.69, 0.9, 0.6, 0.0)
    assert sweep["overall"] == pytest.approx((60 + 65 + 69 + 63) / 400)
    assert sweep["sd"] == pytest.approx(0.03269, abs=1e-4)
    assert {row["domain"] for row in made["domains"].rows} == {"d0", "d1"}
    assert len(made["domains"].grid.lines) == 2
    assert made["costs"].rows[0]["usd_per_right"] == pytest.approx(0.1 / 0.69)


def test_an_id_is_taken_once_and_an_entry_is_withdrawn_and_made_anonymous(site_rows, tmp_path, asked):
    folder = tmp_path / "board"
    one, two = slug(site_rows[0][0]), slug(site_rows[1][0])
    Leaderboard.create(folder, Board(suite="coda_bench", anonymous=(two,)))
    files = [write_claim(tmp_path, row, organization="Somebody") for row in site_rows[:2]]
    asked("leaderboard", "add", *files, "--to", folder, "--published")
    assert "already" in asked("leaderboard", "add", files[0], "--to", folder, "--published", code=1).stderr
    asked("leaderboard", "withdraw", folder, one, "--reason", "wrong data")
    shown = asked("leaderboard", "rank", folder, code=1).stdout
    assert "withdrawn: wrong data" in shown
    (ranked,) = rank(Leaderboard.open(folder).board, Leaderboard.open(folder).entries()).entries
    assert (ranked.method, ranked.model, ranked.organization) == ("anonymous-1", "", "")
    with pytest.raises(InputError, match="no submission 'x'"):
        Leaderboard.open(folder).withdraw("x", "wrong")


@given(st.integers(1, 400), st.data(), st.integers(1, 6))
def test_every_count_is_possible_at_every_precision_and_no_other_is_taken_for_it(n, data, decimals):
    k = data.draw(st.integers(0, n))
    share = Share(round(k / n, decimals), decimals)
    found = possible(share, n)
    assert k in found
    assert all(abs(each / n - share) <= 0.5 * 10.0**-decimals + 1e-9 for each in found)
    assert n in fitting([share], n, 1)
    assert not possible(Share(min(1.0, (k + 0.5) / n), 9), n) or n > 10**8 or k == n
