"""Why attempts failed: one suite, and one attempt for each rule."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.analysis.failures import CLASSES, OF_PAPER, failures, title_of
from benchwright.analysis.failures.moves import moves
from benchwright.analysis.failures.shares import shares
from benchwright.analysis.failures.written import same_in_other_form
from benchwright.errors import Fault
from benchwright.gold import Check, Gold, RequiredFile
from benchwright.labels import Labels
from benchwright.run import Attempt, Cell, RunFolder, RunSpec
from benchwright.scoring import keep_scores, score_run
from benchwright.suite import RoomInfo, Suite, SuiteInfo
from benchwright.task import DataMount, OutputSpec, Task
from benchwright.trajectory import (
    Answered,
    Broke,
    Call,
    FileAccess,
    GaveUp,
    LimitHit,
    Measured,
    Step,
    Trajectory,
)

REQUIRED = RequiredFile(path="a/sales.csv", matches=("a/sales.csv",), copies=("b/twin.csv",))
SKILLS = {"Join": "Data Manipulation", "Mean": "Data Analysis", "Fit": "Data Modeling"}


def call(text="run()", output="done", **more):
    return Call(id="c", tool="python", kind="python", text=text, output=output, **more)


def wrong(output="ValueError: no", **more):
    return call(output=output, exit_code=1, is_error=True, **more)


def step(index, *calls, text=""):
    return Step(index=index, calls=calls, text=text, started=100.0 + index)


def read(*paths):
    return Measured(tracer="fanotify", files=tuple(FileAccess(path=path, step=1) for path in paths), room_files=20)


FOUND = read("a/sales.csv")
TIMED = wrong(output="", limit="step", text="slow()")
CASES = {
    "right": ("", {"answer": "12", "accesses": FOUND}, ()),
    "gone": ("not_run", None, ()),
    "server": ("environment", {"ending": Broke(fault=Fault.MODEL, detail="503")}, ()),
    "wall": ("global_limit", {"ending": LimitHit(which="wall")}, (step(1, TIMED),)),
    "slow": ("step_timeout", {"ending": LimitHit(which="step")}, ()),
    "memory": ("resource_limit", {"ending": LimitHit(which="memory")}, ()),
    "crash": ("crash", {"ending": Broke(fault=Fault.AGENT, detail="traceback")}, ()),
    "said": ("format", {"ending": GaveUp(), "accesses": FOUND}, (step(1, call()), step(2, text="12"))),
    "timed": ("step_timeout", {"answer": "9", "accesses": FOUND}, (step(1, call()), step(2, TIMED), step(3, TIMED))),
    "broken": ("self_repair", {"answer": "9", "accesses": FOUND}, (step(1, wrong()), step(2, wrong()))),
    "unread": ("self_repair", {"ending": GaveUp(), "accesses": FOUND}, tuple(step(n, text="?") for n in (1, 2, 3))),
    "lost": ("never_found", {"answer": "9", "accesses": read("c/sales.csv")}, (step(1, call()),)),
    "seen": ("found_unused", {"answer": "9", "accesses": read()}, (step(1, call("ls a", "sales.csv\nx.csv")),)),
    "silent": ("no_answer", {"ending": GaveUp(), "accesses": FOUND}, (step(1, call()),)),
    "guess": ("skill:data_analysis", {"answer": "9", "accesses": read("b/twin.csv")}, (step(1, call("mean()")),)),
    "mended": ("skill:data_analysis", {"answer": "9", "accesses": FOUND}, (step(1, TIMED), step(2, call()))),
    "plain": ("unclassified", {"answer": "9", "accesses": FOUND}, (step(1, call()),)),
}


def labels(name):
    if name == "plain":
        return Labels(task_id=name, domain="d")
    return Labels(task_id=name, domain="d", skills=("Mean",), extra={"skill_categories": SKILLS})


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    golds = [
        Gold(task_id=name, answer="12", required_files=(REQUIRED,), required_files_status="declared") for name in CASES
    ]
    return Suite.write(
        tmp_path_factory.mktemp("failing") / "suite",
        SuiteInfo(name="failing", rooms={"r": RoomInfo(files=20)}),
        [Task(id=name, question="How many?", data=(DataMount(room="r"),)) for name in (*CASES, "ungraded")],
        [labels(name) for name in CASES],
        golds,
    )


@pytest.fixture(scope="module")
def run(suite, tmp_path_factory):
    cell = Cell(agent="a", suite_digest=suite.digest)
    spec = RunSpec(suite="failing", suite_folder=str(suite.folder), suite_digest=suite.digest, cells=(cell,))
    folder = RunFolder.create(tmp_path_factory.mktemp("failing") / "run", spec)
    for name, (_, made, steps) in CASES.items():
        if made is None:
            continue
        folder.transcripts.write(f"u-{name}", Trajectory(steps=steps))
        folder.record(
            Attempt(cell=cell.id, task_id=name, uuid=f"u-{name}", steps=len(steps), **{"ending": Answered(), **made})
        )
    folder.record(Attempt(cell=cell.id, task_id="ungraded", ending=Answered(), answer="12"))
    keep_scores(score_run(suite, folder), folder)
    return folder


@pytest.fixture(scope="module")
def rows(suite, run):
    return {row.task_id: row for row in failures(suite, run, "sound")}


def test_each_attempt_has_the_class_that_the_rules_say(rows):
    assert {name: rows[name].failure for name in CASES} == {name: case[0] for name, case in CASES.items()}
    assert rows["ungraded"].failure == "suite"


def test_the_evidence_is_a_step_and_a_text_of_the_transcript(rows):
    assert (rows["broken"].step, rows["broken"].evidence) == (2, "ValueError: no")
    assert (rows["timed"].step, rows["timed"].evidence, rows["timed"].timeouts) == (3, "slow()", 2)
    assert (rows["lost"].rule, rows["lost"].evidence) == ("near miss", "opened c/sales.csv")
    assert (rows["seen"].step, rows["seen"].evidence) == (1, "ls a")
    assert (rows["said"].rule, rows["said"].step) == ("said, not handed in", 2)


def test_a_guess_is_marked_as_one_and_a_rule_is_not(rows):
    assert (rows["guess"].basis, rows["guess"].rule) == ("estimate", "weakest skills")
    assert {rows[name].basis for name in ("wall", "lost", "broken", "plain")} == {"rule"}


def test_shares_have_fixed_denominators(rows):
    found = shares(list(rows.values()))
    assert (found["n"], found["failed"]) == (len(CASES), len(CASES) - 1)
    limit = found["classes"]["global_limit"]
    assert (limit["n"], limit["of_failures"]) == (1, 1 / (len(CASES) - 1))
    assert found["classes"]["suite"] == {"n": 1, "of_attempts": None, "of_failures": None, "estimated": 0}
    told = [each["n"] for name, each in found["classes"].items() if name != "suite"]
    assert sum(told) == found["failed"]
    assert shares([])["n"] == 0


def test_failures_that_moved_are_told_by_pairs(rows):
    first = list(rows.values())
    mended = rows["broken"].model_copy(update={"failure": "", "failed": False})
    second = [mended if row.task_id == "broken" else row for row in first if row.task_id != "wall"]
    found = moves(first, second)
    assert found["pairs"] == len(CASES) - 1
    assert found["moved"] == [{"from": "self_repair", "to": "right", "n": 1}]
    told = {each["failure"]: (each["first"], each["second"]) for each in found["classes"]}
    assert told["self_repair"] == (2, 1)
    assert "suite" not in told


def test_the_papers_ten_classes_are_among_ours_and_all_have_titles():
    assert len(OF_PAPER) == 10
    assert set(CLASSES) > OF_PAPER
    assert len({title_of(name) for name in CLASSES}) == len(CLASSES)


def test_words_of_a_time_limit_count_where_others_ran_the_call_and_not_where_we_did(suite, run, tmp_path):
    folder = RunFolder.create(tmp_path / "words", run.spec)
    steps = (step(1, wrong(output="Command timed out after 2m 0s")), step(2, wrong(output="timed out after 9 s")))
    for name, harness in (("guess", "claude_code"), ("mended", "")):
        folder.transcripts.write(name, Trajectory(steps=steps, harness=harness))
        made = {"task_id": name, "uuid": name, "ending": Answered(), "answer": "9", "accesses": FOUND}
        folder.record(Attempt(cell=run.spec.cells[0].id, **made))
    keep_scores(score_run(suite, folder), folder)
    found = {row.task_id: row.failure for row in failures(suite, folder, "sound")}
    assert (found["guess"], found["mended"]) == ("step_timeout", "self_repair")


def test_a_damaged_transcript_leaves_what_the_record_says(suite, run, tmp_path):
    folder = RunFolder.create(tmp_path / "damaged", run.spec)
    folder.transcripts.write("u", Trajectory(steps=(step(1, wrong()), step(2, wrong()))))
    folder.transcripts.locate("u").write_bytes(b"nonsense")
    folder.record(
        Attempt(cell=run.spec.cells[0].id, task_id="guess", uuid="u", ending=Answered(), answer="9", accesses=FOUND)
    )
    keep_scores(score_run(suite, folder), folder)
    found = {row.task_id: row for row in failures(suite, folder, "sound")}["guess"]
    assert (found.failure, found.failed_steps) == ("skill:data_analysis", None)


def test_a_right_file_under_another_name_is_a_matter_of_form(tmp_path):
    made = Suite.write(
        tmp_path / "suite",
        SuiteInfo(name="named"),
        [Task(id="t", question="A table?", outputs=(OutputSpec(kind="table", name="out.csv"),))],
        [],
        [Gold(task_id="t", checks=(Check(scorer="table", output="out.csv", golds=("g.csv",)),), files=("g.csv",))],
    )
    (made.gold_files("t")).mkdir(parents=True)
    (made.gold_files("t") / "g.csv").write_text("a,b\n1,2\n3,4\n")
    cell = Cell(agent="a", suite_digest=made.digest)
    spec = RunSpec(suite="named", suite_folder=str(made.folder), suite_digest=made.digest, cells=(cell,), epochs=2)
    folder = RunFolder.create(tmp_path / "run", spec)
    for epoch, text in ((1, "a,b\n1,2\n3,4\n"), (2, "a,b\n5,6\n7,8\n")):
        (tmp_path / "x.csv").write_text(text)
        kept = folder.artifacts.keep(tmp_path / "x.csv")
        folder.record(Attempt(cell=cell.id, task_id="t", epoch=epoch, ending=Answered(), files={"final.csv": kept}))
    keep_scores(score_run(made, folder), folder)
    first, second = failures(made, folder, "sound")
    assert (first.failure, first.evidence) == ("format", "final.csv instead of out.csv")
    assert second.failure == "no_answer"


@pytest.mark.parametrize(
    ("answer", "gold"),
    [("1 234,5".replace(",", "."), "1234.5"), ("**38 %**", "0.38"), ("about 12 widgets", "12"), ("a; b", "a, b")],
)
def test_the_same_values_in_another_form_are_a_matter_of_form(answer, gold):
    assert same_in_other_form(answer, [gold])


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        *[("12 or 13", "12"), ("not 12", "12"), ("b, a", "a, b"), ("3.1", "3.14"), ("100", "1"), ("", "12")],
        *[("1, 2, 3, 4, 5", "3"), ("London", "Paris"), ("-12", "12"), ("12", "")],
    ],
)
def test_other_values_several_and_another_order_are_another_answer(answer, gold):
    assert not same_in_other_form(answer, [gold])


@given(st.text(max_size=200), st.text(max_size=50))
def test_any_text_can_be_compared(answer, gold):
    assert same_in_other_form(answer, [gold]) in (True, False)
