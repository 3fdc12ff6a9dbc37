from pathlib import Path

from benchwright.chat.scripted import ScriptedReply
from benchwright.trajectory import Answered, GaveUp

from .conftest import script

AGENT = Path(__file__).resolve().parents[2] / "examples" / "custom_agent.py"
PROGRAM = (
    "```python\nimport csv\nprint(sum(int(row['amount']) for row in csv.DictReader(open('/data/sales.csv'))))\n```"
)


def test_the_example_of_an_own_agent_works_as_it_stands(suite, run_suite, toolbox):
    model = script("writes_a_program", ScriptedReply(text=f"Here:\n{PROGRAM}"))
    outcome = run_suite(suite, f"{AGENT}@one_shot", models=(model,))
    attempts = list(outcome.folder.attempts().values())
    assert [(attempt.answer, attempt.ending, attempt.steps) for attempt in attempts] == [("42", Answered(), 3)] * 3
    assert outcome.scoring.document()["sound"]["mean"] == 1.0


def test_an_own_agent_that_hands_in_nothing_gave_up(suite, run_suite, toolbox):
    model = script("writes_none", ScriptedReply(text="I do not know."))
    outcome = run_suite(suite, f"{AGENT}@one_shot", models=(model,))
    assert {attempt.ending for attempt in outcome.folder.attempts().values()} == {GaveUp()}
