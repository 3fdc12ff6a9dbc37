import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from benchwright.cli import app
from benchwright.errors import InputError
from benchwright.profiles.finding_relations import Table, find_relations, read_tables
from benchwright.profiles.relations import Join, Overlap, Repeat, UnitGap, read_relations
from benchwright.profiles.reviewed import honoured, read_review, usable
from benchwright.profiles.units import unit_of
from benchwright.profiles.value_sets import Gathering, ValueSet, meeting


def table(name, /, **columns):
    made = Table(name)
    made.add(pl.DataFrame(columns))
    return made


def joins(*tables):
    return {
        (f"{j.left}.{j.left_column}", f"{j.right}.{j.right_column}"): j
        for j in find_relations(tables)
        if isinstance(j, Join)
    }


def value_set(values):
    gathered = Gathering("t", "c")
    gathered.add(pl.Series(values))
    return gathered.found()


@given(st.sets(st.integers(-50, 50), min_size=2), st.sets(st.integers(-50, 50), min_size=2))
def test_the_share_of_a_columns_values_that_another_has_is_exact(ours, theirs):
    left, right = value_set(sorted(ours)), value_set(sorted(theirs))
    assert left.share_in(right) == pytest.approx(len(ours & theirs) / len(ours))
    span = range(min(ours), max(ours) + 1)
    assert left.chance_in(right) == pytest.approx(len(theirs.intersection(span)) / len(span))


def test_of_long_columns_the_share_is_estimated_from_the_smallest_hashes():
    rng = np.random.default_rng(0)
    many = np.unique(rng.integers(0, 2**63, 600_000))
    left, right = value_set(many[:400_000]), value_set(many[100_000:])
    assert not left.exact
    assert left.share_in(right) == pytest.approx(0.75, abs=0.01)
    few = ValueSet("t", "c", "integer", 5, 5, exact=True, hashes=np.arange(5, dtype=np.uint64) + np.uint64(2**63))
    assert few.share_in(right) is None


def test_a_foreign_key_is_found_without_a_word_in_common_and_whole_numbers_by_accident_are_not():
    ids = [7001, 8012, 9120, 10233, 15001, 22017, 31009, 40404]
    people = table("people.csv", code=ids, age=[31, 45, 29, 31, 60, 18, 77, 45])
    orders = table("orders.csv", buyer=ids[:6] * 3, amount=list(range(18)))
    found = joins(people, orders)
    assert list(found) == [("orders.csv.buyer", "people.csv.code")]
    join = found["orders.csv.buyer", "people.csv.code"]
    assert (join.contained, join.shape, join.exact, join.names) == (1.0, "many to one", True, 0.0)
    assert join.score > 0.99


def test_like_names_make_a_join_of_dense_numbers_and_a_tables_name_belongs_to_its_columns():
    customers = table("customers.csv", id=list(range(1, 101)), visits=[k % 7 for k in range(100)])
    orders = table("orders.csv", customer_id=[1 + k % 80 for k in range(300)], quantity=[1 + k % 9 for k in range(300)])
    found = joins(customers, orders)
    assert list(found) == [("orders.csv.customer_id", "customers.csv.id")]
    assert found["orders.csv.customer_id", "customers.csv.id"].names == 1.0


def test_names_alone_make_no_join():
    assert not joins(table("a", key=[1, 2, 3, 4, 5]), table("b", key=[11, 12, 13, 14, 15]))
    assert not joins(table("a", flag=["yes", "no", "no"]), table("b", flag=["no", "yes", "no"]))


def test_text_joins_whatever_its_case_and_outer_spaces():
    left = table("a", Country=["Chad", "Peru", "Mali", "Oman", "Cuba"])
    right = table("b", nation=[" chad", "PERU", "mali ", "oman", "cuba", "fiji"] * 2)
    assert joins(left, right)["a.Country", "b.nation"].contained == 1.0


