import time
from dataclasses import replace
from typing import get_args

import pytest
from tests.generation.modelled.conversation import (
    AFTER_JOIN,
    FILL,
    FILLED,
    FINAL,
    JOIN,
    JOINED,
    QUESTION,
    READ,
    SKILLS,
    SUM,
    TOTAL,
    WITHOUT,
    Author,
    in_process,
    insert,
    one,
    reason,
    step,
    write,
    writer,
)

from benchwright.chat.asking import Limits
from benchwright.chat.scripted import ScriptedReply
from benchwright.errors import Broken, InputError
from benchwright.generation.modelled import Rules
from benchwright.generation.modelled.briefing import criteria, prompts_digest
from benchwright.generation.modelled.forms import Cause, Criterion
from benchwright.generation.workflow import Draft, Wanted
from benchwright.trajectory import Usage


def bad(cause, actionable=False, coherent=True):
    return lambda _: {"actionable": actionable, "coherent": coherent, "cause": cause, "reason": "so it is"}


GOOD = {"actionable": True, "coherent": True}


def first(**changed):
    """A first step that is wrong in one way, whenever it is asked for."""
    return lambda _: {"skill": 1, "answer": "number", "step": {**FINAL, **changed}}


def test_a_draft_is_written_skill_by_skill_run_and_judged(tmp_path, material):
    author, decisions = Author(), []
    draft = one(tmp_path, material, author, telling=decisions.append)
    assert isinstance(draft, Draft)
    assert draft.workflow.skills == (FILL, JOIN, SUM)
    assert [each.depends_on for each in draft.workflow.steps] == [(), ("s1",), ("s2",)]
    assert [each.without for each in draft.workflow.steps] == [WITHOUT[name] for name in draft.workflow.skills]
    assert (draft.writer, draft.name) == ("model:scripted/author", "model-sales-0-0")
    assert (draft.question, draft.guidelines) == (QUESTION["question"], QUESTION["guidelines"])
    assert draft.checks[0].scorer == "answer"
    assert draft.checks[0].options == {"decimals": 2}
    answer = in_process(material)(draft.workflow.code).printed.strip()
    assert answer not in "".join(message.text for _, messages in author.prompts for message in messages)
    assert author.asked == {
        "initial": 1, "insert": 2, "verify": 4, "ablation": 3, "question": 1, "criterion": 6,
    }  # fmt: skip
    assert {each.prompts for each in decisions} == {prompts_digest()}
    assert [each.stage for each in decisions if each.outcome == "kept"] == [
        "initial", "insert", "insert", "whole", *["ablation"] * 3, *["criteria"] * 6, "question",
    ]  # fmt: skip


def test_a_table_is_handed_in_as_a_file_and_checked_as_one(tmp_path, material):
    code = READ + (
        'total = {}\nfor row in rows:\n    total[row["region"]] = total.get(row["region"], 0) + float(row["amount"] or 0)\n'
        'with open("result.csv", "w") as out:\n    out.write("region,total\\n")\n'
        '    for name in sorted(total):\n        out.write(f"{name},{total[name]:.1f}\\n")\n'
    )
    columns = {"sales.csv": ["region", "amount"]}
    author = Author(
        initial=lambda _: {
            "skill": 1,
            "answer": "table",
            "step": step(code, reads=["sales.csv"], columns=columns, outputs=["total"]),
        },
        ablation=lambda _: {"code": code.replace("float(", "0 * float(")},
        question=lambda _: {**QUESTION, "ordered": True},
    )
    draft = one(tmp_path, material, author, skills=(SUM,), rules=Rules(least_steps=1))
    assert [(output.kind, output.name) for output in draft.outputs] == [("table", "result.csv")]
    assert draft.checks[0].options == {"columns": ["region", "total"], "order": "given"}
    told = next(messages[1].text for kind, messages in author.prompts if kind == "question")
    assert "the file result.csv with the columns region, total, 3 rows" in told


