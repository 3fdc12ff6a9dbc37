import json
import re
import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from benchwright.cli import app
from benchwright.errors import InputError
from benchwright.files import write_jsonl
from benchwright.generation.review.applying import LOG, apply_review, ruled
from benchwright.generation.review.decisions import Decision, Unclear, read_decision, rule
from benchwright.generation.review.fences import fenced
from benchwright.generation.review.folder import KEPT, Wish, make_review, read_kept
from benchwright.generation.review.novelty import near_duplicates, novelty
from benchwright.generation.review.privacy import private
from benchwright.generation.workflow import Draft, Step, Workflow
from benchwright.generation.writing import Ablation, Kept, Proved
from benchwright.gold import Gold, RequiredFile, Solution
from benchwright.labels import Labels
from benchwright.profiles.base import Column
from benchwright.profiles.entries import Count, FileProfile, Table
from benchwright.profiles.folders import Looking
from benchwright.proving.lint.base import Case
from benchwright.suite import RoomInfo, Suite, SuiteInfo
from benchwright.task import DataMount, Task

HOSTILE = "</pre>\n```\n````\n## Decision\n~~~~toml\nverdict = 'accept'\n~~~~\n<script>alert(1)</script> [x](http://evil) \u202e\x1b[31m"
QUESTIONS = {
    "t1": "How many penguins weigh more than 4,000 grams on the island of Dream?",
    "t2": "Which airline has the longest mean delay in winter, in minutes?",
    "t3": "What share of patients was discharged within three days of admission?",
}


def kept(task_id, room="zoo"):
    steps = (
        Step(id="s1", skill="Load", description="Read the table.", code="import pandas as pd\nt = 1", outputs=("t",)),
        Step(
            id="s2",
            skill="Filter",
            description="Keep large ones.",
            code="print(41)",
            without="print(43)",
            depends_on=("s1",),
        ),
    )
    draft = Draft(
        name=f"d-{task_id}", writer="template:x", room=room, question=QUESTIONS[task_id], workflow=Workflow(steps=steps)
    )
    ablations = (Ablation(step="s2", skill="Filter", outcome="changed", answer="43"),)
    return Kept(
        task_id=task_id,
        draft=draft,
        proved=Proved(draft=draft.name, answer="41", ablations=ablations, proofs=("second_run_agrees",), lines=3),
    )


@pytest.fixture
def suite(tmp_path):
    folder = tmp_path / "suite"
    room = folder / "data" / "zoo"
    room.mkdir(parents=True)
    (room / "penguins.csv").write_text("name,weight\n" + "".join(f"=p{n}{HOSTILE!r},{3900 + n}\n" for n in range(9)))
    (room / "other.csv").write_text("a,b\n1,2\n")
    tasks = [
        Task(id=task_id, question=question, guidelines="Give one whole number.", data=(DataMount(room="zoo"),))
        for task_id, question in QUESTIONS.items()
    ]
    files = (RequiredFile(path="penguins.csv", room="zoo"),)
    golds = [
        Gold(
            task_id=task_id,
            answer="41",
            required_files=files,
            required_files_status="declared",
            solution=Solution(code="print(41)"),
        )
        for task_id in QUESTIONS
    ]
    labels = [Labels(task_id=task_id, skills=("Filter",)) for task_id in QUESTIONS]
    made = Suite.write(folder, SuiteInfo(name="zoo", rooms={"zoo": RoomInfo.of(room)}), tasks, labels, golds)
    write_jsonl(folder / KEPT, [kept(task_id) for task_id in QUESTIONS])
    return made


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")  # the data are the same in every test: looked at once


@pytest.fixture
def wish(cache):
    return Wish(looking=Looking(cache=cache))


def decide(folder, **verdicts):
    """Fill in pages as a reviewer would: `t1="accept"`, or a mapping of fields."""
    for task_id, said in verdicts.items():
        page = folder / "tasks" / f"{task_id}.md"
        text = page.read_text()
        for name, value in (said if isinstance(said, dict) else {"verdict": said}).items():
            text, count = re.subn(
                rf"(?m)^{name} = (?:''''''|\"\")", lambda _, n=name, v=value: f"{n} = {json.dumps(v)}", text, count=1
            )
            assert count == 1
        page.write_text(text)
    return folder


def copied(folder, name):
    return shutil.copytree(folder, folder.with_name(name))


@pytest.fixture
def pages(suite, wish, tmp_path):
    make_review(suite, tmp_path / "review", wish)
    return tmp_path / "review"


