"""Programs in closed sandboxes, and the one way out that they have: to their attempt's model."""

import json
import socket
import textwrap
import threading

import pytest
from tests.live.conftest import script

from benchwright.chat.scripted import ScriptedCall, ScriptedReply
from benchwright.sandbox.base import Exec, SandboxSpec
from benchwright.sandbox.holder.plan import Protections
from benchwright.sandbox.namespace import NamespaceProvider
from benchwright.suite import Selection
from benchwright.trajectory import Usage

pytestmark = pytest.mark.slow

ASK = """
import json, os, socket, sys, urllib.error, urllib.request
base = sys.argv[1]
def post(path, body, method="POST"):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(base + path, data=data, method=method, headers={"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
def messages(text):
    return {"model": "any", "messages": [{"role": "user", "content": text}]}
def chat(text, **more):
    return post("/v1/chat/completions", messages(text) | more)
def hand_in(value):
    open("/workspace/result.txt", "w").write(value if isinstance(value, str) else json.dumps(value))
"""


@pytest.fixture
def program(tmp_path):
    """A program as an agent: its text, with the functions above before it; returns the agent's name."""

    def describe(text: str, name: str = "program", **more) -> str:
        folder = tmp_path / name
        folder.mkdir()
        folder.chmod(0o755)
        (folder / "main.py").write_text(ASK + textwrap.dedent(text))
        argv = json.dumps(["python", f"{{here}}/{name}/main.py", "{model_base_url}", "{prompt_file}"])
        settings = "".join(f"{key} = {json.dumps(value)}\n" for key, value in more.items())
        described = tmp_path / f"{name}.toml"
        described.write_text(f'name = "{name}"\nargv = {argv}\nfolders = ["{name}"]\n{settings}')
        return f"command@{described}"

    return describe


@pytest.fixture
def attempt(suite, run_suite, program):
    """Let a program attempt one task with a model; the attempt."""

    def run(text: str, model: str, limits=None, **more):
        request = {"models": (model,), "selection": Selection(ids=("a",)), "limits": limits or {}}
        [made] = run_suite(suite, program(text, **more), **request).folder.attempts().values()
        return made

    return run


def said(name, *texts):
    return script(name, *(ScriptedReply(text=text, usage=Usage(input_tokens=7, output_tokens=2)) for text in texts))


def test_a_program_solves_a_task_with_the_model_behind_the_bridge(attempt):
    made = attempt(
        """
        first = json.loads(chat(open(sys.argv[2]).read())[1])["choices"][0]["message"]["content"]
        hand_in(str(sum(int(line.split(",")[1]) for line in open(first).read().splitlines()[1:])))
        """,
        said("names_file", "/data/sales.csv"),
    )
    assert (made.ending.kind, made.answer, made.steps) == ("answered", "42", 1)
    assert [(file.path, file.step) for file in made.accesses.files] == [("sales.csv", 1)]
    assert (made.usage.input_tokens, made.usage.output_tokens, made.usage.uncounted_calls) == (7, 2, 0)


def test_each_protocol_is_answered_whole_and_as_a_stream(attempt):
    made = attempt(
        """
        asked = messages("hello") | {"max_tokens": 10}
        spoken = {"model": "any", "input": [{"role": "user", "content": "hello"}]}
        hand_in([post(path, body | {"stream": stream})[1]
                 for path, body in (("/v1/messages", asked), ("/v1/chat/completions", asked), ("/v1/responses", spoken))
                 for stream in (False, True)])
        """,
        said("hello", "Good day"),
    )
    messages, messages_stream, chat, chat_stream, responses, responses_stream = json.loads(made.answer)
    assert json.loads(messages)["content"][0]["text"] == "Good day"
    assert json.loads(chat)["choices"][0]["message"]["content"] == "Good day"
    assert json.loads(responses)["output"][0]["content"][0]["text"] == "Good day"
    kinds = [line.removeprefix("event: ") for line in messages_stream.splitlines() if line.startswith("event: ")]
    assert kinds == [
        *("message_start", "content_block_start", "content_block_delta", "content_block_stop"),
        *("message_delta", "message_stop"),
    ]
    assert chat_stream.endswith("data: [DONE]\n\n")
    assert (
        json.loads(chat_stream.splitlines()[0].removeprefix("data: "))["choices"][0]["delta"]["content"] == "Good day"
    )
    assert "event: response.output_text.delta" in responses_stream
    assert responses_stream.rstrip().splitlines()[-2] == "event: response.completed"
    assert made.steps == 6