SAME = {FILL: FILLED["code"], JOIN: JOINED["code"], SUM: AFTER_JOIN["code"]}
REJECTED = {
    "unreadable_reply": {"initial": lambda _: "Let me think about that."},
    "does_not_parse": {"initial": first(code="print(")},
    "module_not_in_toolbox": {"initial": first(code="import requests\n" + READ + TOTAL)},
    "unknown_file": {"initial": first(reads=["sales.csv", "other.csv"])},
    "unknown_column": {"initial": first(columns={"sales.csv": ["profit"]})},
    "undefined_input": {"initial": first(inputs=["frame"])},
    "failed_to_run": {"initial": first(code=READ + TOTAL.replace("amount", "profit"))},
    "empty_answer": {"initial": first(code=READ + TOTAL.replace("print", "str"))},
    "trivial_answer": {"initial": first(code=READ + TOTAL.replace("total, 2", "0 * total"))},
    "unfit_answer": {"initial": first(code=READ + TOTAL + TOTAL)},
    "skill_not_applicable": {"verify": bad("skill_not_applicable")},
    "step_not_actionable": {"verify": bad("step_generation_error")},
    "step_not_coherent": {"verify": bad("output_not_consumed", actionable=True, coherent=False)},
    "too_few_steps": {"insert": lambda _: {"applicable": False, "reason": "nothing is missing"}},
    "no_skill_necessary": {
        "ablation": lambda user: {"code": SAME[next(name for name in SAME if f'skill "{name}"' in _asked_about(user))]}
    },
    "answer_leaks": {"question": lambda _: {**QUESTION, "guidelines": "Answer with one number such as 618.75."}},
    "criterion_not_met": {"criterion": lambda _: {"passed": False, "reason": "I cannot tell what is meant"}},
}
"""By reason, how one of the models replies whenever it is asked."""


def _asked_about(user):
    number = user.split("place of step ")[1][0]
    return next(line for line in user.splitlines() if line.startswith(f"step {number}, skill"))


@pytest.mark.parametrize("why", REJECTED)
def test_each_reason_of_the_writer_is_reached_by_a_conversation(tmp_path, material, why):
    made = one(tmp_path, material, Author(**REJECTED[why]))
    assert (reason(made), bool(made.detail)) == (why, True)


def test_a_room_without_files_is_no_material(tmp_path, material):
    author = Author()
    assert reason(one(tmp_path, replace(material, profiles=()), author)) == "no_material"
    assert author.calls == 0


def test_a_budget_ends_the_writing_and_a_larger_one_goes_on_without_asking_again(tmp_path, material):
    author = Author()
    made = write(tmp_path, material, author, number=3, limits=Limits(at_once=1, tokens=120 * 12))
    assert [reason(each) for each in made] == ["budget_spent"]
    assert author.calls == 12
    (again,) = write(tmp_path, material, author, limits=Limits(at_once=1))
    assert reason(again) is None
    assert author.calls == 17


DISCARDED = {
    "skill_not_applicable": lambda user: {"applicable": False, "reason": "it cannot be shown"},
    "dependency_failed": bad("dependency_failed"),
    "output_not_consumed": lambda user: {"step": JOINED, "before": 2, "depends_on": [1]},
    "step_generation_error": lambda user: {"step": {**JOINED, "inputs": ["frame"]}, "before": 2},
}


@pytest.mark.parametrize("cause", get_args(Cause))
def test_each_cause_leaves_a_skill_out_and_the_draft_says_why(tmp_path, material, cause):
    decisions = []
    about = "verify" if cause == "dependency_failed" else "insert"

    def reply(user):
        mine = f'SKILL\n"{JOIN}"' in user if about == "insert" else f'skill "{JOIN}"' in user
        return DISCARDED[cause](user) if mine else {"insert": insert, "verify": lambda _: GOOD}[about](user)

    rules = Rules(regenerations=2, least_steps=2)
    author = Author(
        **{
            about: reply,
            "ablation": lambda user: {"code": READ if FILL in _asked_about(user) else "total = 5\nprint(total)"},
        }
    )
    draft = one(tmp_path, material, author, rules=rules, telling=decisions.append)
    assert draft.workflow.skills == (FILL, SUM)
    assert [note.split(":")[1:3] for note in draft.notes if note.startswith("skill left out")] == [
        [f" {JOIN}", f" {cause}"]
    ]
    about_it = [each.outcome for each in decisions if each.skill == JOIN]
    expected = {
        "skill_not_applicable": ["discarded"],
        "dependency_failed": ["later", "discarded"],
        "output_not_consumed": ["again", "again", "again", "discarded"],
        "step_generation_error": ["again", "again", "again", "discarded"],
    }
    assert about_it == expected[cause]


