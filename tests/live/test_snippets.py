import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from inspect_ai.model import GenerateConfig

from benchwright.chat.scripted import ScriptedReply, register
from benchwright.errors import InputError
from benchwright.gold import Check, Gold
from benchwright.live.agents.settings import unsent
from benchwright.live.prompts import Prompts
from benchwright.suite import RoomInfo, Selection, Suite, SuiteInfo
from benchwright.task import DataMount, Limits, Task
from benchwright.trajectory import Answered, GaveUp, LimitHit

from .conftest import script, spec_for
from .odd_server import completion, error

DATA = "month,amount\njan,10\nfeb,32\n"


@pytest.fixture
def suite(tmp_path) -> Suite:
    """One question over one file, in two wordings; the answer is 42."""
    folder = tmp_path / "suite"
    room = folder / "data" / "shop"
    room.mkdir(parents=True)
    (room / "sales.csv").write_text(DATA)
    task = Task(
        id="1",
        question="Were there sales, and how many?",
        variants={"clean": "Were there sales, and how many?", "raw": "How many sales were there?"},
        data=(DataMount(room="shop"),),
        limits=Limits(step_seconds=60),
    )
    gold = Gold(task_id="1", answer="42", checks=(Check(scorer="response"),))
    info = SuiteInfo(name="small", reference="dsbc", rooms={"shop": RoomInfo(files=1)})
    return Suite.write(folder, info, [task], golds=[gold])


def single(code: str, explanation: str = "because") -> ScriptedReply:
    return ScriptedReply(text=json.dumps({"explanation": explanation, "code": code}))


def steps(*codes: str) -> ScriptedReply:
    listed = [{"explanation": f"why {number}", "code": code} for number, code in enumerate(codes, start=1)]
    return ScriptedReply(text=json.dumps({"steps": listed}))


def record_of(outcome):
    (attempt,) = outcome.folder.attempts().values()
    path = outcome.folder.artifacts.locate(attempt.files["response.json"].sha256)
    return attempt, json.loads(path.read_text())


@pytest.fixture
def attempt(suite, run_suite):
    """One attempt at the question; the attempt, and the record that it handed in."""

    def make(agent, *replies, **request):
        return record_of(run_suite(suite, agent, models=(script("snippets", *replies),), **request))

    return make


def test_one_program_runs_on_the_loaded_file_and_its_answer_is_handed_in(suite, run_suite):
    code = "total = data['amount'].sum()\nprint('sum', total)\nanswer = {'total': total, 'when': pd.Timestamp('2020-01-01')}"
    outcome = run_suite(suite, "single_code", models=(script("one", single(code)),))
    made, record = record_of(outcome)
    assert json.loads(made.answer) == {"total": 42, "when": "2020-01-01"}
    assert made.ending == Answered()
    assert record["output"] == "sum 42"
    assert (record["code"], record["rationale"], record["error"]) == (code, "because", "")
    assert record["context"] == {"structure": "dsbc-paper", "sample_rows": True}
    assert [file.path for file in made.accesses.files] == ["sales.csv"]


def test_several_snippets_put_together_their_reasons_outputs_and_pictures(attempt):
    made, record = attempt("multi_code", steps("print('one')\n1 / 0", "print(data['amount'].sum())\ndata.plot()"))
    assert made.answer == "one\n42"  # no variable `answer`: what was printed is the answer
    assert (record["answer"], record["output"]) == (None, "Step 1:\none\n---\nStep 2:\n42")
    assert (record["rationale"], record["snippets"]) == ("why 1\n\nwhy 2", 2)
    assert (record["error"], record["failures"][0]["step"]) == ("code", 1)
    assert set(made.files) == {"plot-1.png", "response.json"}


def test_a_reply_without_code_is_a_format_error_and_no_answer(attempt):
    made, record = attempt("single_code", ScriptedReply(text="I cannot do that."))
    assert made.ending == GaveUp()
    assert (record["error"], record["answer"]) == ("format", None)
    assert "no code" in record["reason"]


def test_code_that_runs_into_the_querys_limit_leaves_what_it_printed_and_ends_as_limit(attempt):
    code = "import time\nprint('so far', flush=True)\ntime.sleep(999)"
    made, record = attempt("single_code", single(code), limits={"step_seconds": 20})
    assert isinstance(made.ending, LimitHit)
    assert made.ending.which == "step"
    assert (record["limit"], record["error"], record["output"]) == ("step", "code", "so far")


def test_the_second_call_explains_only_what_ran(attempt):
    asked = single("answer = data['amount'].sum()").model_copy(update={"match": "Rules for the program"})
    replies = (asked, ScriptedReply(text="I found 42 sales.", match="Its results\nanswer: 42"))
    _, record = attempt("single_code", *replies, preset="dsbc-code+no-sample+explained")
    assert record["analysis"] == "I found 42 sales."
    assert record["context"] == {"structure": "dsbc-code", "sample_rows": False}


def test_the_prompt_holds_the_wording_the_description_and_only_on_request_rows_of_the_data(suite, run_suite):
    seen = {}

    def asked(messages):
        seen.setdefault(len(seen), messages[0].text)
        return single("answer = 42")

    register("listens", asked)
    run_suite(suite, "single_code", models=("scripted/listens",), variants=("raw",))
    assert "How many sales were there?" in seen[0]
    assert "Were there sales" not in seen[0]
    assert '"sample_rows": [{"month": "jan"' in seen[0]
    seen.clear()
    run_suite(
        suite, "multi_code", models=("scripted/listens",), preset="no-sample", out=suite.folder.parent / "private"
    )
    assert "Were there sales" in seen[0]
    assert "sample_rows" not in seen[0]
    assert "/data/sales.csv" in seen[0]