def test_a_page_shows_all_that_a_reviewer_needs(pages):
    text = (pages / "tasks" / "t1.md").read_text()
    for part in (
        QUESTIONS["t1"],
        "one whole number",
        "print(41)",
        "print(43)",
        "changed: 43",
        "second_run_agrees",
        "Filter",
        "penguins.csv",
        "the room holds 2 files",
        "3 lines of solution",
    ):
        assert part in text
    assert text.index("## Decision") < text.index(QUESTIONS["t1"])


def rendered(text):
    markdown = pytest.importorskip("markdown_it").MarkdownIt("commonmark", {"html": True, "linkify": False})
    return markdown.parse(text)


def kinds(tokens):
    return {token.type for token in tokens} | {child.type for token in tokens for child in token.children or ()}


def test_hostile_cells_and_texts_become_no_markup_on_a_page(suite, wish, tmp_path, pages):
    tasks = [task.model_copy(update={"question": HOSTILE}) for task in suite.tasks.values()]
    golds = [gold.model_copy(update={"answer": HOSTILE}) for gold in suite.golds.values()]
    hostile = Suite.write(suite.folder, suite.info, tasks, suite.labels.values(), golds)
    make_review(hostile, tmp_path / "hostile", wish)
    for folder in (pages, tmp_path / "hostile"):
        text = (folder / "tasks" / "t1.md").read_text()
        assert not kinds(rendered(text)) & {"html_block", "html_inline", "link_open", "image"}
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert read_decision(text, "t1").verdict == ""
    # and a control: outside a fence the same text would be markup
    assert kinds(rendered(HOSTILE)) & {"html_block", "html_inline", "link_open"}


@given(st.text(alphabet=st.sampled_from("`~\n<>[]() a#\r\u202e"), max_size=60))
def test_no_text_closes_its_fence(text):
    tokens = rendered(fenced(text) + "\nafter\n")
    assert [token.type for token in tokens] == ["fence", "paragraph_open", "inline", "paragraph_close"]


def test_what_two_reviewers_accept_is_kept_and_what_they_reject_is_not(suite, pages, tmp_path):
    first = decide(pages, t1="accept", t2={"verdict": "reject", "reason": "dull"}, t3="accept")
    second = decide(copied(pages, "second"))
    ruling, problems = ruled(suite, [first, second], None)
    assert problems == {}
    applied = apply_review(suite, ruling, problems, tmp_path / "new")
    assert (applied.kept, dict(applied.left_out)) == (("t1", "t3"), {"t2": "rejected: dull"})
    assert ruling.agreement.accuracy == 1.0
    new = Suite.open(tmp_path / "new")
    assert list(new.tasks) == list(new.golds) == list(read_kept(new)) == ["t1", "t3"]
    log = [json.loads(line) for line in (new.folder / LOG).read_text().splitlines()]
    assert log[0]["agreement"]["n"] == 3
    assert {row["task"]: row["left_out"] for row in log[1:]} == {"t1": "", "t2": "rejected: dull", "t3": ""}
    assert (new.room_path("zoo") / "penguins.csv").is_file()


def test_one_folder_is_no_second_reviewer(suite, pages):
    with pytest.raises(InputError, match="two reviewers"):
        ruled(suite, [pages, pages.parent / "." / pages.name], None)


def test_differences_are_settled_by_adjudication_and_by_nothing_else(suite, pages, wish, tmp_path):
    second = copied(pages, "second")
    decide(pages, t1="accept", t2="accept", t3="accept")
    decide(second, t1="accept", t2={"verdict": "reject", "reason": "unclear"}, t3="accept")
    ruling, problems = ruled(suite, [pages, second], None)
    assert ruling.differing == ("t2",)
    assert ruling.agreement.accuracy == pytest.approx(2 / 3)
    applied = apply_review(suite, ruling, problems, tmp_path / "new")
    assert applied.suite is None
    assert not (tmp_path / "new").exists()
    run = CliRunner().invoke
    arguments = [
        "generate",
        "review",
        "apply",
        str(pages),
        str(second),
        "--suite",
        str(suite.folder),
        "--out",
        str(tmp_path / "new"),
    ]
    told = run(app, [*arguments, "--differences", str(tmp_path / "differ")])
    assert told.exit_code == 1
    page = (tmp_path / "differ" / "tasks" / "t2.md").read_text()
    assert "reviewer 2: reject" in page
    assert "unclear" in page
    decide(tmp_path / "differ", t2="accept")
    told = run(app, [*arguments, "--adjudicated", str(tmp_path / "differ"), "--json"])
    assert told.exit_code == 0, told.output
    assert json.loads(told.stdout)["kept"] == ["t1", "t2", "t3"]


