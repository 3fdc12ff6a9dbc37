"""The published scorers against the same rules written down once more, plainly: on files, options and values of any kind."""

import json
import math
import sqlite3
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.scorers.reference.agentic_data_bench import published_rules as plain

from benchwright.gold import Check, Gold
from benchwright.score import Scored
from benchwright.scorers.base import Expected
from benchwright.scorers.reference.agentic_data_bench import AgenticDataBenchScorer
from benchwright.task import Task
from benchwright.trajectory import Submission

SETTINGS = settings(max_examples=150, deadline=None)
pytestmark = pytest.mark.filterwarnings("ignore")  # the libraries that both sides call warn of odd numbers


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("calls")


def ours(folder, function, output, *golds, **arguments):
    """A published call's score, or the class of the error that it raises."""
    published = {"function": function, "arguments": arguments}
    names = tuple(path.name for path in golds)
    check = Check(scorer="any", output=output.name, golds=names, options={"published": published})
    expected = Expected(task=Task(id="t", question="?"), gold=Gold(task_id="t"), check=check, files=folder)
    files = {path.name: path for path in output.parent.glob(f"{output.stem}.*")} if output.exists() else {}
    score = AgenticDataBenchScorer().score(Submission(files=files), expected)
    assert isinstance(score, Scored), score
    return score.details["error"].partition(":")[0] if score.details.get("raised") else score.value


def same(mine, wanted):
    return mine == wanted if isinstance(wanted, str) else mine == pytest.approx(wanted, abs=1e-9)


def put(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


# --- tables

NUMBERS = st.one_of(
    st.integers(-3, 3),
    st.sampled_from([0.0, 0.005, 0.015, 1.004, 1.005, 1.01, 99.5, 100, 100.9, 1e-13, -1e-12, 2**53, 2**63 - 1, 2**64]),
    st.floats(-1e4, 1e4).map(lambda value: round(value, 3)),
    st.floats(allow_nan=False),
).map(repr)
CELL = st.one_of(
    NUMBERS,
    st.sampled_from(["", "NA", "nan", "True", "false", "A ", " a", "x", "00123", '"q,r"', '"two\nlines"', "é", "1,5"]),
)
KINDS = [NUMBERS, CELL, st.sampled_from(["True", "False"]), st.sampled_from(["a", "A", "b", ""])]
NAMES = ["a", "b", "c", "a"]


@st.composite
def tables(draw, width=None):
    width = width or draw(st.integers(1, 4))
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=width, max_size=width))
    rows = draw(st.lists(st.tuples(*kinds), min_size=0, max_size=5))
    return [NAMES[:width], *rows]


def written(rows, ending="\n", final=True, mark=False):
    text = ending.join(",".join(row) for row in rows) + ending * final
    return text.encode("utf-8-sig" if mark else "utf-8")


@st.composite
def pairs(draw):
    """A gold and what was handed in: mostly the gold with cells, rows or columns changed."""
    gold = draw(tables())
    way = draw(st.sampled_from(["same", "other", "cells", "rows", "columns", "more"]))
    found = draw(tables(len(gold[0]))) if way == "other" else [list(row) for row in gold]
    if way == "cells" and len(found) > 1:
        row = draw(st.integers(1, len(found) - 1))
        place = draw(st.integers(0, len(found[0]) - 1))
        found[row][place] = draw(CELL)
    if way == "rows":
        found = [found[0], *draw(st.permutations(found[1:]))]
    if way == "columns":
        turn = draw(st.permutations(range(len(found[0]))))
        found = [[row[place] for place in turn] for row in found]
    if way == "more":
        found += draw(st.lists(st.tuples(*[CELL] * len(found[0])), max_size=3))
    return written(gold, draw(st.sampled_from(["\n", "\r\n"])), draw(st.booleans()), draw(st.booleans())), written(
        found, draw(st.sampled_from(["\n", "\r\n"])), draw(st.booleans()), draw(st.booleans())
    )


THRESHOLDS = st.lists(
    st.tuples(st.sampled_from(["a", "b", "c", "zz", 0, 1, 3, 9]), st.sampled_from([None, 0, 0.02, 0.3, 1e-5, -1])),
    max_size=3,
    unique_by=lambda pair: pair[0],
)
COLUMNS = st.none() | st.lists(st.sampled_from(["a", "b", "c", "a.1", "zz"]), max_size=3, unique=True)


