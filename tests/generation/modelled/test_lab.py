"""The writer with real sandboxes and the machine's own proofs."""

from dataclasses import replace
from typing import get_args

import pytest
from tests.generation.modelled.conversation import (
    AFTER_FILL,
    FILL,
    FILLED,
    FINAL,
    QUESTION,
    READ,
    SUM,
    TOTAL,
    Author,
    in_process,
    one,
    reason,
)
from tests.generation.modelled.test_writer import REJECTED

from benchwright.generation.modelled import Rules
from benchwright.generation.modelled.answers import fault_of
from benchwright.generation.workflow import Draft, Reason


@pytest.fixture(scope="module")
def lab(sandboxed):
    return sandboxed()


def asked(question, guidelines=QUESTION["guidelines"]):
    return {"question": lambda _: {"question": question, "guidelines": guidelines}}


def last(code, answer="number", other=None, description="Add up the amounts.", **more):
    """Another last step of the two."""
    step = {**AFTER_FILL, "code": code, "description": description, **more}
    return {
        "initial": lambda _: {"skill": 1, "answer": answer, "step": {**FINAL, "code": READ + code, **more}},
        "insert": lambda _: {"step": FILLED, "before": 1, "changed": [{"number": 1, **step}]},
        "ablation": lambda user: {
            "code": READ if "place of step 1 " in user else other or code.replace("sum(", "max(")
        },
    }


CHANCE = 'import random\nrandom.seed(SEED)\ntotal = random.random() + sum(float(row["amount"] or 0) for row in rows)\n'
PROVED = {
    "runs_differ": last("import time\n" + TOTAL.replace("total, 2", "total + time.time(), 2")),
    "seeds_differ": last(CHANCE + "print(round(total, 2))\n", random=True),
    "depends_on_ties": {
        **last(
            'total = max(rows, key=lambda row: len(row["region"]))["day"]\nprint(total)\n',
            answer="text",
            other="total = rows[3]['day']\nprint(total)\n",
        ),
        **asked("On which day was the sale with the longest name of a region?", "Answer with one date as YYYY-MM-DD."),
    },
    "gold_does_not_score_1": {
        **last(
            'total = sum(float(row["amount"] or 0) for row in rows)\n'
            'open("result.csv", "w").write(f"rows;total\\n{len(rows)};{total:.2f}\\n")\n',
            answer="table",
        ),
        **asked(
            "Write to result.csv how many sales there are, and what they add up to.",
            "Write result.csv with the columns rows and total, rounded to 2 decimals.",
        ),
    },
    "know_nothing_scores": {
        **last(
            'total = min("2024-01-01" if row["amount"] else row["day"] for row in rows)\nprint(total)\n',
            answer="text",
            other="total = rows[3]['day']\nprint(total)\n",
        ),
        **asked("On which day of 2024 was the first sale of any region?", "Answer with one date as YYYY-MM-DD."),
    },
    "constant_scores": last(
        'total = 100 if sum(1 for row in rows if row["amount"]) else 7\nprint(total)\n',
        other="total = 12.5\nprint(total)\n",
    ),
    "lint_fault": asked("What do the amounts in sales.csv add up to, if 10 is taken where one is missing?"),
    "join_hint_leaks": asked(QUESTION["question"] + " Hint: look twice."),
    "files_not_as_declared": last(
        'other = len(open("/data/" + "shops.csv").read())\n' + TOTAL.replace("total, 2", "total + other, 2")
    ),
}
"""By reason of the machine's proofs, how the models reply."""
BY_ROOM = {"no_distractor", "files_not_measured"}
"""The reasons that lie in the room or the machine; tested below."""
BY_CODE = {"no_material", "budget_spent"}
"""The reasons for which a model need not say anything; tested with the writer."""
NEVER = {
    "unknown_skill": "skills are chosen by their numbers",
    "cycle": "steps are put in order by what they take and make",
    "not_one_output": "a step that is loose is discarded as `output_not_consumed`",
    "empty_scores": "the checks are chosen by our code, and none of them credits nothing",
    "duplicate_question": "only the pipeline sees other drafts",
    "near_duplicate": "only the pipeline sees the suite's other tasks",
}
"""The reasons that the writer's own code rules out."""


@pytest.mark.parametrize("why", PROVED)
def test_each_reason_of_the_proofs_is_reached_by_a_conversation(tmp_path, material, lab, why):
    changes = PROVED[why]
    skills = (SUM, FILL) if "initial" in changes else (SUM, FILL, "Joining Tables by Key")
    rules = Rules(regenerations=0, repairs=0, ablations=0, rewrites=0, least_steps=2)
    author = Author(**changes)
    made = one(tmp_path, material, author, lab=lab, skills=skills, rules=rules)
    assert (reason(made), author.asked["criterion"]) == (why, 0), made


