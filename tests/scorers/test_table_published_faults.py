"""Inputs that a published scorer of tables is known to misjudge, each with the verdict that is sound."""

import json
import time

import pytest

from benchwright.gold import Check, Gold
from benchwright.score import Scored
from benchwright.scorers.base import Expected
from benchwright.scorers.table import TableScorer
from benchwright.task import Task
from benchwright.trajectory import Submission

PLAIN = {"absolute": 0.01, "scaled": True, "credit": "columns"}
"""How an unordered call without thresholds is read."""


@pytest.fixture
def score(tmp_path):
    def run(found, *golds, **options):
        (tmp_path / "gold").mkdir(exist_ok=True)
        for number, text in enumerate(golds):
            (tmp_path / "gold" / f"{number}.csv").write_text(text, encoding="utf-8")
        (tmp_path / "out.csv").write_bytes(found if isinstance(found, bytes) else found.encode())
        names = tuple(f"{number}.csv" for number in range(len(golds)))
        check = Check(scorer="table", output="out.csv", golds=names, options={**PLAIN, **options})
        expected = Expected(Task(id="t", question="q"), Gold(task_id="t"), check, tmp_path / "gold")
        result = TableScorer().score(Submission(files={"out.csv": tmp_path / "out.csv"}), expected)
        assert isinstance(result, Scored), result
        return result

    return run


LONG_NAMES = "名称,值\n北京市朝阳区第一国际贸易中心大厦股份有限公司,1\n上海浦东新区一世纪大道金茂大厦股份有限公司,2\n"
ROWS = "id,name,val\n1,a,10\n2,b,20\n3,c,30\n"


@pytest.mark.parametrize("order", ["any", "given"])
@pytest.mark.parametrize(
    ("fault", "found", "gold", "value"),
    [
        ("1 superset of rows", ROWS + "4,zzz,999\n5,yyy,888\n6,xx,777\n", ROWS, 0.5),
        ("4 one column reused", "x\n1\n2\n3\n", "a,b\n1,1\n2,2\n3,3\n", 0.5),
        ("5 distinct values and blank lines", "c\nx\ny\n\n\n\n\n", "c\nx\ny\nx\ny\nx\ny\n", 1 / 3),
        ("6 zeros for small values", "p\n0\n0\n0\n", "p\n.001\n.003\n.0042\n", 0.0),
        ("7 bucket edge", "p\n0.0149999999\n", "p\n0.015\n", 1.0),
        ("9 blanks for numbers", "k,v\na,\nb,\nc,\n", "k,v\na,5\nb,6\nc,7\n", 0.5),
        ("11 no final newline", ROWS.rstrip("\n"), ROWS, 1.0),
        ("12 one row short", "id,name,val\n1,a,10\n2,b,20\n", ROWS, 2 / 3),
        ("13 infinity beside the answer", "id,name,val,x\n1,a,10,inf\n2,b,20,1\n3,c,30,1\n", ROWS, 1.0),
        ("13 infinity in the answer", ROWS.replace("20", "inf"), ROWS.replace("20", "Infinity"), 1.0),
        ("14 UTF-16", ROWS.encode("utf-16"), ROWS, 1.0),
        ("14 UTF-16 without a mark", ROWS.encode("utf-16-le"), ROWS, 1.0),
        ("14 UTF-16 without a mark, mostly Chinese", LONG_NAMES.encode("utf-16-le"), LONG_NAMES, 1.0),
        ("14 UTF-16 without a mark, mostly Chinese", LONG_NAMES.encode("utf-16-be"), LONG_NAMES, 1.0),
        ("14 GBK", "n\n中文\n".encode("gbk"), "n\n中文\n", 1.0),
        ("15 text in a column of numbers", "v\n0.123450\n\\N\n", "v\n0.12345\n\\N\n", 1.0),
        ("16 thousands", 'd\n"1,234"\n5\n', "d\n1234\n5\n", 1.0),
        ("16 midnight", "d\n2024-01-01 00:00:00\n", "d\n2024-01-01\n", 1.0),
        ("16 a percent sign for no percentage", "d\n12.5%\n", "d\n12.5\n", 0.0),
        ("16 a percent sign for a fraction", "d\n12.5%\n", "d\n0.125\n", 1.0),
        ("17 long identifiers", "id\n123456789012345678\n", "id\n123456789012345679\n", 0.0),
        ("17 leading zeros", "id\n123\n", "id\n00123\n", 0.0),
        ("spaces inside a text", "d\nNew  York\n", "d\nNew York\n", 1.0),
        ("a missing value in words", "d,e\nNone,1\nx,2\n", "d,e\n,1\nx,2\n", 1.0),
    ],
)
def test_known_faults_have_the_sound_verdict(score, fault, found, gold, value, order):
    assert score(found, gold, order=order).value == pytest.approx(value), fault