def test_copies_are_told_as_copies_and_not_as_joins_of_all_their_columns():
    rows = {"id": list(range(100, 200)), "name": [f"n{k}" for k in range(100)]}
    older = {name: values[:80] for name, values in reversed(rows.items())}
    (only,) = find_relations([table("new.csv", **rows), table("old.csv", **older)])
    assert only == Repeat(left="new.csv", right="old.csv", left_in_right=0.8, right_in_left=1.0, exact=True)


def test_units_and_times_are_hinted_at():
    days = pl.Series(["2024-01-01", "2024-01-02", "2024-01-03", "2024-01-04"])
    months = pl.Series(["01/12/2023", "01/01/2024", "01/02/2024", "01/03/2024"])
    found = find_relations(
        [table("a", day=days, weight_kg=[1.5, 2.5, 3.5, 4.5]), table("b", month=months, WeightLb=[3.5, 5.5, 7.5, 9.5])]
    )
    units = [each for each in found if isinstance(each, UnitGap)]
    assert [(each.left_unit, each.right_unit) for each in units] == [("kg", "lb")]
    (time,) = [each for each in found if isinstance(each, Overlap)]
    assert (time.start, time.end, time.left_step, time.right_step) == ("2024-01-01", "2024-01-04", 1.0, 31.0)


@pytest.mark.parametrize(
    ("column", "unit"),
    [("temp_c", "c"), ("Temp (°F)", "f"), ("priceEUR", "eur"), ("Distance miles", "mi"), ("m", None), ("colour", None)],
)
def test_units_are_read_from_the_end_of_names(column, unit):
    found = unit_of(column)
    assert (found and found.name) == unit


