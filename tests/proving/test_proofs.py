"""Proofs of real tasks: scored by the suite's own checks, solved in a real sandbox, kept and resumed."""

import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from benchwright.errors import Broken, EnvironmentFault, Fault, InputError
from benchwright.gold import Check, Gold, RequiredFile, Solution
from benchwright.proving import CheckOptions, ProofOptions, check, prove
from benchwright.proving.proofs.records import Ledger
from benchwright.sandbox.access import missing
from benchwright.sandbox.namespace import NamespaceProvider
from benchwright.suite import RoomInfo, Suite, SuiteInfo
from benchwright.task import DataMount, Limits, OutputSpec, Task

READ = "rows = open('/data/orders.csv').read().split()[1:]\n"
SUM = f"{READ}print(sum(int(row.split(',')[1]) for row in rows))"


@pytest.fixture(scope="module")
def provider():
    with NamespaceProvider() as made:
        yield made


@pytest.fixture
def options(provider):
    """Proofs in sandboxes, whose number is counted."""
    opened = []
    lock = threading.Lock()

    def open_one(spec):
        with lock:
            opened.append(spec)
        return provider.open(spec)

    return ProofOptions(open=open_one, parallel=2), opened


def _task(name="a", output=None, **limits) -> Task:
    outputs = (output,) if output else (OutputSpec(),)
    return Task(
        id=name,
        question=f"How many units were sold in shop {name.upper()}?",
        guidelines="Answer must be a single integer.",
        data=(DataMount(room="shop"),),
        outputs=outputs,
        limits=Limits(**limits),
    )


def _gold(name="a", code=SUM, answer="42", **gold) -> Gold:
    required = gold.pop("required_files", (RequiredFile(path="orders.csv"),))
    return Gold(
        task_id=name,
        answer=answer,
        solution=Solution(code=code),
        required_files=required,
        required_files_status="declared",
        **gold,
    )


def _suite(folder: Path, *pairs: tuple[Task, Gold], rooms=True) -> Suite:
    if rooms:
        (folder / "data/shop").mkdir(parents=True, exist_ok=True)
        (folder / "data/shop/orders.csv").write_text("day,units\nmon,19\ntue,23\n")
        (folder / "data/shop/orders_old.csv").write_text("day,units\nmon,1\n")
    info = SuiteInfo(name="shop", rooms={"shop": RoomInfo()})
    return Suite.write(folder, info, [task for task, _ in pairs], (), [gold for _, gold in pairs])


def _steps(done) -> dict[str, dict[str, str]]:
    return {proof.task_id: {step.name: step.outcome for step in proof.steps} for proof in done.proofs}


def test_a_right_task_is_proved(tmp_path, options):
    suite = _suite(tmp_path, (_task(), _gold()))
    steps = _steps(prove(suite, options[0]))["a"]
    assert steps["gold-scores-one"] == steps["empty-scores-zero"] == "passed"
    assert steps["solution-runs"] == steps["solution-reproduces-gold"] == "passed"
    assert check(suite, CheckOptions(proofs=options[0])).clean


@pytest.mark.parametrize(
    ("code", "step", "evidence"),
    [
        ("print(41)", "solution-reproduces-gold", "41"),
        ("print('The answer is not 42')", "solution-reproduces-gold", "not 42"),
        ("raise SystemExit('no such column')", "solution-runs", "no such column"),
        ("open('/data/lost.csv')", "solution-runs", "lost.csv"),
        ("", "solution-runs", ""),
    ],
)
def test_a_solution_that_does_not_reproduce_the_gold_is_named_with_what_it_did(code, step, evidence, tmp_path, options):
    suite = _suite(tmp_path, (_task(), _gold(code=code)))
    proof = prove(suite, options[0]).proofs[0]
    failed = {each.name: each for each in proof.steps}[step]
    assert failed.outcome == ("failed" if code else "not_applicable")
    assert evidence in failed.evidence
    assert not proof.proved