def test_seed_and_length_are_the_papers_unless_a_run_sets_others(suite):
    (cell,) = spec_for(suite, "single_code", models=("scripted/none",), sweep=("temperature=0.3",)).cells
    assert cell.generation == {"seed": 1024, "max_tokens": 8192, "temperature": 0.3}
    (cell,) = spec_for(suite, "single_code", models=("scripted/none",), sweep=("max_tokens=99",)).cells
    assert cell.generation["max_tokens"] == 99


def test_agents_of_one_run_may_have_presets_of_their_own(suite):
    spec = spec_for(suite, "single_code:dsbc-code", "single_code", "constant", models=("scripted/none",), preset="dsbc")
    assert [(cell.agent, cell.preset) for cell in spec.cells] == [
        ("single_code", "dsbc-code"),
        ("single_code", "dsbc"),
        ("constant", ""),
    ]
    with pytest.raises(InputError, match="no preset 'odd'"):
        spec_for(suite, "constant:odd")


@pytest.mark.parametrize("preset", ["dsbc-8", "dsbc-code+dsbc-paper", "explained+explained", "no_sample"])
def test_a_preset_that_is_none_is_refused(suite, preset):
    with pytest.raises(InputError, match="preset"):
        spec_for(suite, "single_code", models=("scripted/none",), preset=preset)


def test_a_run_says_which_prompts_are_ours_and_the_hash_of_those_given(suite, tmp_path: Path):
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "single_code.txt").write_text("$question $context $path")
    ours, own = Prompts(), Prompts(folder)
    spec = spec_for(suite, "single_code", models=("scripted/none",), prompts=own)
    assert spec.wording("single_code") == own.digests()["single_code"]
    assert spec.wording("multi_code") == "reworded"
    assert spec_for(suite, "single_code", models=("scripted/none",), prompts=ours).wording("single_code") == "reworded"


def test_a_task_over_several_files_is_refused_before_anything_runs(suite):
    (suite.folder / "data" / "shop" / "more.csv").write_text(DATA)
    with pytest.raises(InputError, match="one data file"):
        spec_for(suite, "single_code", models=("scripted/none",), selection=Selection())


@pytest.fixture
def plain_server(monkeypatch):
    """An OpenAI-compatible server that knows no forms of replies; it answers with code, and keeps what it was asked."""
    asked = []

    class Plain(BaseHTTPRequestHandler):
        def do_POST(self):
            asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            refused = "response_format" in asked[-1]
            body = error("response_format: unknown parameter") if refused else completion(single("answer = 42").text)
            self.send_response(400 if refused else 200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Plain) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        monkeypatch.setenv("PLAIN_BASE_URL", f"http://127.0.0.1:{server.server_address[1]}/v1")
        monkeypatch.setenv("PLAIN_API_KEY", "none")
        yield asked
        server.shutdown()
        thread.join()


def test_a_server_without_forms_of_replies_is_asked_without_and_what_it_was_sent_is_noted(
    suite, run_suite, plain_server
):
    outcome = run_suite(suite, "single_code", models=("openai-api/plain/m",), sweep=("temperature=0.5",))
    made, record = record_of(outcome)
    assert made.answer == "42"
    assert record["structured"] is False
    assert record["settings"] == {"temperature": 0.5, "seed": 1024, "max_tokens": 8192}
    sent = plain_server[-1]
    assert (sent["temperature"], sent["seed"]) == (0.5, 1024)
    assert record["ignored"] == []
    assert "response_format" in plain_server[0]


def test_settings_that_are_not_in_a_request_are_noted_wherever_the_others_stand():
    config = GenerateConfig(temperature=0.5, seed=1024, max_tokens=8192)
    assert unsent(config, {"generation": {"temperature": 0.5, "maxOutputTokens": 8192, "seed": None}}) == ["seed"]
    assert unsent(config, {"temperature": 0.5, "max_completion_tokens": 8192, "random_seed": 1024}) == []


def test_of_64_queries_at_once_every_output_belongs_to_its_own(suite, run_suite):
    names = [f"q{number:02}" for number in range(64)]
    (task,) = suite.tasks.values()
    tasks = [task.model_copy(update={"id": name, "question": f"Question {name}?"}) for name in names]
    many = Suite.write(suite.folder, suite.info, tasks, golds=[Gold(task_id=name, answer=name) for name in names])

    def own(messages):
        name = messages[0].text.partition("Question ")[2][:3]
        return single(
            f"print('{name}', flush=True)\nimport time; time.sleep(0.3)\nprint('{name}')\nanswer = '{name}'", name
        )

    register("own", own)
    outcome = run_suite(many, "single_code", models=("scripted/own",), max_parallel=64, limits={"step_seconds": 280})
    assert outcome.done == 64
    for attempt in outcome.folder.attempts().values():
        path = outcome.folder.artifacts.locate(attempt.files["response.json"].sha256)
        record = json.loads(path.read_text())
        expected = (attempt.task_id, f"{attempt.task_id}\n{attempt.task_id}", attempt.task_id)
        assert (attempt.answer, record["output"], record["rationale"]) == expected
