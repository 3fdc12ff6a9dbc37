"""Files that know what a check looks at, and nothing of the data, earn nothing; a check that credits them is found."""

import pytest

from benchwright.gold import Check, Gold
from benchwright.labels import Labels
from benchwright.proving import CheckOptions, ProofOptions, check, read_kept
from benchwright.proving.lint.base import Case
from benchwright.proving.proofs.fixed_files import fixed_files
from benchwright.suite import Suite, SuiteInfo
from benchwright.task import OutputSpec, Task


def case_of(*checks):
    return Case(Task(id="t", question="?"), Gold(task_id="t", checks=checks), Labels(task_id="t"))


def test_a_fixed_table_has_the_names_that_are_looked_for_and_a_grid_of_numbers(tmp_path):
    (path,) = fixed_files(
        case_of(Check(scorer="table", output="o.csv", options={"columns": ['a "b"', "c"]})), tmp_path
    ).values()
    header, first, *rest = path.read_text().splitlines()
    assert header == '"a ""b""","c","column 3"'
    assert first == "0,0.00,0"
    assert len(rest) == 20_000


def test_a_fixed_document_holds_the_best_of_each_range(tmp_path):
    fields = {"auc": [0.5, 1.0], "train": {"ks": None, "n": 0}}
    (path,) = fixed_files(
        case_of(Check(scorer="document", output="o.json", options={"fields": fields})), tmp_path
    ).values()
    assert path.read_text() == '{"auc": 1.0, "train": {"ks": 1, "n": 1}}'


def test_answers_charts_and_databases_have_no_fixed_file_and_an_output_has_one(tmp_path):
    kinds = ("answer", "chart", "database", "model_metric", "table")
    checks = [Check(scorer=kind, output="o" if kind in kinds[3:] else kind) for kind in kinds]
    files = fixed_files(case_of(*checks), tmp_path)
    assert {name: path.read_text() for name, path in files.items()} == {"o": '"prediction"\nx\n'}


@pytest.mark.parametrize(("fields", "rule"), [({"a": [0, 1]}, ["prove-fixed-file-fails"]), ({"a": None}, [])])
def test_a_check_that_a_fixed_file_passes_is_an_error(tmp_path, fields, rule):
    made = Check(scorer="document", output="o.json", golds=("g.json",), options={"fields": fields})
    task = Task(id="t", question="Write a to o.json.", outputs=(OutputSpec(kind="document", name="o.json"),))
    (tmp_path / "gold/files/t").mkdir(parents=True)
    (tmp_path / "gold/files/t/g.json").write_text('{"a": 0.7}')
    suite = Suite.write(
        tmp_path, SuiteInfo(name="s"), [task], (), [Gold(task_id="t", files=("g.json",), checks=(made,))]
    )
    check(suite, CheckOptions(proofs=ProofOptions(), privacy=None))
    assert [finding.rule for finding in read_kept(suite).reasons("t", "sound")] == rule