def test_every_reason_there_is_has_its_conversation():
    assert set(REJECTED) | set(PROVED) | BY_ROOM | BY_CODE | set(NEVER) == set(get_args(Reason))
    assert not set(NEVER) & (set(REJECTED) | set(PROVED) | BY_ROOM | BY_CODE)


def test_a_draft_is_proved_before_it_is_judged_and_a_better_question_is_asked_for(tmp_path, material, lab):
    author = Author(question=[PROVED["lint_fault"]["question"], lambda _: QUESTION])
    draft = one(tmp_path, material, author, lab=lab)
    assert isinstance(draft, Draft), draft
    assert author.asked["criterion"] == 6
    told = [messages[1].text for kind, messages in author.prompts if kind == "question"]
    assert "was refused: lint_fault: " in told[1]
    assert lab.proving(material, {step.skill for step in draft.workflow.steps})(draft) is None


def test_a_room_without_distractors_and_a_machine_without_a_tracer_end_a_draft(tmp_path, material, sandboxed, lab):
    room = tmp_path / "room"
    room.mkdir(mode=0o755)
    tmp_path.chmod(0o755)
    for name in ("sales.csv", "regions.csv"):
        (room / name).write_bytes((material.folder / name).read_bytes())
    small = replace(material, folder=room, profiles=tuple(p for p in material.profiles if p.path != "shops.csv"))
    assert reason(one(tmp_path / "a", small, Author(), lab=lab)) == "no_distractor"
    assert reason(one(tmp_path / "b", material, Author(), lab=sandboxed("off"))) == "files_not_measured"


ATTACKS = {
    "reads the host's passwords": ('open("/etc/shadow").read()\nprint(1.5)\n', "FileNotFoundError"),
    "reads the runner's folder": ("import os\nprint(os.listdir('{folder}'))\n", "FileNotFoundError"),
    "never ends": ("while True:\n    pass\n", "limit step"),
    "writes into the room": ('open("/data/sales.csv", "w").write("gone")\nprint(1.5)\n', "Read-only file system"),
    "calls out": ('import socket\nsocket.create_connection(("1.1.1.1", 53), 3)\nprint(1.5)\n', "unreachable"),
    "prints without end": ("while True:\n    print('x' * 10_000)\n", "limit"),
    "kills what it can": ("import os\nos.kill(-1, 9)\nprint(1.5)\n", "Python process ended"),
    "raises and kills on its way": (
        "import os, atexit\nos.kill(os.getppid(), 9)\nprint(1.5)\n",
        "Python process ended",
    ),
}
"""By name, a program, and what its run must end with."""


@pytest.fixture(scope="module")
def hasty(sandboxed):
    """A lab whose programs have ten seconds."""
    return sandboxed(seconds=10.0)


@pytest.mark.parametrize("name", ATTACKS)
def test_hostile_code_comes_to_nothing_and_the_next_program_runs(tmp_path, material, hasty, name):
    code, why = ATTACKS[name]
    before = {path.name: path.read_bytes() for path in material.folder.iterdir()}
    execute = hasty.executing(material)
    ran = execute(code.replace("{folder}", str(tmp_path)))
    assert why in ran.error
    assert {path.name: path.read_bytes() for path in material.folder.iterdir()} == before
    assert execute(READ + TOTAL).printed == in_process(material)(READ + TOTAL).printed


def test_a_link_to_a_file_of_the_host_is_no_table(material, lab):
    ran = lab.executing(material)('import os\nos.symlink("/etc/passwd", "result.csv")\n')
    assert not ran.table
    assert fault_of("table", ran)[0] == "empty_answer"


def test_only_a_fresh_run_measures_the_files_that_are_opened(material, lab):
    execute = lab.executing(material)
    assert execute(READ + TOTAL, fresh=True).opened == ("sales.csv",)
    assert execute(READ + TOTAL).opened is None
    assert execute('open("result.csv", "w").write("a,b\\n1,2\\n")').table == "a,b\n1,2\n"
    assert all(execute("import sys\nsys.exit('gave up')", fresh=fresh).error for fresh in (False, True))
    told = "line 2: x[0] / 0\nZeroDivisionError: division by zero"
    assert [execute("x = [1]\nx[0] / 0\n", fresh=fresh).error.split("\nTrace")[0] for fresh in (False, True)] == [
        told
    ] * 2