@SETTINGS
@given(pairs(), st.none() | st.booleans(), COLUMNS, THRESHOLDS)
def test_tables(folder, sides, free, columns, thresholds):
    gold, output = put(folder / "result.csv", sides[0]), put(folder / "output.csv", sides[1])
    options = {"ignore_order": free, "specified_columns": columns, "thresholds": thresholds}
    options = {name: value for name, value in options.items() if value is not None}
    wanted = plain.outcome(plain.csv, output, gold, **options)
    assert same(ours(folder, "compare_csv", output, gold, **options), wanted)


@SETTINGS
@given(pairs(), pairs(), st.lists(st.booleans(), min_size=2, max_size=2), THRESHOLDS)
def test_tables_with_two_golds(folder, first, second, orders, thresholds):
    output = put(folder / "output.csv", first[1])
    golds = [put(folder / f"result{number}.csv", pair[0]) for number, pair in enumerate((first, second))]
    options = {"ignore_order": orders, "specified_columns": [[], ["a"]], "thresholds": thresholds}
    wanted = plain.outcome(plain.csv, output, golds, **options)
    assert same(ours(folder, "compare_csv", output, *golds, **options), wanted)


@pytest.mark.parametrize(
    "content",
    [b"", b"\n", b"\n\n", b"a", b"a\n", b"a,b\n1\n", b"a\n1,2\n3,4\n", b"a,b\n1,2,3\n4,5,6\n", b'a\n"open\n', b"a\n1\n1,2\n", b"\xef\xbb\xbfa\n1\n",
     "a\n1\n".encode("utf-16"), "a\né\n".encode("latin-1"), b"a\x00b\n1\n", b"a,a\n1,2\n", b"a;b\n1;2\n", b"a\r1\r2\r", b" a \n 1 \n", b"a\n1\n\n2\n",
     b"a\n18446744073709551616\n-1\n", b"a,b\n9223372036854775808,1.5\n-1,2\n", b"1\n2\n"],
)  # fmt: skip
@pytest.mark.parametrize("free", [True, False])
def test_odd_tables(folder, content, free):
    gold = put(folder / "result.csv", b"a\n1\n")
    for files in ((content, gold.read_bytes()), (b"a\n1\n2\n", content), (content, content)):
        output, gold = put(folder / "output.csv", files[0]), put(folder / "result.csv", files[1])
        wanted = plain.outcome(plain.csv, output, gold, ignore_order=free)
        assert same(ours(folder, "compare_csv", output, gold, ignore_order=free), wanted), files


# --- documents