def test_calls_of_tools_cross_the_bridge_in_a_stream(attempt):
    made = attempt(
        """
        tools = [{"name": "look", "description": "d", "input_schema": {"type": "object", "properties": {}}}]
        hand_in(post("/v1/messages", messages("x") | {"max_tokens": 9, "stream": True, "tools": tools})[1])
        """,
        script("calls_look", ScriptedReply(calls=(ScriptedCall(tool="look", arguments={"at": "ü"}),))),
    )
    events = [json.loads(line.removeprefix("data: ")) for line in made.answer.splitlines() if line.startswith("data: ")]
    [opened] = [event["content_block"] for event in events if event["type"] == "content_block_start"]
    [delta] = [event["delta"] for event in events if event["type"] == "content_block_delta"]
    assert (opened["type"], opened["name"], opened["input"]) == ("tool_use", "look", {})
    assert json.loads(delta["partial_json"]) == {"at": "ü"}
    [end] = [event["delta"] for event in events if event["type"] == "message_delta"]
    assert end["stop_reason"] == "tool_use"


HOSTILE = """
tried = []
def note(answer): tried.append([answer[0], json.loads(answer[1])["error"]["message"][:60]])
for body in (b"", b"{", b"[]", b"[" * 100000, b'{"a":' * 50000, b"\\xff\\xfe", b'{"model": "x"}', b'{"messages": 3}'):
    for path in ("/v1/messages", "/v1/chat/completions", "/v1/responses"):
        note(post(path, body))
note(post("/v1/messages", {"model": "\\ud800", "messages": [{"role": "\\udfff", "content": [{"type": 5}]}]}))
note(post("/latest/meta-data/", b"{}"))
note(post("/v1/messages/../../etc/passwd", b"{}"))
note(post("/v1/chat/completions", b"{}", method="DELETE"))
for raw in (b"nonsense\\r\\n\\r\\n", b"GET http://example.org/ HTTP/1.1\\r\\nhost: example.org\\r\\n\\r\\n",
            b"CONNECT example.org:443 HTTP/1.1\\r\\nhost: example.org\\r\\n\\r\\n",
            b"POST /v1/messages HTTP/1.1\\r\\nhost: a\\r\\ncontent-length: 99999999999\\r\\n\\r\\n" + b"x" * (40 << 20),
            b"GET / HTTP/1.1\\r\\n" + b"a: b\\r\\n" * 100000):
    host, port = base.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as connection:
        try:
            connection.sendall(raw)
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        tried.append([connection.recv(12).decode(), ""])
crowd = [socket.create_connection((host, int(port))) for _ in range(200)]
for connection in crowd: connection.close()
status = chat("are you there?")[0]
hand_in(json.dumps({"tried": tried, "status": status}))
"""


def test_whatever_a_program_sends_is_answered_with_an_error_and_harms_no_attempt(attempt):
    made = attempt(HOSTILE, said("patient", "yes"))
    assert made.ending.kind == "answered", made.ending
    found = json.loads(made.answer)
    statuses = [status for status, _ in found["tried"]]
    assert set(statuses[:25]) == {400}
    assert statuses[25:28] == [404, 404, 405]
    assert [status.split()[1][:1] for status in statuses[28:]] == ["4"] * 5
    assert found["status"] == 200


def test_a_limit_of_tokens_ends_a_program_at_its_next_call(attempt):
    made = attempt(
        """
        while True: chat("more")
        """,
        said("endless", *["again"] * 50),
        limits={"tokens": 50},
    )
    assert (made.ending.kind, made.ending.which) == ("limit", "tokens")
    assert made.usage.input_tokens < 80


def test_a_model_that_breaks_ends_the_attempt_as_the_models_fault(attempt):
    made = attempt(
        """
        while True: chat("hello")
        """,
        script("breaks", ScriptedReply(error="the machine room burns")),
    )
    assert (made.ending.kind, made.ending.fault) == ("broke", "model")
    assert "machine room" in made.ending.detail


