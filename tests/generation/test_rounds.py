from tests.generation.tiny_writer import SKILLS, TinyWriter

from benchwright.generation.asked import Asked
from benchwright.generation.journal import Began, Chosen, Journal, Refused, read_journal
from benchwright.generation.prover import Verdict
from benchwright.generation.rounds import Goal, Making
from benchwright.generation.trial import Room
from benchwright.generation.workflow import Rejection
from benchwright.generation.writing import Proved


class Listening(TinyWriter):
    """Notes what it is asked for."""

    def __init__(self):
        self.heard = []

    def drafts(self, material, wanted):
        self.heard.append(wanted)
        yield from super().drafts(material, wanted)


class Refusing:
    """Refuses every draft."""

    def prove(self, drafts):
        for draft, _ in drafts:
            yield Verdict(rejection=Rejection(draft=draft.name, reason="failed_to_run"))


def test_a_round_wants_less_of_what_other_rooms_have_drafted_and_the_next_one_forgets_what_failed(material, tmp_path):
    writer = Listening()
    began = Began(version=1, tasks=4, seed=0, writer="w", rooms={}, skills="0")
    with Journal(tmp_path / "journal.jsonl", began) as journal:
        rooms = {name: Room(material, ()) for name in ("a", "b")}
        Making(Goal(4, SKILLS), writer, rooms, journal, Refusing(), lambda _: None).run()
    first, second, third, fourth = (wanted.weights["Filtering Rows"] for wanted in writer.heard)
    assert first == third == 1.0
    assert second < first
    assert fourth < third
    assert len({wanted.seed for wanted in writer.heard}) == 4


class Passing:
    """Passes every draft but those that are called so."""

    def __init__(self, *failing):
        self.failing = failing

    def prove(self, drafts):
        for draft, _ in drafts:
            if draft.name in self.failing:
                yield Verdict(rejection=Rejection(draft=draft.name, reason="failed_to_run"))
            else:
                yield Verdict(proved=Proved(draft=draft.name, answer="1"))


class Asking:
    """Drafts one question each of which another program answers."""

    name = "asking"

    def __init__(self, draft, *questions):
        self.draft, self.questions = draft, questions

    def drafts(self, material, wanted):
        for number, question in enumerate(self.questions):
            step = self.draft.workflow.steps[0].model_copy(update={"code": f"print({number})"})
            workflow = self.draft.workflow.model_copy(update={"steps": (step,)})
            yield self.draft.model_copy(update={"name": f"d{number}", "question": question, "workflow": workflow})


MEAN = "What is the mean price of all orders that were sent in {}, rounded to {} decimals?"
QUESTIONS = (MEAN.format("May", "two"), MEAN.format("July", "two"), "Which town has most customers?")


def decisions(path, draft, material, provers):
    began = Began(version=1, tasks=9, seed=0, writer="w", rooms={}, skills="0")
    with Journal(path, began) as journal:
        rooms = {"shop": Room(material, ())}
        Making(Goal(9, SKILLS), Asking(draft, *QUESTIONS), rooms, journal, provers, lambda _: None).run()
    entries = list(read_journal(path))
    near = [e.rejection for e in entries if isinstance(e, Refused) and e.rejection.reason == "near_duplicate"]
    return [entry.draft for entry in entries if isinstance(entry, Chosen)], near


def test_a_question_that_a_task_nearly_asks_already_is_refused_and_the_reason_names_it(material, draft, tmp_path):
    chosen, near = decisions(tmp_path / "journal.jsonl", draft, material, Passing())
    assert chosen == ["d0", "d2"]
    assert [each.draft for each in near] == ["d1"]
    assert "nearly the question of d0" in near[0].detail


def test_a_question_is_no_duplicate_of_one_that_failed_its_proofs(material, draft, tmp_path):
    chosen, near = decisions(tmp_path / "journal.jsonl", draft, material, Passing("d0"))
    assert chosen == ["d1", "d2"]
    assert not near


def test_a_generation_that_was_cut_off_anywhere_refuses_the_same_near_duplicates(material, draft, tmp_path):
    whole = tmp_path / "whole.jsonl"
    decisions(whole, draft, material, Passing())
    lines = whole.read_bytes().splitlines(keepends=True)
    for count in range(1, len(lines)):
        cut = tmp_path / f"cut-{count}.jsonl"
        cut.write_bytes(b"".join(lines[:count]))
        decisions(cut, draft, material, Passing())
        assert cut.read_bytes() == whole.read_bytes()


def test_the_same_question_with_another_number_is_near_and_a_question_about_something_else_is_not(draft):
    asked = Asked()

    def tried(name, question):
        tried = draft.model_copy(update={"name": name, "question": question, "room": f"room of {name}"})
        asked.twin(tried)
        return asked.near(tried), tried

    least = "How many penguins on the island of Dream weigh more than {} grams?"
    assert tried("a", least.format("4,000"))[0] is None
    asked.became(tried("b", least.format("4,000"))[1])
    assert tried("c", least.format("4,500"))[0].reason == "near_duplicate"
    assert tried("d", "Which species has the longest flippers on average?")[0] is None