def test_values_that_change_rows_spoil_their_column(score):
    gold = "name,val\na,10\nb,20\nc,30\n"
    result = score("name,val\nc,20\na,30\nb,10\n", gold)
    assert result.value == pytest.approx(0.5)
    assert result.details["columns"] == {"name": 1.0, "val": 0.0}


def test_renamed_columns_are_reported_and_never_full(score):
    result = score("foo,bar,baz\n10,1,a\n20,2,b\n30,3,c\n", ROWS, order="given")
    assert result.value == 0.5
    assert [item.reason for item in result.evidence[:3]] == ["another column name"] * 3
    assert "column 'bar' holds the values of 'id' under another name" in result.details["notes"]


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_decimal_commas_are_told_for_the_whole_file(score, delimiter):
    gold = "k,v,w\na,4.021,1699.255\nb,12.5,0.5\n"
    european = gold.replace(",", delimiter).replace(".", ",")
    verdict = score(european, gold)
    assert (verdict.value, verdict.details["notes"]) == (1.0, ["numbers with decimal commas"])
    # the same signs in a file whose other numbers say that they separate thousands
    assert score("k;v\na;4,021\nb;12.5\n", "k,v\na,4021\nb,12.5\n").value == 1.0
    assert score("k;v\na;4,021\nb;12,5\n", "k,v\na,4021\nb,12.5\n").value < 1.0
    assert score("k;v\na;4,021\nb;7,000,000\n", "k,v\na,4021\nb,7000000\n").value == 1.0
    assert score("k;v\na;4,021\n", "k,v\na,4021\n").value == 1.0


@pytest.mark.parametrize(
    ("found", "gold", "value"),
    [
        ("v\na\na\na\na\n", "v\na\na\nb\nc\n", 0.0),
        ("v\na\na\na\na\na\na\na\n", "v\na\na\nb\nc\n", 0.0),
        ("k,v,w\n,hi,\n,hi,\n,hi,\n,hi,\n,hi,\n", "k,v,w\na,hi,1.5\nb,hi,2.5\nc,hi,3.5\nd,lo,4.5\ne,lo,5.5\n", 0.0),
        ("k,v,w\n,,\n,,\n,,\n,,\n,,\n", "k,v,w\na,,x\nb,,y\nc,,z\nd,5,q\ne,6,q\n", 0.0),
        ("k,v\na,1\na,1\n", "k,v\na,1\nb,2\n", 0.0),
        ("k,v\na,x\nzz,q\n", "k,v\na,x\nb,y\n", 0.5),  # the control: another wrong row is no guess again
        ("k,v\na,1\na,1\nb,2\nb,2\n", "k,v\na,1\nb,2\n", 0.5),
    ],
)
def test_one_guess_for_all_rows_earns_nothing_though_rows_it_is_wrong_in_have_no_partner(score, found, gold, value):
    assert score(found, gold).value == value


def grid(rows):
    """A table that knows nothing: 300 columns of one number each, one percent apart."""
    numbers = [f"{1.01**power:.6g}" for power in range(300)]
    return table_of([[f"c{place}" for place in range(300)], *[numbers] * rows])


def table_of(rows):
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


@pytest.mark.parametrize("names", ["stated", "free"])
def test_the_right_one_of_many_columns_is_a_guess_unless_it_has_many_values(score, names):
    relative = {"tolerances": {"v": {"relative": 0.01}}}
    assert score(grid(1), "v\n11.7\n", names=names, **relative).value == 0.0
    assert score(grid(3), "k,v\na,7\nb,7\nc,7\n", names=names, **relative).value == 0.0
    # a few more columns than the gold has are no guesses, and many values are not guessed
    assert score("w,x,y\n11.7,2,3\n", "v\n11.7\n", names=names).value == {"stated": 0.5, "free": 1.0}[names]
    values = [round(0.7 * place**1.5, 2) for place in range(12)]
    wide = [[f"c{place}" for place in range(40)], *([*range(39), value] for value in values)]
    gold = table_of([["v"], *([value] for value in values)])
    assert score(table_of(wide), gold, names=names).value == {"stated": 0.5, "free": 1.0}[names]