KEYS = st.sampled_from(
    ["a", "b", "the a", "user_name", "User Name", "name", "mean", "rate of", "of", "", "train_r2", "r2"]
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([0.0, 1.0, 1.005, 1.0101, 100, 101, 1e-13, float("nan"), float("inf"), 10**400])
    | st.sampled_from(["a", " A", "none", "None", "true", "1", "nan", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=4)
RULES = st.dictionaries(
    KEYS,
    st.recursive(
        st.none() | st.sampled_from([0, 0.01, 0.5, [0, 1], [1, 0.5], [1, 1], True]),
        lambda inner: st.dictionaries(KEYS, inner, max_size=3),
        max_leaves=4,
    ),
    max_size=3,
)


@st.composite
def documents(draw):
    """A gold and what was handed in, with one value changed, or something else altogether."""
    gold = draw(OBJECTS | st.lists(OBJECTS | st.integers(), max_size=3) | VALUES)
    way = draw(st.sampled_from(["same", "other", "changed"]))
    found = json.loads(json.dumps(gold)) if way != "other" else draw(OBJECTS | VALUES)
    if way == "changed":
        rows = found if isinstance(found, list) else [found]
        for row in rows:
            if isinstance(row, dict) and row:
                row[draw(st.sampled_from(sorted(row)))] = draw(VALUES)
                break
    return gold, found


@settings(SETTINGS, max_examples=500)
@given(documents(), st.none() | RULES, st.none() | st.lists(KEYS, max_size=2))
def test_documents(folder, sides, thresholds, keys):
    gold, output = (
        put(folder / name, json.dumps(side)) for name, side in zip(("r.json", "o.json"), sides, strict=True)
    )
    wanted = plain.outcome(plain.json_fields, output, gold, thresholds, keys)
    assert same(ours(folder, "compare_json", output, gold, thresholds=thresholds, matched_keys=keys), wanted)


@settings(SETTINGS, max_examples=300)
@given(documents(), RULES)
def test_documents_that_report_of_themselves_beside_a_gold(folder, sides, rules):
    gold, output = (
        put(folder / name, json.dumps(side)) for name, side in zip(("r.json", "o.json"), sides, strict=True)
    )
    wanted = plain.outcome(plain.json_normalized, output, rules, gold)
    assert same(ours(folder, "compare_json_normalized", output, gold, thresholds=rules), wanted)


@settings(SETTINGS, max_examples=300)
@given(OBJECTS | VALUES, RULES)
def test_documents_that_report_of_themselves(folder, found, rules):
    output = put(folder / "o.json", json.dumps(found))
    wanted = plain.outcome(plain.json_normalized, output, rules)
    assert same(ours(folder, "compare_json_normalized", output, thresholds=rules), wanted)


@pytest.mark.parametrize(
    "content",
    [b"", b"null", b"[]", b"{}", b"{'a': 1}", b'\xef\xbb\xbf{"a": 1}', '{"a": 1}'.encode("utf-16"), b'{"a": 1, "a": 2}', b'{"a": NaN}',
     '{"a": "é"}'.encode("latin-1"), b'{"a": 1} x', b"[[1], [2]]", b'"a"', b'{"a": -Infinity}'],
)  # fmt: skip
@pytest.mark.parametrize("rule", [None, 0.1, [0, 2]])
def test_odd_documents(folder, content, rule):
    for files in ((content, b'{"a": 1}'), (b'{"a": 1}', content), (content, content)):
        output, gold = put(folder / "o.json", files[0]), put(folder / "r.json", files[1])
        wanted = plain.outcome(plain.json_fields, output, gold, {"a": rule})
        assert same(ours(folder, "compare_json", output, gold, thresholds={"a": rule}), wanted), files


# --- predictions

PREDICTED = [
    st.integers(0, 3).map(str),
    st.sampled_from(["1.0", "2.5", "1.9", "-1", "0", "", "inf", "1e308"]),
    st.sampled_from(["cat", "Cat ", "dog", "", "True"]),
    st.sampled_from(["True", "False"]),
]


@st.composite
def predictions(draw):
    kinds = [draw(st.sampled_from(PREDICTED)) for _ in range(2)]
    gold = draw(st.lists(st.tuples(st.integers(0, 4).map(str), *kinds), min_size=1, max_size=5))
    found = draw(
        st.sampled_from([gold, gold[:-1], gold[::-1]])
        | st.lists(st.tuples(st.integers(0, 4).map(str), *kinds), max_size=5)
    )
    names = draw(st.sampled_from([("id", "y", "z"), ("id", "y_result", "y_gold"), ("id", "y", "y_result_x")]))
    others = draw(st.sampled_from([names, ("id", "y", "w"), ("key", "y", "z")]))
    return written([names, *gold]), written([others, *found]), names


@settings(SETTINGS, max_examples=300)
@given(
    predictions(),
    st.sampled_from([None, [0], [0, 1], [7], ["id"], ["id", "y"], ["no"]]),
    st.sampled_from([None, [], [1], [1, 2], [9], "first", "both"]),
    st.sampled_from("accuracy r2 mae mse medae rmse rmsle ks smape crps MAE pearson roc_auc_score".split()),
    st.sampled_from(
        [
            {},
            {"upper_bound": 5},
            {"lower_bound": -1},
            {"lower_bound": 1, "upper_bound": 0},
            {"lower_bound": 1, "upper_bound": 1},
        ]
    ),
)
def test_predictions(folder, sides, matched, calculated, metric, bounds):
    gold, output = put(folder / "result.csv", sides[0]), put(folder / "output.csv", sides[1])
    calculated = (
        {"first": [sides[2][1]], "both": [*sides[2][1:]]}.get(calculated, calculated)
        if isinstance(calculated, str)
        else calculated
    )
    options = {"matched_columns": matched, "calculate_columns": calculated, "metric": metric, **bounds}
    wanted = plain.outcome(plain.model, output, gold, **options)
    assert same(ours(folder, "compare_model", output, gold, **options), wanted)


# --- charts

TITLES = st.sampled_from(["", "Sales", "sales by year", "Sules", "x", "\u22121", "-1", "Total (m)"])
TICKS = st.lists(TITLES, max_size=3)
COLOURS = st.lists(st.sampled_from(["#102030", "#112131", "#ff2030", "#1f2f3f"]), max_size=2)
ASPECTS = {"type": st.sampled_from(["bar", "Bar", "line", ""])}
ASPECTS |= dict.fromkeys(("graph_title", "x_label", "y_label", "legend_title"), TITLES)
ASPECTS |= dict.fromkeys(("labels", "xtick_labels", "ytick_labels"), TICKS)
ASPECTS |= {"color": COLOURS, "figsize": st.sampled_from([[6, 4], [6.0, 4.0], [1, 1]])}
PANEL = st.fixed_dictionaries({}, optional=ASPECTS)
SHAPES = st.sampled_from([(3,), (3, 1), (2, 2), (1, 3), (0,), (1, 2, 2)])
CELLS = st.sampled_from([0.0, 1.0, 2.0, 10.0, 1.005, -1.0, 0.01, float("nan"), 1e308])


@st.composite
def arrays(draw):
    shape = draw(SHAPES)
    count = math.prod(shape)
    return np.array(draw(st.lists(CELLS, min_size=count, max_size=count))).reshape(shape)


NAMES_OF_PANELS = st.sampled_from(["subplot_0", "subplot_1", "subplot_2", "other"])


@st.composite
def charts(draw):
    """What stands beside a picture, and beside one that was handed in: the same, or with something changed."""
    data = draw(st.dictionaries(NAMES_OF_PANELS, arrays(), max_size=3) | arrays())
    info = draw(
        st.dictionaries(NAMES_OF_PANELS, PANEL, max_size=3).map(lambda panels: {**panels, "total_subplots": 1}) | PANEL
    )
    found_data, found_info = data, info
    way = draw(st.sampled_from(["same", "data", "info", "both", "scaled", "turned"]))
    if way in {"data", "both"}:
        found_data = draw(
            st.dictionaries(NAMES_OF_PANELS, arrays() | st.just([1.0]), max_size=3) | arrays() | st.just(1.5)
        )
    if way in {"info", "both"}:
        found_info = draw(
            st.dictionaries(NAMES_OF_PANELS, PANEL, max_size=3).map(lambda panels: {**panels, "total_subplots": 1})
            | PANEL
        )
    if way in {"scaled", "turned"} and isinstance(data, dict):
        found_data = {name: values * 3.0 if way == "scaled" else values[::-1] for name, values in data.items()}
    return (data, info), (found_data, found_info)


def drawn(path, data, info):
    cell = np.empty((), dtype=object)
    cell[()] = data
    np.save(path.with_suffix(".npy"), cell, allow_pickle=True)
    path.with_suffix(".json").write_text(json.dumps(info))
    return put(path, b"")


@settings(SETTINGS, max_examples=400)
@given(charts(), st.lists(st.sampled_from([*ASPECTS]), max_size=3), st.sampled_from(["", ".npy", ".json"]))
def test_charts(folder, sides, aspects, lost):
    (folder / "drawn").mkdir(exist_ok=True)
    gold, output = drawn(folder / "result.png", *sides[0]), drawn(folder / "drawn" / "output.png", *sides[1])
    if lost:
        output.with_suffix(lost).unlink()
    wanted = plain.outcome(plain.image, output, gold, aspects)
    assert same(ours(folder, "compare_image", output, gold, calculate_columns=aspects), wanted)


# --- texts and databases


@SETTINGS
@given(*[st.text("aA \n\tİß\u00a0-", max_size=6).map(str.encode) | st.sampled_from([b"\xff", b"\xef\xbb\xbfa"])] * 2)
def test_texts(folder, found, wanted):
    output, gold = put(folder / "o.txt", found), put(folder / "r.txt", wanted)
    assert same(ours(folder, "compare_text", output, gold), plain.outcome(plain.text, output, gold))


STORED = st.sampled_from([None, 1, 2, 1.5, "a", "A ", b"\x00\xff", "two\nlines", "", 2**62, float("inf")])


@st.composite
def databases(draw):
    names = draw(st.lists(st.sampled_from(["t", "u", "odd name", "v"]), max_size=3, unique=True))
    return {name: draw(st.lists(st.tuples(STORED, STORED), max_size=3)) for name in names}


def stored(path, tables):
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        for name, rows in tables.items():
            connection.execute(f'CREATE TABLE "{name}" (a, b)')
            connection.executemany(f'INSERT INTO "{name}" VALUES (?, ?)', rows)
        connection.execute("CREATE VIEW w AS SELECT 1 AS one")
        connection.commit()
    return path


SCHEMAS = st.none() | st.dictionaries(
    st.sampled_from(["t", "u", "w"]), st.sampled_from([None, ["a"], ["b", "a"], ["missing"]]), max_size=2
)


@settings(SETTINGS, max_examples=60)
@given(databases(), st.none() | databases(), SCHEMAS)
def test_databases(folder, wanted, found, schema):
    gold = stored(folder / "result.db", wanted)
    (folder / "in").mkdir(exist_ok=True)
    output = stored(folder / "in" / "output.db", wanted if found is None else found)
    told = plain.outcome(plain.sqlite, output, gold, schema)
    assert same(ours(folder, "compare_sqlite", output, gold, specified_schema=schema, ignore_order=True), told)
