"""Faults of scorers of files that people reported publicly, by id: the reported inputs from ../shared, each with the value that is right."""

import io
import json
import sqlite3
from pathlib import Path

import numpy as np
import openpyxl
import pytest
from PIL import Image
from typer.testing import CliRunner

from benchwright.cli import app
from benchwright.dialects import find_delimiter
from benchwright.errors import SuiteError
from benchwright.gold import Check, Gold
from benchwright.proving import CheckOptions, check
from benchwright.score import Scored, Unscored
from benchwright.scorers.base import Expected
from benchwright.scorers.combine import combine
from benchwright.scorers.compare.npy import UnreadableArray, read_npy
from benchwright.scorers.compare.tables import read_table
from benchwright.scorers.registry import sound_scorer
from benchwright.scoring import Job, score_attempt
from benchwright.suite import Suite, SuiteInfo
from benchwright.suites.agentic_data_bench.calls import parse_call
from benchwright.suites.agentic_data_bench.checks import check_of
from benchwright.task import OutputSpec, Task
from benchwright.trajectory import Submission


@pytest.fixture(scope="module")
def cases(shared):
    lines = (shared / "cases" / "fault_cases.jsonl").read_text(encoding="utf-8").splitlines()
    return {case["id"]: case for case in map(json.loads, lines)}


@pytest.fixture
def judge(tmp_path):
    """The sound verdict on one output; contents are bytes, texts, or values that are written as JSON."""

    def run(kind, found, gold, **options):
        (tmp_path / "gold").mkdir(exist_ok=True)
        for path, content in ((tmp_path / "out", found), (tmp_path / "gold" / "g", gold)):
            path.write_bytes(as_bytes(content))
        expected = Expected(
            Task(id="t", question="q"),
            Gold(task_id="t"),
            Check(scorer=kind, output="out", golds=("g",), options=options),
            tmp_path / "gold",
        )
        return sound_scorer(kind).score(Submission(files={"out": tmp_path / "out"}), expected)

    return run


def as_bytes(content):
    if isinstance(content, bytes):
        return content
    return (content if isinstance(content, str) else json.dumps(content)).encode()


def table_suite(folder, *, gold="a\n1\n2\n", count=1, present=True):
    """A suite of tasks that ask for a table."""
    tasks, golds = [], []
    for number in range(count):
        name = f"t{number}"
        tasks.append(Task(id=name, question="Write a to out.csv.", outputs=(OutputSpec(kind="table", name="out.csv"),)))
        made = Check(scorer="table", output="out.csv", golds=("gold.csv",))
        golds.append(Gold(task_id=name, files=("gold.csv",), checks=(made,)))
        if present is True or number < present:
            (folder / "gold/files" / name).mkdir(parents=True)
            (folder / "gold/files" / name / "gold.csv").write_text(gold)
    return Suite.write(folder, SuiteInfo(name="small"), tasks, (), golds)


def findings(suite):
    return check(suite, CheckOptions(proofs=None, privacy=None)).findings


def test_b055_the_gold_scores_1_under_every_scorer(cases, judge):
    assert cases["B055"]["expected"]["accuracy"] == 1.0
    connection = sqlite3.connect(":memory:")
    connection.executescript("CREATE TABLE t(a); INSERT INTO t VALUES (1);")
    golds = {
        "table": "id,v\n1,2.5\n",
        "document": {"a": [1, None, {"b": "x"}]},
        "text": "17.2-18.3 miles",
        "database": connection.serialize(),
    }
    assert {kind: judge(kind, gold, gold).value for kind, gold in golds.items()} == dict.fromkeys(golds, 1.0)
    gold = "id,y\n1,0.5\n2,0.75\n"
    assert judge("model_metric", gold, gold, metric="rmse", id_columns=["id"]).value == 1.0


def test_b056_parts_that_do_not_add_up_to_their_total_are_found(cases, tmp_path):
    answer = json.dumps(cases["B056"]["input"]["gold"])
    suite = Suite.write(
        tmp_path / "s", SuiteInfo(name="small"), [Task(id="t", question="?")], (), [Gold(task_id="t", answer=answer)]
    )
    (found,) = [each for each in findings(suite) if each.rule == "total-contradicts-parts"]
    assert found.evidence.startswith("parts sum to 91, 'matches' says 90")


def test_b062_an_output_that_cannot_be_judged_counts_0_and_breaks_no_mean(cases):
    given = cases["B062"]
    scores = [
        Unscored(reason="scorer: table failed") if value is None else Scored(value=value)
        for value in given["input"]["scores"]
    ]
    found = combine(scores)
    assert (found.value, found.details["unscored_checks"]) == (
        pytest.approx(given["expected"]["average"]),
        given["expected"]["unparsable"],
    )