def test_b053_a_program_that_gives_none_of_the_stored_golds_flags_the_task(shared, tmp_path, options):
    lines = (shared / "cases" / "fault_cases.jsonl").read_text(encoding="utf-8").splitlines()
    case = next(each for each in map(json.loads, lines) if each["id"] == "B053")
    printed, (stored, *more) = case["input"]["gold_program_output"], case["input"]["gold_variants"]
    pairs = [
        (_task(name), _gold(name, code=f"print({printed!r})", answer=stored, alternatives=alternatives))
        for name, alternatives in (("a", (*more,)), ("b", (*more, printed)))
    ]
    found = check(_suite(tmp_path, *pairs), CheckOptions(proofs=options[0])).findings
    flagged = [each.task_id for each in found if each.rule == "prove-solution-reproduces-gold"]
    assert flagged == ["a"], (case["expected"], found)


def test_a_solution_that_prints_more_than_the_answer_is_read_by_its_last_line(tmp_path, options):
    suite = _suite(tmp_path, (_task(), _gold(code=f"print('units by day: mon 19, tue 23')\n{SUM}")))
    assert prove(suite, options[0]).proofs[0].proved


def test_a_solution_that_never_ends_hits_its_limit(tmp_path, options):
    suite = _suite(tmp_path, (_task(wall_seconds=1.5), _gold(code="while True: pass")))
    proof = prove(suite, options[0]).proofs[0]
    assert proof.outcome("solution-runs") == "failed"
    assert "limit" in next(step.evidence for step in proof.steps if step.name == "solution-runs")


def test_a_gold_that_its_own_checks_refuse_is_named(tmp_path, options):
    suite = _suite(tmp_path, (_task("a"), _gold("a", answer=_task().guidelines)), (_task("b"), _gold("b")))
    steps = _steps(prove(suite, options[0]))
    assert (steps["a"]["gold-scores-one"], steps["b"]["gold-scores-one"]) == ("failed", "passed")


def test_an_alternative_that_its_own_checks_refuse_is_named(tmp_path, options):
    suite = _suite(tmp_path, (_task(), _gold(alternatives=("42.0",))), (_task("b"), _gold("b", alternatives=("",))))
    steps = _steps(prove(suite, options[0]))
    assert (steps["a"]["gold-scores-one"], steps["b"]["gold-scores-one"]) == ("passed", "failed")


def test_a_task_that_cannot_be_scored_is_named(tmp_path, options):
    suite = _suite(tmp_path, (_task(), _gold(checks=(Check(scorer="no_such_scorer"),))))
    assert prove(suite, options[0]).proofs[0].outcome("gold-scores-one") == "failed"


def test_solutions_that_name_files_by_paths_in_the_room_run_in_it(tmp_path, options):
    code = "print(sum(int(row.split(',')[1]) for row in open('orders.csv').read().split()[1:]))"
    suite = _suite(tmp_path, (_task(), _gold(code=code)))
    assert prove(suite, options[0]).proofs[0].proved


def test_a_table_is_proved_from_the_file_that_the_solution_writes(tmp_path, options):
    pytest.importorskip("benchwright.scorers.table", reason="the table scorer is not here yet")
    right = "open('total.csv', 'w').write('units\\n42\\n')"
    wrong = "open('total.csv', 'w').write('units\\n41\\n')"
    output = OutputSpec(kind="table", name="total.csv", description="one column, units")
    gold = {
        "answer": None,
        "files": ("total.csv",),
        "checks": (Check(scorer="table", output="total.csv", golds=("total.csv",)),),
    }
    pairs = [(_task(name, output), _gold(name, code, **gold)) for name, code in (("a", right), ("b", wrong))]
    for name in ("a", "b"):
        (tmp_path / "gold/files" / name).mkdir(parents=True)
        (tmp_path / "gold/files" / name / "total.csv").write_text("units\n42\n")
    steps = _steps(prove(_suite(tmp_path, *pairs), options[0]))
    assert [steps[name]["gold-scores-one"] for name in "ab"] == ["passed", "passed"]
    assert [steps[name]["solution-reproduces-gold"] for name in "ab"] == ["passed", "failed"]


OLD = "open('/data/orders_old.csv').read()\n"