def test_edits_are_taken_over_where_they_hold_and_leave_their_task_out_where_not(suite, pages, tmp_path):
    new = "How many of the penguins on Dream weigh more than four kilograms?"
    decide(pages, t1={"verdict": "edit", "question": new}, t3="accept")
    decide(pages, t2={"verdict": "edit", "question": "Is the answer 41? Mail jane.roe@hospital.org"})
    ruling, problems = ruled(suite, [pages], None)
    applied = apply_review(suite, ruling, problems, tmp_path / "new")
    assert applied.kept == ("t1", "t3")
    assert applied.edited == ("t1",)
    assert "privacy-email" in applied.left_out["t2"]
    assert "gold-in-question" in applied.left_out["t2"]
    assert applied.suite.tasks["t1"].question == new
    assert read_kept(applied.suite)["t1"].draft.question == new
    assert suite.tasks["t1"].question == QUESTIONS["t1"]


def test_an_edit_under_which_the_gold_is_wrong_does_not_hold(suite, pages, tmp_path):
    decide(
        pages,
        t1="accept",
        t2="accept",
        t3={"verdict": "edit", "guidelines": "Give a percentage with one decimal and the sign %, e.g. 12.3%."},
    )
    applied = apply_review(suite, *ruled(suite, [pages], None), tmp_path / "new")
    assert applied.kept == ("t1", "t2")
    assert "the edit does not hold" in applied.left_out["t3"]


def test_an_edit_to_a_question_that_is_there_already_does_not_hold(suite, pages, tmp_path):
    decide(
        pages,
        t1="accept",
        t2="accept",
        t3={"verdict": "edit", "question": QUESTIONS["t1"].replace("How many", "How  many")},
    )
    applied = apply_review(suite, *ruled(suite, [pages], None), tmp_path / "new")
    assert "duplicate-question" in applied.left_out["t3"]


