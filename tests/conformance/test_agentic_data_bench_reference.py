"""AgenticDataBench's published scores, against what the official scorers and evaluator said of perturbed golds."""

import importlib.util
import sys
from pathlib import Path

import pytest

from benchwright.files import read_jsonl
from benchwright.gold import Check, Gold
from benchwright.scorers.base import Expected
from benchwright.scorers.reference.agentic_data_bench import AgenticDataBenchScorer
from benchwright.scoring import score_attempt
from benchwright.suites.agentic_data_bench import AgenticDataBenchLoader
from benchwright.suites.base import BuildRequest
from benchwright.task import Task
from benchwright.trajectory import Submission

FUNCTIONS = {
    "compare_csv": 5386,
    "compare_image": 1599,
    "compare_json": 985,
    "compare_json_normalized": 550,
    "compare_model": 304,
    "compare_text": 95,
    "compare_sqlite": 66,
}
"""How many rows there are of each."""


@pytest.fixture(scope="module")
def perturb(shared):
    spec = importlib.util.spec_from_file_location("perturb", shared / "conformance" / "perturb.py")
    module = sys.modules["perturb"] = importlib.util.module_from_spec(spec)  # its dataclasses look themselves up
    spec.loader.exec_module(module)
    yield module
    del sys.modules["perturb"]


@pytest.fixture(scope="module")
def published(shared):
    return shared / "data" / "agenticdatabench"


@pytest.fixture(scope="module")
def records(published):
    return {record["id"]: record for _, record in read_jsonl(published / "tasks.jsonl")}


@pytest.fixture(scope="module")
def suite(published, tmp_path_factory):
    sources = {"tasks": published / "tasks.jsonl", "gold": published / "gold"}
    return AgenticDataBenchLoader().load(
        BuildRequest(out=tmp_path_factory.mktemp("agentic") / "suite", sources=sources)
    )


def handed_in(files, folder):
    """A submission of these files, and of nothing that lay there before."""
    folder.mkdir(exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return Submission(files={name: folder / name for name in files})


def told(score):
    """The value, or the class of what was raised."""
    error = score.details.get("error", "").split(":")[0]
    return (None, error) if error else (score.value, None)


def differs(score, value, error):
    ours, raised = told(score)
    return raised != error or (ours is None) != (value is None) or (ours is not None and abs(ours - value) > 1e-9)


@pytest.mark.slow
@pytest.mark.timeout(1200)  # making the files takes most of it, 31 s of a processor for one of them alone
@pytest.mark.parametrize(("function", "count"), FUNCTIONS.items())
def test_every_call_has_the_published_score_or_raises_the_published_error(
    function, count, shared, perturb, published, records, suite, tmp_path
):
    rows = [row for _, row in read_jsonl(shared / "conformance" / "agenticdatabench_expected.jsonl")]
    rows = [row for row in rows if row["function"] == function]
    different = []
    for row in rows:
        gold = suite.golds[row["task"]]
        submission = handed_in(perturb.row_files(row, records[row["task"]], published / "gold"), tmp_path)
        check, files = gold.checks[row["call_index"]], suite.gold_files(row["task"])
        expected = Expected(task=suite.tasks[row["task"]], gold=gold, check=check, files=files)
        score = AgenticDataBenchScorer().score(submission, expected)
        if differs(score, row["score"], row["error"]):
            different.append((row["task"], row["perturbation"], row["score"], row["error"], told(score), score.reason))
    assert different == []
    assert len(rows) == count


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_every_task_has_the_published_score(shared, perturb, published, records, suite, tmp_path):
    rows = [row for _, row in read_jsonl(shared / "conformance" / "agenticdatabench_task_expected.jsonl")]
    different = []
    for row in rows:
        files = perturb.row_files(row, records[row["task"]], published / "gold")
        verdicts = score_attempt(suite, row["task"], handed_in(files, tmp_path), modes=("reference",))
        if abs(verdicts.reference.value - row["score"]) > 1e-9:
            different.append((row["task"], row["perturbation"], row["score"], verdicts.reference.value))
    assert different == []
    assert len(rows) == 931


def test_every_crafted_case_has_the_published_score_and_no_code_of_it_runs(shared, perturb, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cases = [case for _, case in read_jsonl(shared / "conformance" / "agenticdatabench_crafted.jsonl")]
    different = []
    for case in cases:
        score = crafted(case, perturb, tmp_path / case["id"])
        if differs(score, case["official_score"], case["official_error"]):
            different.append((case["id"], case["official_score"], case["official_error"], told(score), score.reason))
    assert different == []
    assert len(cases) == 65
    assert [*tmp_path.rglob("conformance_marker")] == []


def crafted(case, perturb, folder):
    perturb.write_files(perturb.case_files(case), folder)
    function, arguments = perturb.parse_call(case["call"])
    output, golds = arguments.pop("output_file_name"), arguments.pop("gold_file_name", [])
    golds = [Path(gold) for gold in (golds if isinstance(golds, list) else [golds])]
    if function == "compare_csv" and "thresholds" in arguments:
        arguments["thresholds"] = [[key, value] for key, value in arguments["thresholds"].items()]
    beside = (folder / output).parent
    submission = Submission(files={path.name: path for path in beside.iterdir()} if beside.is_dir() else {})
    check = Check(
        scorer="any",
        output=Path(output).name,
        golds=tuple(gold.name for gold in golds),
        options={"published": {"function": function, "arguments": arguments}},
    )
    expected = Expected(
        task=Task(id="t", question="?"),
        gold=Gold(task_id="t"),
        check=check,
        files=folder / (golds[0].parent if golds else ""),
    )
    return AgenticDataBenchScorer().score(submission, expected)


@pytest.mark.slow
def test_golds_score_against_themselves_as_published(suite, tmp_path):
    """175 of the 207 tasks score exactly 1.0, and the mean is 0.8798, golds that are not here counting 0."""
    values = {}
    for name, gold in suite.golds.items():
        folder, files = suite.gold_files(name), {}
        for output, kept in zip(suite.tasks[name].outputs, gold.files, strict=False):
            for ending in ("", ".json", ".npy"):
                source = folder / kept if not ending else (folder / kept).with_suffix(ending)
                if source.is_file() and (not ending or kept.endswith(".png")):
                    files[output.name if not ending else str(Path(output.name).with_suffix(ending))] = source
        score = score_attempt(suite, name, Submission(files=files), modes=("reference",)).reference
        values[name] = score.value if score.kind == "scored" else 0.0
    assert len(values) == 207
    assert sum(value == 1.0 for value in values.values()) == 175
    assert round(sum(values.values()) / 207, 4) == 0.8798