def test_b065_columns_that_no_task_names_may_be_called_otherwise(cases, judge):
    given = cases["B065"]["input"]
    rows = [("0.01", "reject"), ("0.2", "keep"), ("0.04", "reject")]
    gold, found = (
        "\n".join([",".join(given[side]), *map(",".join, rows)]) + "\n" for side in ("gold_columns", "pred_columns")
    )
    for credit in ("columns", "all"):
        score = judge("table", found, gold, names="free", credit=credit)
        assert score.value == 1.0
        assert any(
            "'decision' holds the values of 'result' under another name" in note for note in score.details["notes"]
        )
        assert judge("table", found.replace("keep", "reject"), gold, names="free", credit=credit).value < 1.0
    assert judge("table", found, gold, credit="columns").value <= 0.5  # where the task names them
    assert judge("table", found, gold).value == 0.0


def test_b067_a_rule_that_does_not_exist_is_the_suites_fault_before_anything_counts(tmp_path):
    suite = table_suite(tmp_path / "s")
    golds = [gold.model_copy(update={"combine": "devide", "checks": gold.checks * 2}) for gold in suite.golds.values()]
    wrong = Suite.write(suite.folder, suite.info, suite.tasks.values(), (), golds)
    for files in ({}, {"out.csv": suite.gold_files("t0") / "gold.csv"}):
        found = score_attempt(wrong, Job("t0", Submission(files=files), modes=("sound",))).sound
        assert found.reason.startswith("suite: unknown rule to combine checks: 'devide'")


def bars(values, **texts):
    arrays, picture = io.BytesIO(), io.BytesIO()
    Image.new("RGB", (4, 4)).save(picture, "PNG")
    np.save(arrays, np.array({"subplot_0": np.asarray(values, dtype=float)}, dtype=object), allow_pickle=True)
    info = {"subplot_0": {"type": "bar", **texts}, "total_subplots": 1}
    return {"png": picture.getvalue(), "json": json.dumps(info).encode(), "npy": arrays.getvalue()}


@pytest.fixture
def chart(tmp_path):
    def run(found, gold, **options):
        (tmp_path / "gold").mkdir(exist_ok=True)
        for ending, content in gold.items():
            (tmp_path / "gold" / f"g.{ending}").write_bytes(content)
        files = {}
        for ending, content in found.items():
            files[f"out.{ending}"] = tmp_path / f"out.{ending}"
            files[f"out.{ending}"].write_bytes(content + (b" of the agent" if ending == "png" else b""))
        made = Check(scorer="chart", output="out.png", golds=("g.png",), options=options)
        expected = Expected(Task(id="t", question="q"), Gold(task_id="t"), made, tmp_path / "gold")
        return sound_scorer("chart").score(Submission(files=files), expected).value

    return run


def test_b073_repeated_labels_and_changed_signs_are_seen(cases, chart):
    given = cases["B073"]["input"]
    right, wrong = given["gold"], given["pred"]
    assert chart(bars(right["data"]), bars(right["data"])) == 1.0
    assert chart(bars(wrong["data"]), bars(right["data"])) == 0.0
    two = [[1, 2]]
    labels = {"parts": ["labels"]}
    assert chart(bars(two, labels=wrong["labels"]), bars(two, labels=right["labels"]), **labels) < 1.0
    assert chart(bars(two, labels=right["labels"]), bars(two, labels=right["labels"]), **labels) == 1.0


def test_b074_points_stay_pairs(cases, chart):
    given = cases["B074"]["input"]
    assert chart(bars(given["pred"], type="scatter"), bars(given["gold"], type="scatter")) == 0.0


@pytest.mark.parametrize("place", [0, 1])
def test_b097_a_metric_is_capped_and_one_without_a_scale_is_no_score(cases, judge, place):
    case, expected = cases["B097"]["input"]["cases"][place], cases["B097"]["expected"]["scores"][place]
    labels = [1] * 20
    right = round(case["p"] * 20)
    gold = "id,y\n" + "".join(f"{n},{y}\n" for n, y in enumerate(labels))
    found = "id,y\n" + "".join(f"{n},{int(n < right)}\n" for n in range(20))
    scale = {"metric": "accuracy", "id_columns": ["id"], "baseline": case["b"], "target": case["g"]}
    if expected is None:
        with pytest.raises(SuiteError, match=r"baseline 0\.9, target 0\.9"):
            judge("model_metric", found, gold, **scale)
    else:
        assert judge("model_metric", found, gold, **scale).value == expected


