import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from benchwright.errors import EnvironmentFault
from benchwright.files import index_folder
from benchwright.generation import proofs
from benchwright.generation.ablations import ablate
from benchwright.generation.executing import Bench, Machine
from benchwright.generation.prover import prove_draft
from benchwright.generation.trial import Room, Tools, Trial, begun
from benchwright.gold import Check
from benchwright.sandbox.choice import Providers
from benchwright.score import Scored
from benchwright.scoring.workers import Worker
from benchwright.task import Limits, OutputSpec
from benchwright.trajectory import NotMeasured

SKILLS = ("Data Loading with Pandas", "Filtering Rows", "Group Aggregation")
TABLE = {"outputs": (OutputSpec(kind="table", name="sent.csv"),), "checks": (Check(scorer="table", output="sent.csv"),)}
WRITES = 'with open("sent.csv", "w") as out:\n    out.write("order,price\\n")\n    for order in sent:\n        out.write(order["order"] + "," + order["price"] + "\\n")'


@pytest.fixture(scope="module")
def tools(small_toolbox):
    providers = Providers()
    machine = Machine(lambda spec: providers.open(spec, "auto"), small_toolbox)
    try:
        machine.open(machine.spec((), Limits())).close()
    except EnvironmentFault as error:
        pytest.skip(str(error))
    with Bench(machine) as bench, Worker(None) as worker:
        yield Tools(bench, worker)
    providers.close()


@pytest.fixture(scope="module")
def room(material):
    return Room(material, index_folder(material.folder))


@pytest.fixture
def tried(room, tools, tmp_path):
    """A draft after its first run."""

    def start(draft):
        trial = begun(draft, room, tools, Path(tempfile.mkdtemp(dir=tmp_path)))
        assert isinstance(trial, Trial), trial
        return trial

    return start


@pytest.fixture
def prints(draft, changed):
    """The draft, whose last step runs other code, with other values of its own."""

    def change(code, **values):
        return changed(draft, 2, code=code).model_copy(update=values)

    return change


def found(proof, trial):
    return [reason for reason, _ in proof(trial)]


def prove(draft, room, tools, tmp_path):
    return prove_draft(draft, room, tools, SKILLS, tmp_path / "outputs")


def test_a_good_draft_is_proved_with_its_answer_files_and_the_skill_that_it_needs(draft, room, tools, tmp_path):
    proved = prove(draft, room, tools, tmp_path).proved
    assert proved is not None
    prices = [line.split(",") for line in (room.folder / "orders.csv").read_text().splitlines()[1:]]
    sent = [int(price) for _, _, state, price in prices if state == "sent"]
    assert float(proved.answer) == round(sum(sent) / len(sent), 2)
    assert proved.opened == ("orders.csv",)
    assert proved.skills == ("Filtering Rows",)
    assert proved.proofs == tuple(proof.__name__ for proof in proofs.PROOFS)


def test_a_table_that_is_written_is_proved_and_kept(prints, room, tools, tmp_path):
    question = "Write order and price of each order that is sent to sent.csv, in the order in which they are listed."
    verdict = prove(prints(WRITES, question=question, **TABLE), room, tools, tmp_path)
    proved = verdict.proved
    assert proved is not None, verdict.rejection
    assert (proved.answer, proved.files, proved.skills) == (None, ("sent.csv",), ("Filtering Rows",))
    assert (tmp_path / "outputs" / "sent.csv").read_text().startswith("order,price\n")


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("print(sent[0]['cost'])", "failed_to_run"),
        ("import os\nos.kill(os.getpid(), 9)\nprint(sent)", "failed_to_run"),
        ("print('x' * 1_000_000, len(sent))", "failed_to_run"),
        ("import torch\nprint(sent)", "module_not_in_toolbox"),
        ("str(sent)", "empty_answer"),
        ("print(sent and float('nan'))", "trivial_answer"),
        ("print(0 * len(sent))", "trivial_answer"),
        ("print(len(sent) % 2 + 2)", "trivial_answer"),
        ("print(len(sent), 1 / len(sent), sep='\\n')", "unfit_answer"),
        ("open('/data/customers.csv').read()\nprint(len(sent) * 1.37)", "unknown_file"),
        ("open('/data/' + 'customers.csv').read()\nprint(len(sent) * 1.37)", "files_not_as_declared"),
        ("import time\nprint(len(sent) + time.time())", "runs_differ"),
        ("print(len(sent) + hash('sent'))", "runs_differ"),
        ("print(281.47 + 0 * len('sent'))", "undefined_input"),
    ],
)
def test_what_cannot_be_a_task_is_rejected_with_its_reason(prints, room, tools, tmp_path, code, reason):
    given = prints(code) if reason != "undefined_input" else prints(code.replace("281.47", "total"))
    verdict = prove(given, room, tools, tmp_path)
    assert verdict.proved is None
    assert verdict.rejection.reason == reason, verdict.rejection
    assert verdict.rejection.detail