def test_how_a_program_ends_decides_how_its_attempt_does(suite, run_suite, program):
    programs = {
        "crashes": program('chat("x"); print("so far"); raise SystemExit("I cannot go on")', name="crashes"),
        "silent": program("", name="silent"),
        "prints": program('print("42")', name="prints"),
        "unheard": program('print("42")', name="unheard", answer="file"),
        "leaves": program('hand_in("42"); raise SystemExit(3)', name="leaves"),
    }
    request = {"models": (said("fine", "go on"),), "selection": Selection(ids=("a",))}
    folder = run_suite(suite, *programs.values(), **request).folder
    agents = {cell.id: cell.agent for cell in folder.spec.cells}
    ends = {agents[key.cell]: attempt for key, attempt in folder.attempts().items()}
    found = {name: (ends[agent].ending.kind, ends[agent].answer) for name, agent in programs.items()}
    assert found == {
        "crashes": ("broke", None),
        "silent": ("gave_up", None),
        "prints": ("answered", "42"),
        "unheard": ("gave_up", None),
        "leaves": ("answered", "42"),
    }
    crashed = ends[programs["crashes"]]
    assert crashed.ending.fault == "agent"
    assert "exit code 1 after 1 replies" in crashed.ending.detail
    assert "I cannot go on" in crashed.ending.detail
    assert sorted(crashed.logs) == ["crashes.log", "crashes.stderr"]


def test_a_program_that_takes_too_long_ends_at_the_limit_and_leaves_its_log(attempt):
    made = attempt(
        'print("begun", flush=True); import time; time.sleep(600)', said("slow", "x"), limits={"wall_seconds": 8}
    )
    assert (made.ending.kind, made.ending.which) == ("limit", "wall")
    assert "program.log" in made.logs


def test_a_program_sees_neither_gold_nor_keys_and_leaves_none(attempt, suite, monkeypatch, tmp_path):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-0123456789")
    made = attempt(
        f"""
        print("looked", dict(os.environ), os.path.exists({str(suite.folder)!r}))
        os.system("cat {suite.folder}/gold/gold.jsonl /proc/*/environ {tmp_path}/run/*.toml")
        print(chat("what is the key?"))
        hand_in("42")
        """,
        said("indiscreet", "it is sk-very-secret-0123456789"),
    )
    kept = [path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()]
    log = (tmp_path / "run" / "artifacts" / made.logs["program.log"].sha256).read_text()
    assert "looked" in log
    assert "False" in log
    assert "[secret]" in log
    assert "csv.DictReader" not in log
    assert not [data for data in kept if b"very-secret" in data]


PROBE = "import socket,sys; socket.create_connection((sys.argv[1], int(sys.argv[2])), 60).recv(9); print('reached')"


@pytest.fixture
def outside():
    """A server of this machine, outside every sandbox."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve():
            while True:
                try:
                    server.accept()[0].close()
                except OSError:
                    return

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


def _take_one(door):
    door.accept()[0].close()


@pytest.mark.parametrize("protections", [Protections(own_network=False), Protections()], ids=["open", "closed"])
def test_a_door_for_programs_opens_no_way_out(toolbox, outside, protections):
    """The control: with the network open, the same probe reaches the server outside."""
    with NamespaceProvider(protections=protections) as provider:
        sandbox = provider.open(SandboxSpec(toolbox=toolbox, tracing="off"))
        with sandbox, sandbox.listen() as door:
            threading.Thread(target=_take_one, args=(door,), daemon=True).start()
            answers = [
                sandbox.run(Exec(("python", "-c", PROBE, "127.0.0.1", str(port)))).stdout
                for port in (door.getsockname()[1], outside)
            ]
    assert answers == [b"reached\n", b"reached\n" if not protections.own_network else b""]


def test_packages_that_a_run_allows_are_recorded_and_stand_beside_its_scores(suite, run_suite, program):
    from benchwright.sandbox import wheelhouse

    if wheelhouse.find() is None:
        pytest.skip("the wheelhouse is not on this machine: benchwright packages fetch")
    agent = program(
        """
        import subprocess
        subprocess.run(["pip", "install", "rapidfuzz"], check=True)
        subprocess.run(["python", "-c", "import rapidfuzz"], check=True)
        hand_in("42")
        """
    )
    request = {"models": (said("installs", "x"),), "selection": Selection(ids=("a",)), "packages": "wheelhouse"}
    outcome = run_suite(suite, agent, **request)
    [made] = outcome.folder.attempts().values()
    assert made.answer == "42", made.ending
    [cell] = outcome.scoring.document()["cells"]
    assert cell["title"].endswith("packages=wheelhouse")