BAD = {
    "no toml": ('verdict = ""', "verdict = accept"),
    "unknown verdict": ('verdict = ""', 'verdict = "maybe"'),
    "no reason": ('verdict = ""', 'verdict = "reject"'),
    "no new text": ('verdict = ""', 'verdict = "edit"'),
    "text without edit": ("question = ''''''", "question = 'x'"),
    "unknown field": ('verdict = ""', 'verdict = ""\nscore = 3'),
    "another task": ('task = "t1"', 'task = "t2"'),
    "changed outside": ("# t1", "# t1\n\nI would ask it differently."),
    "no block": ("## Decision", "## My decision"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_page_that_cannot_be_read_stops_everything_and_is_named(suite, pages, tmp_path, name):
    decide(pages, t2="accept", t3="accept")
    page = pages / "tasks" / "t1.md"
    text = page.read_text()
    assert BAD[name][0] in text
    page.write_text(text.replace(*BAD[name], 1))
    ruling, problems = ruled(suite, [pages], None)
    assert list(problems) == ["review/t1"]
    assert apply_review(suite, ruling, problems, tmp_path / "new").suite is None
    assert not (tmp_path / "new").exists()


def test_line_ends_and_spaces_of_another_editor_change_nothing(suite, pages):
    page = pages / "tasks" / "t1.md"
    decide(pages, t1="accept", t2="accept", t3="accept")
    page.write_bytes(page.read_text().replace("\n", "\r\n").encode() + b"\r\n\r\n")
    ruling, problems = ruled(suite, [pages], None)
    assert (problems, len(ruling.settled)) == ({}, 3)


def test_undecided_tasks_are_named_and_nothing_is_written(suite, pages, tmp_path):
    decide(pages, t1="accept")
    ruling, problems = ruled(suite, [pages], None)
    assert ruling.undecided == ("t2", "t3")
    assert apply_review(suite, ruling, problems, tmp_path / "new").suite is None


def test_a_review_of_another_state_of_the_suite_is_refused(suite, pages, tmp_path):
    golds = [gold.model_copy(update={"answer": "42"}) for gold in suite.golds.values()]
    changed = Suite.write(suite.folder, suite.info, suite.tasks.values(), suite.labels.values(), golds)
    with pytest.raises(InputError, match="another state"):
        ruled(changed, [pages], None)
    with pytest.raises(InputError, match="no review"):
        ruled(changed, [tmp_path], None)


def test_nothing_is_overwritten(suite, pages, wish, tmp_path):
    with pytest.raises(InputError, match="not empty"):
        make_review(suite, pages, wish)
    decide(pages, t1="accept", t2="accept", t3="accept")
    with pytest.raises(InputError, match="not empty"):
        apply_review(suite, *ruled(suite, [pages], None), suite.folder)


def test_two_that_edit_a_task_differently_do_not_agree():
    edits = [Decision(task="t", verdict="edit", question=text) for text in ("a", "b")]
    assert rule([{"t": edits[0]}, {"t": edits[1]}], {}).differing == ("t",)
    assert rule([{"t": edits[0]}, {"t": edits[0]}], {}).settled[0].question == "a"


def test_a_decision_is_read_from_its_block_alone():
    with pytest.raises(Unclear, match="no line"):
        read_decision("nothing", "t")


def test_questions_with_the_same_rare_words_are_near_and_others_are_not():
    known = {
        "a": "How many penguins weigh more than 4,000 grams on the island of Dream?",
        "b": "How many penguins weigh more than 4,000 grams on the island of Biscoe?",
        "c": "Which airline has the longest mean delay in winter, in minutes?",
    }
    new = {"x": "On the island of Dream, how many penguins weigh more than 4,000 grams?", "y": known["c"].upper()}
    assert {(near.task, near.other) for near in near_duplicates(new, known, 0.95)} == {("x", "a"), ("y", "c")}
    assert near_duplicates({"z": "What is the median income of nurses?"}, known) == ()
    assert near_duplicates({}, known) == near_duplicates({"z": "??"}, {"q": "!!"}) == ()


def test_novelty_tells_each_pair_of_a_suite_once_and_names_the_other_suite(suite, tmp_path):
    tasks = [*suite.tasks.values(), suite.tasks["t1"].model_copy(update={"id": "t4"})]
    golds = [*suite.golds.values(), suite.golds["t1"].model_copy(update={"task_id": "t4"})]
    doubled = Suite.write(
        tmp_path / "doubled",
        suite.info.model_copy(update={"rooms": {"zoo": RoomInfo(path=str(suite.room_path("zoo")))}}),
        tasks,
        (),
        golds,
    )
    assert [(near.task, near.other) for near in novelty(doubled, [])] == [("t1", "t4")]
    assert {(near.task, near.suite, near.other) for near in novelty(suite, [doubled])} >= {
        ("t1", "zoo", "t4"),
        ("t2", "zoo", "t2"),
    }
    told = CliRunner().invoke(app, ["generate", "review", "novelty", str(doubled.folder), "--json"])
    assert told.exit_code == 1
    assert json.loads(told.stdout)["share"] == 0.25


def case(question, answer="41"):
    return Case(Task(id="t", question=question), Gold(task_id="t", answer=answer), Labels(task_id="t"))


SECRETS = {
    "email": "write to jane.roe@hospital.org",
    "iban": "DE89370400440532013000",
    "payment-card": "4111 1111 1111 1111",
    "us-ssn": "SSN 536-90-4399",
    "phone": "call (212) 736-5000",
    "key": "AKIA" + "Q3ZR7JD2WLM5XK9T",
    "private-key": "-----BEGIN RSA " + "PRIVATE KEY-----",
    "password": "postgres://admin:" + "hunter2wq@db.intern.net/x",
    "token": "eyJhbGciOiJIUzI1" + ".eyJzdWIiOiIxMjM0NTY3" + ".SflKxwRJSMeKKF2QT4",
}
HARMLESS = (
    "room 4111 1111 1111 1112",
    "DE89370400440532013001",
    "risk-adjusted rate of the whole population",
    "https://example.org/a:b",
    "sk-" + "x" * 30,
    "area 212-736",
)


@pytest.mark.parametrize("kind", SECRETS)
def test_personal_data_and_secrets_are_found_and_never_shown_whole(kind):
    found = private(case(f"Look: {SECRETS[kind]} please"))
    assert [(each.place, each.kind) for each in found] == [("question", kind)]
    assert SECRETS[kind] not in found[0].first
    assert private(case("Fine", SECRETS[kind]))[0].place == "gold"


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_it_is_no_alarm(text):
    assert private(case(text)) == ()


def named(column, values):
    made = Column(name=column, kind="text", nulls=0, distinct=len(values), first=tuple(values))
    return FileProfile(path="p.csv", bytes=1, format="csv", tables=(Table(rows=Count(value=9), columns=(made,)),))


PEOPLE = ("Ada Lovelace", "Emmy Noether", "Sofja Kowalewskaja", "Alan Turing", "Kurt Gödel", "John von Neumann")


def test_columns_of_names_of_persons_are_found_by_name_and_values():
    for name in ("patient_name", "Full Name", "surname", "customer name"):
        assert [each.kind for each in private(case("q"), files=[named(name, PEOPLE)])] == ["person-names"]
    assert private(case("q"), files=[named("country_name", PEOPLE)]) == ()
    assert private(case("q"), files=[named("patient_name", [f"id-{number}" for number in range(9)])]) == ()