def test_relations_are_written_for_review_and_read_back(tmp_path):
    (tmp_path / "a.csv").write_text("code,x\n" + "".join(f"k{n},{n / 3}\n" for n in range(20)))
    (tmp_path / "b.jsonl").write_text("".join(json.dumps({"ref": f"K{n % 20}"}) + "\n" for n in range(60)))
    (tmp_path / "broken.json").write_text("{")
    out = tmp_path / "relations.jsonl"
    done = CliRunner().invoke(app, ["profile", str(tmp_path), "--relations", "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "passed over" in done.stderr
    (join,) = read_relations(out)
    assert (join.left, join.left_column, join.right_column, join.accepted) == ("a.csv", "code", "ref", None)
    reviewed = json.loads(out.read_text()) | {"accepted": True}
    out.write_text(json.dumps(reviewed) + "\n")
    assert read_relations(out)[0].accepted is True
    out.write_text(json.dumps(reviewed | {"kind": "marriage"}) + "\n")
    with pytest.raises(InputError, match="line 1: no relation"):
        read_relations(out)
    with pytest.raises(InputError, match="no such file"):
        read_tables([tmp_path / "nothing"])


def test_the_joins_of_real_files_are_the_ones_that_a_person_finds(shared):
    found = find_relations(read_tables([shared / "data/dsbc"]).read)
    best = {(join.left_column, join.right_column) for join in found if isinstance(join, Join) and join.score > 0.7}
    assert best == {
        ("country", "country_name"),
        ("ISO3", "country_code"),
        ("country", "country"),
    }


@given(st.lists(st.lists(st.integers(0, 40), min_size=1, max_size=40), min_size=2, max_size=12))
def test_pairs_of_columns_that_share_half_of_their_values_meet_and_no_pair_twice(columns):
    sets = [gathered(f"t{number}", pl.Series("c", values)) for number, values in enumerate(columns)]
    ordered = sorted((each for each in sets if each is not None), key=lambda each: (each.distinct, each.table))
    met = [(one.table, other.table) for one, other in meeting(ordered)]
    assert len(met) == len(set(met))
    for place, one in enumerate(ordered):
        for other in ordered[place + 1 :]:
            if one.distinct <= 16 and (one.share_in(other) or 0) > 0:
                assert (one.table, other.table) in met
            if not one.share_in(other):
                assert (one.table, other.table) not in met


def test_the_work_follows_the_pairs_that_have_values_in_common():
    sets = [gathered(f"t{number}", pl.Series("c", [f"{number}-{row}" for row in range(20)])) for number in range(300)]
    twin = gathered("twin", pl.Series("c", [f"7-{row}" for row in range(30)]))
    assert [(one.table, other.table) for one, other in meeting([*sets, twin])] == [("t7", "twin")]


def test_links_in_folders_are_not_followed(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "out.csv").write_text("secret,b\n1,2\n")
    (tmp_path / "in" / "a.csv").write_text("a,b\n1,2\n")
    (tmp_path / "in" / "link.csv").symlink_to(tmp_path / "out.csv")
    assert [table.name for table in read_tables([tmp_path / "in"]).read] == ["a.csv"]


def gathered(table, series):
    gathering = Gathering(table, series.name)
    gathering.add(series)
    return gathering.found()


def reviewed_file(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def shop(tmp_path):
    """Customers, their orders, and a table whose `code` joins with neither by name nor by half of its values."""
    folder = tmp_path / "shop"
    folder.mkdir()
    ids = range(100, 160)
    pl.DataFrame({"id": ids, "town": [f"town {n % 9}" for n in ids]}).write_csv(folder / "customers.csv")
    orders = [100 + n * 7 % 60 for n in range(300)]
    pl.DataFrame({"order": range(9000, 9300), "customer_id": orders}).write_csv(folder / "orders.csv")
    pl.DataFrame({"code": [f"Town {n}" for n in range(5, 45)], "share": [n / 7 for n in range(40)]}).write_csv(
        folder / "codes.csv"
    )
    return folder


def ends(join):
    return {(join.left, join.left_column), (join.right, join.right_column)}


ADDED = {"kind": "join", "left": "codes.csv", "left_column": "code", "right": "customers.csv", "right_column": "town"}


def test_what_reviewers_accepted_refused_and_added_is_honoured_when_measured_again(shop, tmp_path):
    tables = read_tables([shop]).read
    found = [each for each in find_relations(tables) if isinstance(each, Join)]
    join = next(each for each in found if ends(each) == {("customers.csv", "id"), ("orders.csv", "customer_id")})
    rows = [{**join.to_json(), "accepted": False}, ADDED]
    review = read_review(reviewed_file(tmp_path / "r.jsonl", *rows))
    told = {frozenset(ends(each)): each for each in honoured(tables, found, review)}
    assert told[frozenset(ends(join))].accepted is False
    added = told[frozenset({("codes.csv", "code"), ("customers.csv", "town")})]
    assert added.accepted is True
    assert added.contained == pytest.approx(4 / 40)  # measured, not believed
    assert frozenset(ends(join)) not in {frozenset(ends(each)) for each in usable(told.values())}


def test_sides_of_a_reviewed_relation_may_be_changed_over(shop, tmp_path):
    tables = read_tables([shop]).read
    found = find_relations(tables)
    join = next(each for each in found if isinstance(each, Join))
    turned = {
        "kind": "join",
        "left": join.right,
        "left_column": join.right_column,
        "right": join.left,
        "right_column": join.left_column,
    }
    review = read_review(reviewed_file(tmp_path / "r.jsonl", {**turned, "accepted": False}))
    assert [each.accepted for each in honoured(tables, found, review) if ends(each) == ends(join)] == [False]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"left": "gone.csv"}, "no table gone.csv"),
        ({"left_column": "nothing"}, "no column nothing"),
        ({"left_column": "share"}, "cannot be"),
    ],
)
def test_an_added_join_of_what_is_not_there_is_refused_with_its_name(shop, tmp_path, change, told):
    review = read_review(reviewed_file(tmp_path / "r.jsonl", {**ADDED, **change}))
    with pytest.raises(InputError, match=told):
        honoured(read_tables([shop]).read, (), review)
    refused = read_review(reviewed_file(tmp_path / "r.jsonl", {**ADDED, **change, "accepted": False}))
    assert honoured(read_tables([shop]).read, (), refused) == ()