def test_a_task_that_needs_none_of_its_skills_is_rejected(draft, changed, room, tools, tmp_path):
    useless = changed(draft, 1, without='sent = [order for order in orders if "sent" in order.values()]')
    crashes = changed(draft, 1, without="sent = [order['none'] for order in orders]")
    for given, outcome in ((useless, "same"), (crashes, "failed")):
        verdict = prove(given, room, tools, tmp_path)
        assert verdict.rejection.reason == "no_skill_necessary"
        assert verdict.rejection.detail == f"s2 {outcome}"


@pytest.mark.parametrize(
    "printed", ["", "print(float('nan'))", "print('the orders')", "print('281.5; 12')", "print('None')"]
)
def test_an_ablation_that_answers_in_another_form_shows_nothing(draft, changed, tried, printed):
    given = changed(draft, 1, without=f"sent = orders\n{printed}\nraise SystemExit")
    assert [each.outcome for each in ablate(tried(given))] == ["silent"]
    given = changed(draft, 1, without="sent = orders\nprint('281.5')\nraise SystemExit")
    assert [each.outcome for each in ablate(tried(given))] == ["changed"]


def test_an_ablation_that_is_right_within_the_checks_tolerance_does_not_count(draft, changed, tried):
    near = changed(draft, 2, without=draft.workflow.steps[2].code.replace("/ len(sent)", "/ len(sent) + 1e-9"))
    assert [each.outcome for each in ablate(tried(near))] == ["changed", "same"]


def test_chance_is_allowed_where_another_seed_gives_a_right_answer(draft, changed, tried):
    drawn = "import random\nrandom.seed(SEED)\n"
    same = changed(draft, 2, random=True, code=drawn + draft.workflow.steps[2].code)
    other = changed(draft, 2, random=True, code=drawn + "print(random.random() + 0 * len(sent))")
    assert found(proofs.seed_does_not_matter, tried(same)) == []
    assert found(proofs.seed_does_not_matter, tried(other)) == ["seeds_differ"]
    assert found(proofs.second_run_agrees, tried(other)) == []


def test_an_answer_that_hangs_on_which_of_several_equal_ones_comes_first_is_found(draft, prints, tried):
    assert found(proofs.ties_do_not_matter, tried(draft)) == []
    largest = prints("print(max(['Kiel', 'Bonn'], key=len) * (len(sent) > 1))")
    assert found(proofs.ties_do_not_matter, tried(largest)) == ["depends_on_ties"]
    counted = "from collections import Counter\nprint(Counter(['Kiel', 'Bonn'] * len(sent)).most_common(1))"
    assert found(proofs.ties_do_not_matter, tried(prints(counted))) == ["depends_on_ties"]
    settled = "print(min(['Kiel', 'Bonn'], key=lambda name: (len(name), name)) * (len(sent) > 1))"
    assert found(proofs.ties_do_not_matter, tried(prints(settled))) == []


PANDAS = """
import pandas as pd
from benchwright.generation.inside import ties_last
ties_last()
towns = pd.Series([2, 3, 3, 1, 1], index=list("abcde"))
frame = pd.DataFrame({"x": [1, 2, 2], "y": [2, 2, 0], "z": [9, 8, 7]})
assert (towns.idxmax(), towns.idxmin()) == ("c", "e")
assert list(towns.nlargest(1).index) == ["c"] and list(towns.nsmallest(1).index) == ["e"]
assert list(towns.sort_values().index) == list("edacb")
assert list(towns.sort_values(kind="stable").index) == list("deabc")
assert list(frame.sort_values("x", ascending=False)["z"]) == [7, 8, 9]
assert list(frame.nlargest(1, "x")["z"]) == [7]
assert list(frame[["x", "y"]].idxmax()) == [2, 1] and list(frame[["x", "y"]].idxmax(axis=1)) == ["y", "y", "x"]
assert list(towns.mode()) == [3, 1] and towns.value_counts().index[0] == 1
assert pd.Series([1, 2, 2]).value_counts().index[0] == 2
print("done")
"""


def test_pandas_takes_the_last_of_equal_ones_where_it_is_told_to():
    done = subprocess.run([sys.executable, "-c", PANDAS], capture_output=True, text=True, check=False)
    assert done.stdout == "done\n", done.stderr


def test_a_gold_that_its_own_checks_refuse_is_found(draft, tried):
    trial = tried(draft.model_copy(update={"checks": (Check(scorer="answer", options={"unheard": 1}),)}))
    assert "gold_does_not_score_1" in found(proofs.gold_scores_one, trial)


class Generous:
    """Judges everything to be right."""

    def score(self, job):
        with Worker(None) as worker:
            return worker.score(job).model_copy(update={"sound": Scored(value=1.0)})


def test_checks_that_credit_an_empty_answer_are_found(draft, tried):
    trial = tried(draft)
    assert found(proofs.gold_scores_one, trial) == []
    generous = replace(trial, tools=replace(trial.tools, worker=Generous()))
    assert found(proofs.gold_scores_one, generous) == ["empty_scores"]