def test_b118_golds_that_are_missing_are_counted_and_named(cases, tmp_path):
    given = cases["B118"]["input"]
    suite = table_suite(tmp_path / "s", count=given["tasks"], present=given["with_gold"])
    assert sum(finding.rule == "gold-missing" for finding in findings(suite)) == given["tasks"] - given["with_gold"]


def test_b142_a_null_is_treated_alike_in_objects_and_arrays(cases, judge):
    given = cases["B142"]["input"]
    values = {name: judge("document", value, value).value for name, value in given.items()}
    assert values == {"object": 1.0, "array": 1.0}
    assert judge("document", {"a": None, "b": 2.0}, given["object"]).value == 0.5
    assert judge("document", [None, 2.0], given["array"], order="given").value == 0.5


def test_b148_a_formula_without_a_stored_value_counts_as_its_result(cases, judge):
    given = cases["B148"]["input"]
    book = openpyxl.Workbook()
    book.active.append(["v"])
    book.active.append([given["pred_cell"]["formula"]])
    file = io.BytesIO()
    book.save(file)
    score = judge("table", file.getvalue(), f"v\n{given['gold']}\n")
    assert score.value == 1.0
    assert any("formulas computed" in note for note in score.details["notes"])
    assert judge("table", file.getvalue(), "v\n6\n").value == 0.0


def test_b151_a_gold_or_output_with_nan_is_read_and_written_strictly(cases, judge):
    assert cases["B151"]["expected"]["file_parses_with"] == "strict JSON"
    score = judge("document", '{"reward": NaN}', '{"reward": NaN}')
    assert score.value == 1.0
    json.dumps(score.model_dump(mode="json"), allow_nan=False)
    assert judge("document", '{"reward": 1}', '{"reward": NaN}').value == 0.0
    assert judge("document", '{"reward": NaN}', '{"reward": 1}').value == 0.0


def test_b164_delimiter_and_line_ends_inside_cells_are_found(cases, tmp_path):
    given = cases["B164"]
    text = given["input"]["bytes"].encode().decode("unicode_escape")
    (tmp_path / "t.csv").write_bytes(text.encode("latin-1"))
    table = read_table(tmp_path / "t.csv")
    assert (table.height, len(table.names)) == (given["expected"]["rows"], given["expected"]["columns"])
    assert find_delimiter(text) == given["expected"]["delimiter"]


def test_b175_a_missing_value_is_no_word(judge):
    gold = 'v\na\n""\n'
    assert judge("table", "v\na\nNaN\n", gold).value == 1.0
    assert judge("table", "v\na\nnone of them\n", gold).value == 0.0
    assert judge("document", ["a", None], ["a", "nan"]).value < 1.0


def test_b182_a_program_in_an_array_file_is_refused_and_not_run(cases, tmp_path):
    class Writes:
        def __reduce__(self):
            return open, (str(tmp_path / "pwned"), "w")

    file = io.BytesIO()
    np.save(file, np.array([Writes()], dtype=object), allow_pickle=True)
    with pytest.raises(UnreadableArray, match="which is not plain data"):
        read_npy(file.getvalue())
    assert not cases["B182"]["expected"]["executed"]
    assert not (tmp_path / "pwned").exists()


def test_b185_a_call_whose_files_share_one_name_is_read_and_judged(cases, tmp_path):
    call = parse_call(cases["B185"]["input"]["eval_func"], "here")
    assert (call.output, call.golds) == ("result.csv", ("result.csv",))
    suite = table_suite(tmp_path / "s")
    (tmp_path / "out.csv").write_text("a\n1\n2\n")
    made = Check(scorer="table", output="gold.csv", golds=("gold.csv",))
    gold = suite.golds["t0"].model_copy(update={"checks": (made,)})
    same = Suite.write(tmp_path / "same", suite.info, suite.tasks.values(), (), [gold])
    (same.gold_files("t0")).mkdir(parents=True)
    (same.gold_files("t0") / "gold.csv").write_text("a\n1\n2\n")
    found = score_attempt(same, Job("t0", Submission(files={"gold.csv": tmp_path / "out.csv"}), modes=("sound",)))
    assert found.sound.value == 1.0


def test_b085_texts_that_differ_in_a_word_are_judged_and_nothing_breaks(cases, judge):
    given = cases["B085"]["input"]
    score = judge("text", given["prediction"], given["gold"], mode="fuzzy", threshold=0.85)
    assert isinstance(score, Scored)
    assert score.value > 0


