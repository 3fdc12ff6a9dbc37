from tests.generation.tiny_writer import SKILLS, TinyWriter

from benchwright.generation.journal import Began, Journal
from benchwright.generation.prover import Verdict
from benchwright.generation.rounds import Goal, Making
from benchwright.generation.trial import Room
from benchwright.generation.workflow import Rejection


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