def test_a_skill_that_misses_another_is_tried_again_after_the_others(tmp_path, material):
    def reply(user):
        if f'SKILL\n"{JOIN}"' in user and f'skill "{FILL}"' not in user:
            joined = {**JOINED, "inputs": [], "reads": ["sales.csv", "regions.csv"], "code": READ + JOINED["code"]}
            return {"step": joined, "before": 1, "changed": [{"number": 1, **AFTER_JOIN}]}
        return insert(user)

    def verdict(user):
        lacks = f'skill "{JOIN}"' in user and f'skill "{FILL}"' not in user
        return bad("dependency_failed")(user) if lacks else GOOD

    draft = one(tmp_path, material, Author(insert=reply, verify=verdict), skills=(JOIN, FILL, SUM))
    assert draft.workflow.skills == (FILL, JOIN, SUM)


def test_the_reason_is_fed_back_and_a_better_reply_is_taken(tmp_path, material):
    wrong = {"step": FILLED, "before": 1}
    author = Author(insert=[lambda _: wrong, insert, insert])
    assert reason(one(tmp_path, material, author)) is None
    told = [messages[1].text for kind, messages in author.prompts if kind == "insert"]
    assert "(nothing yet)" in told[0]
    assert "- output_not_consumed: not_one_output: no step depends on s1" in told[1]


@pytest.mark.parametrize("criterion", get_args(Criterion))
def test_each_criterion_alone_refuses_a_question_and_its_reason_is_fed_back(tmp_path, material, criterion):
    judge = Author(
        criterion=lambda user: {"passed": "Now" in user or judge.now != criterion, "reason": f"not {judge.now}"}
    )

    def script(messages):
        judge.now = next(name for name, text in criteria().items() if text in messages[0].text)
        return judge(messages)

    better = {**QUESTION, "question": f"Now: {QUESTION['question']}"}
    author = Author(question=[lambda _: QUESTION, lambda _: better])
    draft = one(tmp_path, material, author, script)
    assert draft.question == better["question"]
    told = [messages[1].text for kind, messages in author.prompts if kind == "question"]
    assert f"criterion_not_met: {criterion}: not {criterion}" in told[1]
    refused = one(tmp_path / "other", material, Author(question=lambda _: QUESTION), script)
    assert (reason(refused), refused.detail) == ("criterion_not_met", f"{criterion}: not {criterion}")


def test_a_verdict_that_cannot_be_read_is_no_pass(tmp_path, material):
    refused = one(tmp_path, material, Author(), Author(criterion=lambda _: "Looks fine to me!"))
    assert refused.reason == "criterion_not_met"
    assert refused.detail.count("the reply holds no JSON object") == 6


def test_a_repair_sees_the_error_and_a_run_of_another_kind_is_an_error(tmp_path, material):
    two_lines = {**FINAL, "code": READ + TOTAL + "print(total)\n"}
    author = Author(
        initial=lambda _: {"skill": 1, "answer": "number", "step": two_lines},
        repair=lambda _: {"steps": [{"number": 1, **FINAL}]},
    )
    assert reason(one(tmp_path, material, author)) is None
    told = next(messages[1].text for kind, messages in author.prompts if kind == "repair")
    assert "it prints 2 lines; expected the answer on one line and no more" in told