@pytest.mark.parametrize(
    ("code", "required", "surplus"),
    [
        (SUM, "passed", "passed"),
        ("print(42)", "failed", "passed"),
        (OLD + SUM, "passed", "noted"),
        (OLD + "print(42)", "failed", "noted"),
    ],
)
@pytest.mark.parametrize("tracing", ["fanotify", "strace"])
def test_the_files_that_the_solution_reads_are_held_against_the_required(
    code, required, surplus, tracing, tmp_path, options
):
    if missing()[tracing]:
        pytest.skip(missing()[tracing])
    done = prove(_suite(tmp_path, (_task(), _gold(code=code))), replace(options[0], tracing=tracing))
    steps = _steps(done)["a"]
    assert (steps["required-files-opened"], steps["no-other-files-opened"]) == (required, surplus)
    assert done.proofs[0].tracer == tracing
    assert done.proofs[0].proved is (required == "passed")


def test_what_is_not_measured_is_not_called_unread(tmp_path, options):
    done = prove(_suite(tmp_path, (_task(), _gold(code="print(42)"))), replace(options[0], tracing="off"))
    assert done.proofs[0].outcome("required-files-opened") == "not_applicable"
    assert done.proofs[0].proved


def test_required_files_that_nobody_declared_are_told_from_what_was_read(tmp_path, options):
    gold = _gold().model_copy(update={"required_files": (), "required_files_status": "unknown"})
    proof = prove(_suite(tmp_path, (_task(), gold)), options[0]).proofs[0]
    (step,) = (step for step in proof.steps if step.name == "required-files-opened")
    assert (step.outcome, "orders.csv" in step.evidence) == ("noted", True)


@pytest.mark.parametrize(
    ("code", "outcome"), [("print(42)", "passed"), ("import os; print(42); print(os.urandom(8).hex())", "failed")]
)
def test_a_solution_that_comes_out_otherwise_the_second_time_is_found(code, outcome, tmp_path, options):
    done = prove(_suite(tmp_path, (_task(), _gold(code=code))), replace(options[0], twice=True))
    assert done.proofs[0].outcome("same-result-twice") == outcome


# Keeping and resuming


def test_what_was_proved_is_not_done_again_until_it_changes(tmp_path, options):
    proving, opened = options
    suite = _suite(tmp_path, (_task("a"), _gold("a")), (_task("b"), _gold("b")))
    assert prove(suite, proving).made == 2
    assert prove(Suite.open(tmp_path), proving).made == 0
    assert len(opened) == 2
    changed = _suite(tmp_path, (_task("a"), _gold("a")), (_task("b"), _gold("b", answer="43")))
    again = prove(changed, proving)
    assert again.made == 1
    assert _steps(again)["b"]["solution-reproduces-gold"] == "failed"


def test_a_required_file_that_changed_is_a_new_proof(tmp_path, options):
    proving, _ = options
    prove(_suite(tmp_path, (_task(), _gold())), proving)
    (tmp_path / "data/shop/orders.csv").write_text("day,units\nmon,19\ntue,24\n")
    again = prove(Suite.open(tmp_path), proving)
    assert again.made == 1
    assert not again.proofs[0].proved


def test_a_check_that_is_killed_loses_only_what_was_under_way(tmp_path, options):
    proving, _ = options
    suite = _suite(tmp_path, *((_task(name), _gold(name)) for name in "abcdef"))
    count = 0

    def stop(spec):
        nonlocal count
        count += 1
        if count > 3:
            raise KeyboardInterrupt
        return proving.open(spec)

    with pytest.raises(KeyboardInterrupt):
        prove(suite, replace(proving, open=stop, parallel=1))
    assert prove(Suite.open(tmp_path), proving).made == 3


def test_a_proof_without_data_is_made_again_when_the_data_are_there(tmp_path, options):
    proving, _ = options
    suite = _suite(tmp_path, (_task(), _gold()), rooms=False)
    first = prove(suite, proving).proofs[0]
    assert (first.outcome("solution-runs"), first.failed, first.proved) == ("not_applicable", False, False)
    assert prove(_suite(tmp_path, (_task(), _gold())), proving).proofs[0].proved


def test_a_sandbox_that_breaks_is_reported_and_tried_again(tmp_path, options):
    def broken(spec):
        raise Broken(Fault.SANDBOX, "the mount went away")

    suite = _suite(tmp_path, (_task(), _gold()))
    done = prove(suite, ProofOptions(open=broken))
    assert done.proofs == ()
    assert [finding.rule for finding in done.broken] == ["prove-machine-broke"]
    assert prove(suite, options[0]).made == 1


