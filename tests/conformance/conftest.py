"""What tests against published records share; `suite` is AgenticDataBench's here, other benchmarks' files have their own."""

import importlib.util
import sys
from pathlib import Path

import pytest

from benchwright.files import read_jsonl
from benchwright.gold import Check, Gold
from benchwright.scorers.base import Expected
from benchwright.scorers.reference.agentic_data_bench import AgenticDataBenchScorer
from benchwright.suites.agentic_data_bench import AgenticDataBenchLoader
from benchwright.suites.base import BuildRequest
from benchwright.task import Task
from benchwright.trajectory import Submission


@pytest.fixture(scope="module")
def official(shared):
    """The 207 published tasks that are here, with their golds."""
    return shared / "data" / "agenticdatabench"


@pytest.fixture(scope="module")
def suite(official, tmp_path_factory):
    sources = {"tasks": official / "tasks.jsonl", "gold": official / "gold"}
    return AgenticDataBenchLoader().load(BuildRequest(out=tmp_path_factory.mktemp("adb") / "suite", sources=sources))


@pytest.fixture(scope="module")
def records(official):
    return {record["id"]: record for _, record in read_jsonl(official / "tasks.jsonl")}


@pytest.fixture(scope="module")
def perturb(shared):
    spec = importlib.util.spec_from_file_location("perturb", shared / "conformance" / "perturb.py")
    module = sys.modules["perturb"] = importlib.util.module_from_spec(spec)  # its dataclasses look themselves up
    spec.loader.exec_module(module)
    yield module
    del sys.modules["perturb"]


@pytest.fixture(scope="module")
def recorded(shared):
    """The rows of one file of records."""

    def read(name):
        return [row for _, row in read_jsonl(shared / "conformance" / f"agenticdatabench_{name}.jsonl")]

    return read


@pytest.fixture
def perturbed(perturb, records, official, tmp_path):
    """What a row says was handed in, and nothing of what another row left."""

    def submission(row):
        return handed_in(perturb.row_files(row, records[row["task"]], official / "gold"), tmp_path)

    return submission


def handed_in(files, folder):
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return Submission(files={name: folder / name for name in files})


@pytest.fixture
def differing(perturbed, suite):
    """Those of some rows about single calls whose published score, or the class of the error, is not ours."""

    def found(rows):
        scored = ((row, called(row, perturbed(row), suite)) for row in rows)
        return [
            (row["task"], row["perturbation"], row["score"], row["error"], told(score), score.reason)
            for row, score in scored
            if differs(score, row["score"], row["error"])
        ]

    return found


@pytest.fixture
def differing_tables(recorded, differing):
    """How many rows there are about tables of some domains, and those whose published score is not ours."""

    def found(*domains):
        rows = [row for row in recorded("expected") if row["function"] == "compare_csv"]
        rows = [row for row in rows if row["task"].rpartition("_")[0] in domains]
        return len(rows), differing(rows)

    return found


def called(row, submission, suite):
    gold, files = suite.golds[row["task"]], suite.gold_files(row["task"])
    expected = Expected(suite.tasks[row["task"]], gold, gold.checks[row["call_index"]], files)
    return AgenticDataBenchScorer().score(submission, expected)


@pytest.fixture
def crafted(perturb, tmp_path):
    """The score of a hand-made case, and how it differs from the published one (None: not at all)."""

    def difference(case):
        score = crafted_score(case, perturb, tmp_path / case["id"])
        if differs(score, case["official_score"], case["official_error"]):
            return case["id"], case["official_score"], case["official_error"], told(score), score.reason
        return None

    return difference


def crafted_score(case, perturb, folder):
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
        Task(id="t", question="?"), Gold(task_id="t"), check, folder / (golds[0].parent if golds else "")
    )
    return AgenticDataBenchScorer().score(submission, expected)


def told(score):
    """The value, or the class of what was raised."""
    error = score.details.get("error", "").split(":")[0]
    return (None, error) if error else (score.value, None)


def differs(score, value, error):
    ours, raised = told(score)
    return raised != error or (ours is None) != (value is None) or (ours is not None and abs(ours - value) > 1e-9)