def test_a_name_spelled_nearly_alike_is_taken_and_told(score):
    result = score("p-val,decision\n0.5,yes\n", "p_value,decision\n0.5,yes\n")
    assert (result.value, result.details["notes"]) == (1.0, ["column 'p-val' taken for 'p_value'"])
    assert score("max_temp\n5\n", "min_temp\n5\n").value == 0.5
    assert score("sales_2021\n5\n", "sales_2020\n5\n").value == 0.5


@pytest.mark.parametrize(
    ("shift", "options"),
    [(lambda v: v + 0.004, {}), (lambda v: 1.005 * v, {"tolerances": {"v": {"relative": 0.01}}})],
)
@pytest.mark.parametrize("order", ["any", "given"])
def test_tolerances_hold_for_all_of_four_hundred_values(score, shift, options, order):
    values = [0.37 * number + 0.0123 * (number % 7) for number in range(1, 401)]
    gold = "v\n" + "".join(f"{value}\n" for value in values)
    names = ",".join(f"v{number}" for number in range(400))
    tolerances = {f"v{number}": options["tolerances"]["v"] for number in range(400)} if options else {}
    rows = [",".join(map(str, row)) for row in (values, map(shift, values))]
    alone = score(f"{names}\n{rows[1]}\n", f"{names}\n{rows[0]}\n", order=order, tolerances=tolerances)
    assert alone.value == 1.0, alone.reason
    shifted = [shift(value) for value in (values if order == "given" else reversed(values))]
    assert score("v\n" + "".join(f"{value}\n" for value in shifted), gold, order=order, **options).value == 1.0


def test_there_is_no_cap_on_rows(score):
    gold = "v\n" + "".join(f"{row}\n" for row in range(20_000))
    found = "v\n" + "".join(f"{row if row < 10_000 else -1}\n" for row in range(20_000))
    assert 0.45 < score(found, gold, order="given").value <= 0.5
    gold = "k,v\n" + "".join(f"u{row},{row}\n" for row in range(20_000))
    found = "k,v\n" + "".join(f"u{row},{row if row < 10_000 else -1}\n" for row in range(20_000))
    assert 0.7 < score(found, gold).value <= 0.75


def test_half_of_one_free_column_of_dense_numbers_is_what_anyone_can_invent(score):
    """Numbers drawn at random between 0 and 20,000 hold two of three of them; rows right by chance are no rows right."""
    gold = "v\n" + "".join(f"{row}\n" for row in range(20_000))
    found = "v\n" + "".join(f"{row if row < 10_000 else -1}\n" for row in range(20_000))
    verdict = score(found, gold)
    assert (verdict.value, verdict.details["cell_share"]) == (0.0, 0.5)
    assert 0.6 < verdict.details["by_chance"]["v"] < 0.7


def test_a_percent_sign_counts_where_the_column_holds_percentages_and_the_rule_is_told(score):
    for gold in ("share_pct\n12.5\n", "share\n12.5%\n"):
        for found in ("12.5%", "12.5", "12.50 %"):
            assert score(f"{gold.split()[0]}\n{found}\n", gold).value == 1.0
    assert score("share_pct\n12.5%\n", "share_pct\n12.5\n").details["notes"] == [
        "share_pct: 1 cells equal by a percent sign"
    ]


def test_truth_values_as_numbers_are_accepted_and_told(score):
    result = score("d\n1\n0\n", "d\nTrue\nFalse\n")
    assert (result.value, result.details["notes"]) == (1.0, ["d: 2 cells equal by truth values written as 1 and 0"])


def test_several_golds_have_no_common_gate(score):
    short, long = "v\n1\n2\n3\n", "v\n1\n2\n3\n4\n5\n"
    assert score(short, short, long).value == score(long, short, long).value == 1.0