def test_a_machine_without_sandboxes_is_said_at_once(tmp_path):
    def none_here(spec):
        raise EnvironmentFault("no namespaces here")

    with pytest.raises(EnvironmentFault, match="no namespaces here"):
        prove(_suite(tmp_path, (_task(), _gold())), ProofOptions(open=none_here))


def test_a_record_of_proofs_that_is_not_ours_is_refused_and_one_of_another_format_is_made_anew(tmp_path):
    suite = _suite(tmp_path, (_task(), _gold()))
    (tmp_path / "checks.json").write_text("[]")
    with pytest.raises(Exception, match="not a record of proofs"):
        Ledger(suite)
    (tmp_path / "checks.json").write_text(json.dumps({"format": 99, "proofs": {"a": "?"}}))
    assert Ledger(suite).get("a", "x") is None


def test_the_record_holds_no_gold_answers_of_tasks_that_pass(tmp_path, options):
    prove(_suite(tmp_path, (_task(), _gold(answer="42"))), options[0])
    assert '"42"' not in (tmp_path / "checks.json").read_text()


# The report


def test_the_report_counts_what_is_proved_and_states_the_ceiling(tmp_path, options):
    suite = _suite(tmp_path, (_task("a"), _gold("a")), (_task("b"), _gold("b", code="print(7)")))
    report = check(suite, CheckOptions(proofs=options[0]))
    assert report.proofs is not None
    assert (report.proofs.proved, report.proofs.failed, report.proofs.ceiling) == (1, 1, 0.5)
    assert not report.clean
    assert {finding.task_id for finding in report.findings if finding.alarming} == {"b"}


def test_a_suite_none_of_whose_solutions_was_run_has_no_ceiling(tmp_path, options):
    suite = _suite(tmp_path, (_task(), _gold()), (_task("b"), _gold("b", answer="")), rooms=False)
    report = check(suite, CheckOptions(proofs=options[0]))
    assert report.proofs is not None
    assert (report.proofs.proved, report.proofs.failed, report.proofs.ceiling) == (0, 1, None)
    assert report.proofs.not_run == {"a room is not on this machine": 1}


@pytest.mark.parametrize(
    ("answers", "suspect"),
    [
        (["43", "43", "43"], True),
        (["43", "43"], False),
        (["42", "42", "42"], False),
        (["43", "43", "43", "7", "8"], False),
    ],
)
def test_a_gold_that_independent_answers_agree_against_is_suspect(answers, suspect, tmp_path):
    suite = _suite(tmp_path, (_task(), _gold()))
    report = check(suite, CheckOptions(proofs=None, privacy=None, answers={"a": answers}))
    assert [finding.rule for finding in report.findings if finding.alarming] == ["suspect-gold"] * suspect


def test_a_finding_that_the_authors_accept_is_a_note_with_their_reason(tmp_path):
    suite = _suite(tmp_path, (_task("a"), _gold("a", answer="Not 42; 7")))
    assert not check(suite, CheckOptions(proofs=None)).clean
    (tmp_path / "accepted.toml").write_text(
        '[[accepted]]\nrule = "gold-type"\ntask_id = "a"\nreason = "read again"\n'
        '[[accepted]]\nrule = "part-count"\ntask_id = "a"\nreason = "read again"\n'
        '[[accepted]]\nrule = "part-count"\ntask_id = "z"\nreason = "gone"\n'
    )
    report = check(suite, CheckOptions(proofs=None))
    assert report.clean
    notes = {finding.rule: finding.evidence for finding in report.findings}
    assert "(accepted: read again)" in notes["part-count"]
    assert "part-count" in notes["accepted-without-finding"]


@pytest.mark.parametrize("text", ["accepted = 3", "other = 1", '[[accepted]]\nrule = "x"\n', "[[accepted"])
def test_a_list_of_accepted_findings_that_cannot_be_read_is_one_clear_error(text, tmp_path):
    suite = _suite(tmp_path, (_task(), _gold()))
    (tmp_path / "accepted.toml").write_text(text)
    with pytest.raises(InputError, match=r"accepted\.toml"):
        check(suite, CheckOptions(proofs=None))