def test_lines_that_contradict_each_other_are_named(tmp_path):
    with pytest.raises(InputError, match="line 2: contradicts"):
        read_review(reviewed_file(tmp_path / "r.jsonl", ADDED, {**ADDED, "accepted": False}))
    with pytest.raises(InputError, match="line 1: no relation"):
        read_review(reviewed_file(tmp_path / "r.jsonl", {"kind": "marriage"}))


def test_the_command_takes_a_reviewed_file_and_writes_what_it_says(shop, tmp_path):
    run = CliRunner().invoke
    first, second = tmp_path / "1.jsonl", tmp_path / "2.jsonl"
    assert run(app, ["profile", str(shop), "--relations", "--out", str(first)]).exit_code == 0
    rows = [{**json.loads(line), "accepted": False} for line in first.read_text().splitlines()]
    reviewed_file(first, *rows, ADDED)
    told = run(app, ["profile", str(shop), "--relations", "--reviewed", str(first), "--out", str(second), "--json"])
    assert told.exit_code == 0, told.output
    assert [each["accepted"] for each in json.loads(told.stdout)] == [*[False] * len(rows), True]
    assert len(read_relations(second)) == len(rows) + 1


def test_generation_is_given_what_reviewers_left_and_added_of_each_room(shop, tmp_path):
    from benchwright.generation.material import prepare

    data = tmp_path / "data"
    data.mkdir()
    shop.rename(data / "shop")
    lines = tmp_path / "r.jsonl"
    CliRunner().invoke(app, ["profile", str(data), "--relations", "--out", str(lines)])
    rows = [json.loads(line) for line in lines.read_text().splitlines()]
    assert rows
    assert all(row["left"].startswith("shop/") for row in rows)
    inside = {**ADDED, "left": "shop/codes.csv", "right": "shop/customers.csv"}
    reviewed_file(lines, *({**row, "accepted": False} for row in rows), inside)
    (room,) = prepare(data, tmp_path / "suite", tmp_path / "work", lambda _: None, lines)
    assert [ends(each) for each in room.material.relations] == [{("codes.csv", "code"), ("customers.csv", "town")}]
    (plain,) = prepare(data, tmp_path / "suite", tmp_path / "work", lambda _: None)
    assert len(plain.material.relations) == len(rows)


def test_files_that_are_not_asked_for_are_not_opened(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    (tmp_path / "broken.parquet").write_text("PAR1 and nothing more")
    assert list(read_tables([tmp_path]).unread) == ["broken.parquet"]  # opened, and not read
    asked = read_tables([tmp_path], frozenset(("a.csv",)))
    assert ([table.name for table in asked.read], asked.unread) == (["a.csv"], {})


def test_what_a_profile_could_not_read_is_not_opened_to_relate_it(tmp_path):
    from benchwright.profiles.folders import Looking
    from benchwright.profiles.sound import read_sound_tables

    rows = "id,v\n" + "".join(f"{n},{n * 2}\n" for n in range(50))
    (tmp_path / "good.csv").write_text(rows)
    (tmp_path / "deep.json").write_text("[" * 100_000)
    with (tmp_path / "sparse.csv").open("wb") as stream:
        stream.truncate(1 << 37)
    found = read_sound_tables([tmp_path], Looking(cache=None))
    assert [table.name for table in found.read] == ["good.csv"]
    assert "nested too deeply" in found.unread["deep.json"]
    assert "only its beginning was looked at" in found.unread["sparse.csv"]
    with pytest.raises(InputError, match="cannot be read"):
        read_sound_tables([tmp_path / "deep.json"], Looking(cache=None))