def test_what_the_question_suggests_and_usual_constants_score_nothing(draft, prints, tried):
    chosen = prints("print(max('Sent', 'Open', key=len))", question="Which state is seen more, Sent or Open?")
    assert found(proofs.know_nothing_scores_zero, tried(chosen)) == ["know_nothing_scores"]
    assert found(proofs.constants_score_zero, tried(prints("print('Yes' * (len(sent) > 1))"))) == ["constant_scores"]
    good = tried(draft)
    assert found(proofs.know_nothing_scores_zero, good) == found(proofs.constants_score_zero, good) == []


def test_an_answer_that_the_question_or_the_guidelines_hold_is_found(prints, tried):
    code = "print(['open', 'sent'][len(sent) > 1])"
    asked = prints(code, question="Is open or sent the commoner state of orders?")
    told = prints("print('Bonn, the town' * (len(sent) > 1))", guidelines="Answer with Bonn, the town of the orders.")
    assert "answer_leaks" in found(proofs.answer_does_not_leak, tried(asked))
    assert "answer_leaks" in found(proofs.answer_does_not_leak, tried(told))
    assert found(proofs.answer_does_not_leak, tried(prints("print('Bonn' * (len(sent) > 1))"))) == []


def test_a_question_that_names_its_files_is_found_by_the_lint(draft, tried):
    named = draft.model_copy(update={"question": "In orders.csv, what is the mean price of what is sent?"})
    assert set(found(proofs.lint_finds_nothing, tried(named))) == {"lint_fault"}
    assert found(proofs.lint_finds_nothing, tried(draft)) == []


def test_files_that_were_not_measured_or_not_opened_are_found(draft, changed, tried):
    trial = tried(draft)
    unseen = replace(trial, first=replace(trial.first, accesses=NotMeasured(reason="no tracer")))
    assert found(proofs.files_are_as_declared, unseen) == ["files_not_measured"]
    more = changed(draft, 0, reads=("orders.csv", "note.txt"))
    assert found(proofs.files_are_as_declared, tried(more)) == ["files_not_as_declared"]
    assert found(proofs.files_are_as_declared, trial) == []


def test_a_room_without_distractors_is_found(draft, tried):
    trial = tried(draft)
    [orders] = [entry for entry in trial.room.index if entry.path == "orders.csv"]
    copies = (orders, orders._replace(path="copy of orders.csv"))
    assert found(proofs.distractors_exist, replace(trial, room=replace(trial.room, index=copies))) == ["no_distractor"]
    assert found(proofs.distractors_exist, trial) == []


@pytest.mark.parametrize(
    ("question", "leaks"),
    [
        ("Match orders to customers by customer. Which town pays most?", True),
        ("The key is customer. Which town pays most?", True),
        ("Which town pays most? Hint: look twice.", True),
        ("Which town pays most, counted over every customer?", False),
        ("Match each order with the town that it goes to. Which customer pays most?", False),
    ],
)
def test_a_question_that_tells_how_files_are_joined_is_found(draft, changed, material, question, leaks):
    both = changed(draft, 0, reads=("orders.csv", "customers.csv")).model_copy(update={"question": question})
    told = list(proofs.no_join_is_told(both, material))
    assert bool(told) is leaks
    assert {reason for reason, _ in told} <= {"join_hint_leaks"}


def test_a_table_of_names_alone_says_nothing(prints, tried):
    empty = prints('with open("sent.csv", "w") as out:\n    out.write("order,price\\n" * bool(sent))', **TABLE)
    assert found(proofs.answer_says_something, tried(empty)) == ["trivial_answer"]
    missing = prints("str(sent)", **TABLE)
    assert found(proofs.answer_is_there, tried(missing)) == ["empty_answer"]


def test_a_table_that_says_the_same_of_each_row_says_nothing(prints, tried):
    def table(number):
        lines = f"town,price\\nUlm,2.5\\nKiel,2.5\\nBonn,{number}\\n"
        return prints(f'with open("sent.csv", "w") as out:\n    out.write("{lines}" * bool(sent))', **TABLE)

    assert found(proofs.answer_says_something, tried(table(2.5))) == ["trivial_answer"]
    assert found(proofs.answer_says_something, tried(table(3.5))) == []


@pytest.mark.parametrize(
    ("answer", "trivial"),
    [("-1.0000; 31", True), ("100.00; 31", True), ("Kiel; Kiel", True), ("7; 7", True), ("1.0001; 31", False), ("1; 31.2", False)],
)  # fmt: skip
def test_what_follows_from_itself_says_nothing(prints, tried, answer, trivial):
    reasons = found(proofs.answer_says_something, tried(prints(f"print('{answer}' * (len(sent) > 1))")))
    assert reasons == ["trivial_answer"] * trivial


def test_a_warm_program_sees_nothing_of_the_one_before(prints, tried):
    trial = tried(prints("print(len(sent))"))
    left = trial.again("import sys, csv\ncsv.reader = None\nleft = 1\nopen('left.txt', 'w').write('x')\nprint(1)")
    assert left.printed == "1\n"
    after = trial.again("import os, csv\nprint('left' in globals(), os.listdir('.'), csv.reader is None)")
    assert after.printed == "False [] False\n"
    assert trial.again("import sys\nsys.exit(3)").failure
    assert "ValueError: because" in trial.again("raise ValueError('because')").failure
    assert trial.again("print('goes on')").printed == "goes on\n"