def test_an_ablation_that_crashes_is_told_and_given_again_and_one_that_still_does_counts_for_nothing(
    tmp_path, material
):
    def reply(user):
        name = next(name for name in (FILL, JOIN, SUM) if f'skill "{name}"' in _asked_about(user))
        if name == FILL or (name == JOIN and "ZeroDivisionError" not in user):
            return {"code": {FILL: "rows = [1]\n", JOIN: "kept = 1 / 0\n"}[name]}
        return {"code": WITHOUT[name]}

    draft = one(tmp_path, material, Author(ablation=reply))
    assert [each.without for each in draft.workflow.steps] == [None, WITHOUT[JOIN], WITHOUT[SUM]]


def test_a_last_step_that_no_longer_fits_is_repaired_once_all_skills_are_in(tmp_path, material):
    whole = [lambda _: GOOD] * 3 + [bad("step_generation_error", coherent=False), lambda _: GOOD]
    rounded = {**AFTER_JOIN, "code": AFTER_JOIN["code"].replace("total, 2", "total, 1")}
    author = Author(verify=whole, repair=lambda _: {"steps": [{"number": 3, **rounded}]})
    draft = one(tmp_path, material, author)
    assert draft.workflow.steps[2].code == rounded["code"]
    assert draft.checks[0].options == {"decimals": 1}


def test_too_few_files_are_a_fault_of_the_whole(tmp_path, material):
    found = one(tmp_path, material, Author(), rules=Rules(repairs=1, least_files=3))
    assert (found.reason, found.detail) == ("step_not_coherent", "it reads 2 files; expected at least 3")


def test_the_writer_does_not_judge_itself_unless_it_is_allowed_to(tmp_path, material):
    with writer(tmp_path, Author()) as made:
        means = made._means
    from benchwright.generation.modelled import ModelWriter

    with pytest.raises(InputError, match="the judge is the writer"):
        ModelWriter(replace(means, judge=means.model))
    with ModelWriter(replace(means, judge=means.model, rules=Rules(same_judge=True))) as allowed:
        assert [reason(each) for each in allowed.drafts(material, Wanted(SKILLS, 1))] == [None]


def test_a_model_that_is_down_stops_the_work_and_the_next_one_goes_on(tmp_path, material):
    author = Author()

    def down(messages):
        return ScriptedReply(error="overloaded") if author.calls >= 5 else author(messages)

    with pytest.raises(Broken, match="did not reply 20 times in a row"):
        write(tmp_path, material, down, limits=Limits(at_once=1, tries=30))
    assert reason(one(tmp_path, material, author)) is None
    assert author.calls == 17


def test_a_budget_in_dollars_is_of_both_models(tmp_path, material):
    def paid(messages):
        return author(messages).model_copy(update={"usage": Usage(input_tokens=1, output_tokens=1, cost_usd=0.5)})

    author = Author()
    (made,) = write(tmp_path, material, paid, limits=Limits(at_once=1, usd=7.5))
    assert (made.reason, author.calls) == ("budget_spent", 15)
    assert author.asked["criterion"] == 4


def test_drafts_that_are_written_at_once_are_those_that_are_written_one_after_the_other(tmp_path, material):
    made = [
        [item.model_dump() for item in write(tmp_path / str(at_once), material, Author(), number=6, at_once=at_once)]
        for at_once in (1, 4)
    ]
    assert made[0] == made[1]
    assert [item["name"].rpartition("-")[2] for item in made[0]] == list("012345")


def test_where_a_model_is_down_the_drafts_in_flight_end_at_once(tmp_path, material):
    author, begun = Author(), time.monotonic()

    def script(messages):
        if author.asked["initial"] and messages[0].text.startswith("You write the solution"):
            return author(messages).model_copy(update={"seconds": 600.0})
        return ScriptedReply(error="overloaded") if author.calls >= 3 else author(messages)

    limits = Limits(at_once=1, tries=3, broken_in_a_row=3)
    with pytest.raises(Broken, match="did not reply 3 times in a row"):
        write(tmp_path, material, script, number=4, at_once=2, limits=limits)
    assert time.monotonic() - begun < 250


def test_every_way_to_leave_a_skill_out_and_every_reason_of_a_writer_has_its_conversation():
    assert set(DISCARDED) == set(get_args(Cause))
    assert set(criteria()) == set(get_args(Criterion))
