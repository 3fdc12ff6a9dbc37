"""What checks keep for whoever shows results with and without faulty tasks."""

import json

import pytest

from benchwright.errors import InputError
from benchwright.gold import Check, Gold
from benchwright.proving import CheckOptions, ProofOptions, check, read_kept, with_known_faults
from benchwright.scoring import score_predictions
from benchwright.suite import Suite, SuiteInfo
from benchwright.task import OutputSpec, Task

WITHOUT = CheckOptions(proofs=None, privacy=None)
PROOFS = CheckOptions(proofs=ProofOptions(), privacy=None)


@pytest.fixture
def suite(tmp_path):
    """A right task; one whose gold file is missing; one whose gold the sound scorer refuses, the published does not."""
    folder = tmp_path / "suite"
    tasks, golds = [], []
    for name in ("right", "lost", "odd"):
        output = OutputSpec(kind="table", name="output.csv")
        tasks.append(Task(id=name, question=f"Write city and units of {name} to output.csv.", outputs=(output,)))
        options = {"no_such_option": 1} if name == "odd" else {}
        made = Check(scorer="table", output="output.csv", golds=("gold.csv",), options=options)
        golds.append(Gold(task_id=name, files=("gold.csv",), checks=(made,)))
        (folder / "gold/files" / name).mkdir(parents=True)
        if name != "lost":
            (folder / "gold/files" / name / "gold.csv").write_text("city,units\nA,1\nB,2\n")
    return Suite.write(folder, SuiteInfo(name="small"), tasks, (), golds)


def test_tasks_are_faulty_by_verdict_and_the_reasons_are_kept(suite):
    check(suite, PROOFS)
    kept = read_kept(suite)
    assert kept.is_of(suite)
    assert set(kept.faulty["sound"]) == {"lost", "odd"}
    assert "odd" not in kept.faulty["reference"]
    assert [finding.rule for finding in kept.reasons("odd", "sound")] == ["prove-gold-scores-one"]
    assert {finding.rule for finding in kept.reasons("lost", "reference")} >= {"gold-missing"}
    assert kept.reasons("right", "sound") == ()


def scored(suite, folder):
    """Every task answered with the gold of the right one, with what is known of the suite."""
    for name in suite.tasks:
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / "output.csv").write_text("city,units\nA,1\nB,2\n")
    return with_known_faults(score_predictions(suite, folder)).document()


def test_scores_are_shown_with_and_without_faulty_tasks_and_none_is_dropped(suite, tmp_path):
    assert scored(suite, tmp_path / "out")["faulty_ids"] is None  # nobody has checked
    check(suite, PROOFS)
    document = scored(suite, tmp_path / "out")
    assert document["faulty_ids"] == {"reference": ["lost"], "sound": ["lost", "odd"]}
    assert len(document["tasks"]) == 3
    reference, sound = document["reference"], document["sound"]
    assert (reference["n"], reference["mean"], reference["faulty"]) == (3, pytest.approx(2 / 3), 1)
    assert (reference["without_faulty"]["n"], reference["without_faulty"]["mean"]) == (2, 1.0)
    assert (sound["n"], sound["unscorable"], sound["faulty"]) == (1, 2, 2)
    assert (sound["without_faulty"]["tasks"], sound["without_faulty"]["mean"]) == (1, 1.0)
    assert document["subsets"]["full"]["reference"]["without_faulty"] == reference["without_faulty"]


def test_faults_of_other_golds_than_those_that_are_scored_are_not_told(suite, tmp_path):
    check(suite, PROOFS)
    (suite.folder / "gold" / "files" / "right" / "gold.csv").write_text("city,units\nA,1\nB,3\n")
    changed = Suite.open(suite.folder)
    assert changed.gold_digest != suite.gold_digest
    assert scored(changed, tmp_path / "out")["faulty_ids"] is None


def test_what_a_part_found_stays_while_that_part_is_left_out(suite):
    check(suite, PROOFS)
    before = read_kept(suite)
    check(suite, WITHOUT)
    assert read_kept(suite).faulty == before.faulty
    check(suite, CheckOptions(proofs=ProofOptions(ids=("right",)), privacy=None))
    assert read_kept(suite).faulty == before.faulty


def test_findings_of_other_golds_do_not_stay(suite):
    check(suite, PROOFS)
    golds = [
        gold.model_copy(update={"checks": (gold.checks[0].model_copy(update={"options": {}}),)})
        for gold in suite.golds.values()
    ]
    mended = Suite.write(suite.folder, suite.info, suite.tasks.values(), (), golds)
    assert not read_kept(mended).is_of(mended)
    check(mended, WITHOUT)
    assert read_kept(mended).faulty["sound"] == ("lost",)


def test_a_gold_file_that_was_added_makes_what_was_found_stale(suite):
    check(suite, WITHOUT)
    (suite.folder / "gold/files/lost/gold.csv").write_text("city,units\nA,1\nB,2\n")
    again = Suite.open(suite.folder)
    assert not read_kept(again).is_of(again)
    check(again, WITHOUT)
    assert read_kept(again).faulty["sound"] == ()


def test_an_accepted_finding_is_no_fault(suite):
    (suite.folder / "accepted.toml").write_text(
        '[[accepted]]\nrule = "gold-missing"\ntask_id = "lost"\nreason = "too large to publish"\n'
    )
    check(suite, WITHOUT)
    assert read_kept(suite).faulty == {"reference": (), "sound": ()}


def test_the_file_is_plain_json_of_the_documented_form(suite):
    check(suite, PROOFS)
    document = json.loads((suite.folder / "checks.json").read_text())
    assert set(document) == {"format", "suite", "digest", "gold_digest", "proofs", "findings", "faulty"}
    (odd,) = [
        finding
        for finding in document["findings"]
        if finding.get("task_id") == "odd" and finding["severity"] == "error"
    ]
    assert odd["modes"] == ["sound"]


@pytest.mark.parametrize(
    "text", ["[]", "{", '{"proofs": {}, "format": 1, "findings": [5]}', '{"proofs": 5, "format": 1}']
)
def test_a_file_that_is_not_ours_is_refused_and_left_alone(suite, text):
    (suite.folder / "checks.json").write_text(text)
    with pytest.raises(InputError, match=r"not a record of proofs|checks\.json: not valid JSON"):
        read_kept(suite)
    assert (suite.folder / "checks.json").read_text() == text


def test_a_record_of_another_format_counts_as_none(suite):
    (suite.folder / "checks.json").write_text('{"proofs": {"x": 1}, "format": 99}')
    assert not read_kept(suite).is_of(suite)


def test_what_a_check_found_is_told_where_it_cannot_be_kept(suite):
    (suite.folder / "checks.json").mkdir()
    said = []
    report = check(suite, PROOFS, said.append)
    assert {finding.task_id for finding in report.findings if finding.alarming} == {"lost", "odd"}
    assert sum("checks.json could not be written" in line for line in said) == 1


def test_a_record_of_checks_that_cannot_be_read_loses_no_score(suite, tmp_path):
    (suite.folder / "checks.json").write_text("[]")
    (tmp_path / "outputs" / "right").mkdir(parents=True)
    document = with_known_faults(score_predictions(suite, tmp_path / "outputs")).document()
    assert document["faulty_ids"] is None
    assert document["n_tasks"] == 3