def test_recorded_crafted_tables_are_judged_as_their_notes_say(shared, score):
    with (shared / "conformance" / "agenticdatabench_crafted.jsonl").open(encoding="utf-8") as lines:
        cases = [case for case in map(json.loads, lines) if case["function"] == "compare_csv"]
    judged = 0
    for case in cases:
        golds = case["files"]["gold"] if isinstance(case["files"]["gold"], list) else [case["files"]["gold"]]
        if not all(isinstance(text, str) for text in (*golds, case["files"]["output"])):
            continue
        options = {"order": "given" if case["options"].get("ignore_order") is False else "any"}
        if "specified_columns" in case["options"]:
            options["columns"] = case["options"]["specified_columns"]
        if case["options"].get("thresholds") == {"p": None}:
            options["tolerances"] = {"p": {"relative": 0.01}}
        if case["options"].get("thresholds") == {"1": 0.05}:
            options["tolerances"] = {"b": {"relative": 0.05}}
        value = score(case["files"]["output"], *golds, **options).value
        said = case["what_a_sound_scorer_should_say"]
        if case["id"] == "csv_pct":  # nothing says that this column holds percentages
            said = "wrong"
        assert (value == 1.0) == (said == "correct"), (case["id"], value)
        assert value <= 0.5 or said != "wrong", (case["id"], value)
        judged += 1
    assert judged > 15


def test_alike_rows_or_odd_cells_are_judged_in_bounded_time(score):
    """Pairs of a hundred thousand rows are ten thousand million: none of this may be tried."""
    rows = 100_000
    alike = "a,b\n" + "1,2\n" * rows
    other = "a,b\n" + "".join(f"{1 + 1e-9 * row},3\n" for row in range(rows))
    started = time.process_time()
    assert score(other, alike).value == pytest.approx(0.5)
    odd = "a\n" + "".join(f"about {row} of {row * 3}/{row}\n" for row in range(rows))
    assert score(odd, "a\n" + "".join(f"{row}.5\n" for row in range(rows))).value == 0.0
    assert time.process_time() - started < 30


NAMED = "name,n,mean,top\n" + "".join(f"name {row},{7 * row},{row * 1.37 + 0.01:.3f},t{row % 3}\n" for row in range(12))


def columns(text, change):
    rows = [line.split(",") for line in text.strip().split("\n")]
    turned = change([list(column) for column in zip(*rows, strict=True)])
    return "".join(",".join(row) + "\n" for row in zip(*turned, strict=True))


def turned_by_one(column):
    return [column[0], *column[2:], column[1]]


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("way", [turned_by_one, lambda column: [column[0]] + ["junk"] * (len(column) - 1)])
def test_a_wrong_column_counts_as_a_missing_one(score, place, way):
    """Names that were shuffled cost the names, and not all that stands beside them."""
    wrong = columns(NAMED, lambda all_of: [way(one) if at == place else one for at, one in enumerate(all_of)])
    missing = columns(NAMED, lambda all_of: [one for at, one in enumerate(all_of) if at != place])
    found = score(wrong, NAMED)
    assert found.value == pytest.approx(0.75)
    assert score(missing, NAMED).value == pytest.approx(0.75)


def test_a_column_that_set_all_rows_wrong_is_told(score):
    wrong = columns(NAMED, lambda all_of: [turned_by_one(all_of[0]), *all_of[1:]])
    found = score(wrong, NAMED)
    assert "wrong as a column: name" in found.reason
    assert [item.part for item in found.evidence] == ["name"]


@pytest.mark.parametrize(
    ("gold", "found", "value"),
    [
        ("True", "yes", 1.0), ("False", "No", 1.0), ("True", "t", 1.0), ("True", "no", 0.0), ("True", "yesterday", 0.0), ("Yes", "True", 1.0),
        ("True", "1", 1.0), ("True", "2", 0.0), ("2024-01-31", "20240131", 1.0), ("2024-01-31", "20240130", 0.0), ("20240131", "2024-01-31", 0.0),
    ],
)  # fmt: skip
def test_truth_values_and_dates_have_other_usual_spellings(score, gold, found, value):
    assert score(f"k,v\na,{found}\n", f"k,v\na,{gold}\n").value == (1 + value) / 2


def test_a_column_without_a_name_may_be_called_as_pandas_calls_it(score):
    assert score("Unnamed: 0,a\nx,1\ny,2\n", ",a\nx,1\ny,2\n").value == 1.0
    assert score("Unnamed: 0,a\nx,1\ny,2\n", "name,a\nx,1\ny,2\n").value == 0.5


def test_a_whole_sum_among_fractions_is_no_identifier(score):
    sums = "k,v\na,49812614000.0\nb,719506811.09\n"
    assert score(sums.replace("49812614000.0", "49812614049.8"), sums).value == 1.0
    assert score(sums.replace("49812614000.0", "49812614149.8"), sums).value < 1.0
    whole = "k,v\na,49812614000.0\nb,719506811.0\n"
    assert score(whole.replace("49812614000.0", "49812614001.0"), whole).value < 1.0