def test_b046_options_of_several_golds_belong_to_the_gold_that_they_name_wherever_it_stands(cases, tmp_path):
    given = cases["B046"]["input"]
    names = ("p", "q", "r")
    table = "p,q,r\n1,2,3\n"
    assert cases["B046"]["expected"]["note"] == "pair by name, never by list position"
    own = {
        f"{gold}.csv": {"columns": [names[place] for place in options["cols"]]}
        for gold, options in given["options_by_file"].items()
    }
    (tmp_path / "gold").mkdir()
    for gold in own:  # each gold is right in its own column alone
        (tmp_path / "gold" / gold).write_text(table if gold == "q1_a.csv" else "p,q,r\n7,8,9\n")
    (tmp_path / "out").write_text("p,q,r\n1,0,0\n")
    for golds in (given["gold_files"], given["gold_files"][::-1]):
        check_made = Check(scorer="table", output="out", golds=tuple(golds), options={"by_gold": own})
        expected = Expected(Task(id="t", question="q"), Gold(task_id="t"), check_made, tmp_path / "gold")
        assert sound_scorer("table").score(Submission(files={"out": tmp_path / "out"}), expected).value == 1.0


def test_b046_published_options_with_one_value_a_gold_are_paired_when_the_suite_is_built(cases):
    given = cases["B046"]["input"]
    columns = [[str(place) for place in given["options_by_file"][name[:-4]]["cols"]] for name in given["gold_files"]]
    call = f"compare_csv('out.csv', {given['gold_files']}, {columns}, [True, False, True])"
    made = check_of(parse_call(call, "here"), lambda _: ("0", "1", "2"))
    paired = {name: [int(column) for column in own["columns"]] for name, own in made.options["by_gold"].items()}
    assert paired == cases["B046"]["expected"]["pairing"]
    assert [made.options["by_gold"][name]["order"] for name in given["gold_files"]] == ["any", "given", "any"]
    with pytest.raises(SuiteError, match="one for each of 3 golds"):
        parse_call(call.replace("[True, False, True]", "[True, False]"), "here")


@pytest.mark.parametrize("own", [{"other.csv": {}}, {"g": 3}, [], {"g": {"colour": 1}}])
def test_b046_options_of_a_gold_that_the_check_does_not_have_are_an_error(judge, own):
    with pytest.raises(SuiteError, match=r"by_gold|colour"):
        judge("table", "a\n1\n", "a\n1\n", by_gold=own)


def test_b113_a_gold_that_two_sources_tell_differently_is_named(cases, tmp_path):
    given, expected = cases["B113"]["input"], cases["B113"]["expected"]
    for validator in (given["validator_gold"], given["csv_gold"]):
        second = Check(scorer="answer", options={"answer": validator})
        gold = Gold(task_id="t", answer=given["csv_gold"], checks=(second,))
        suite = Suite.write(tmp_path / validator, SuiteInfo(name="s"), [Task(id="t", question="?")], (), [gold])
        found = [each for each in findings(suite) if expected["lint"].removeprefix("gold ") in each.evidence]
        assert [each.rule for each in found] == (["gold-wiring"] if validator != given["csv_gold"] else [])


@pytest.mark.parametrize("slash", ["", "/"])
def test_b187_a_trailing_slash_changes_neither_what_is_read_nor_where_results_are_written(cases, tmp_path, slash):
    given, expected = cases["B187"]["input"]["output_dir"], cases["B187"]["expected"]["report_path"]
    table_suite(tmp_path / "s")
    folder = tmp_path / given.rstrip("/")
    (folder / "t0").mkdir(parents=True)
    (folder / "t0/out.csv").write_text("a\n1\n2\n")
    done = CliRunner().invoke(app, ["score", f"{tmp_path}/s{slash}", f"{folder}{slash}", "--json"])
    document = json.loads(done.stdout)
    assert (done.exit_code, document["sound"]["mean"], document["n_predictions"]) == (0, 1.0, 1)
    made = tmp_path / Path(expected).with_suffix("")
    done = CliRunner().invoke(app, ["run", str(tmp_path / "s"), "--agent", "constant", "--out", f"{made}{slash}"])
    assert done.exit_code == 0, done.output
    done = CliRunner().invoke(app, ["score", str(tmp_path / "s"), f"{made}{slash}"])
    assert (made / "scores/sound.parquet").is_file()
    assert not list(tmp_path.glob("results/.*"))
