import gzip
import json
import os
import shutil
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
import pytest
import zstandard
from inspect_ai.log import list_eval_logs, read_eval_log

from benchwright.baselines.guess_files import number_grid
from benchwright.chat.scripted import ScriptedReply
from benchwright.errors import Fault, InputError, SuiteError
from benchwright.files import index_folder
from benchwright.gold import Check, Gold
from benchwright.live.runner import Way, run
from benchwright.live.usage import prices
from benchwright.run import RunFolder
from benchwright.scoring import keep_scores
from benchwright.suite import RoomInfo, Suite, SuiteInfo, write_room_index
from benchwright.task import DataMount, OutputSpec, Task
from benchwright.trajectory import Answered, Broke, GaveUp, LimitHit, Usage

from .conftest import calls, script, spec_for


def attempts_of(outcome):
    return {(attempt.task_id, attempt.epoch): attempt for attempt in outcome.folder.attempts().values()}


def test_agents_with_and_without_a_model_share_one_run(suite, run_suite, toolbox):
    model = script("submit42", calls("bash", command="cat /data/sales.csv"), calls("submit", answer="42"))
    outcome = run_suite(suite, "react", "oracle", "know_nothing", models=(model,), epochs=2)
    assert (outcome.done, outcome.planned) == (18, 18)
    keys = [attempt.key for attempt in outcome.folder.attempts().values()]
    assert len(keys) == len(set(keys)) == 18
    rows = {cell["title"]: cell for cell in outcome.scoring.document()["cells"]}
    assert rows["oracle"]["sound"]["mean"] == 1.0
    assert rows["react scripted/submit42"]["sound"]["mean"] == 1.0


def test_a_finished_run_is_not_run_again(suite, run_suite):
    first = run_suite(suite, "constant")
    before = first.folder.events_path.read_bytes()
    again = run_suite(suite, "constant")
    assert again.done == 3
    assert again.folder.events_path.read_bytes() == before


def test_a_large_run_is_made_in_several_evaluations_in_each_of_which_every_agent_goes_on(suite, tmp_path, toolbox):
    """Inspect keeps what it knows of each attempt until an evaluation ends."""
    spec = spec_for(suite, "constant", "know_nothing", epochs=2)
    outcome = run(spec, tmp_path / "run", way=Way(at_once=4))
    logs = [read_eval_log(str(path)) for path in sorted(outcome.folder.logs.glob("*.eval"))]
    assert [len(log.samples) for log in logs] == [2] * 6
    assert {log.status for log in logs} == {"success"}
    assert sorted({log.eval.metadata["cell"] for log in logs}) == sorted(cell.id for cell in spec.cells)
    events = [event["event"] for event in outcome.folder.events("session", "attempt", "end")]
    assert events == ["session", *["attempt"] * 12, "end"]
    assert (outcome.done, len(outcome.folder.attempts())) == (12, 12)


def test_what_was_not_asked_for_before_is_another_run(suite, run_suite):
    run_suite(suite, "constant")
    with pytest.raises(InputError, match="another specification"):
        run_suite(suite, "constant", epochs=2)


def test_a_suite_that_changed_under_a_run_is_refused(suite, run_suite):
    run_suite(suite, "constant")
    path = suite.folder / "tasks.jsonl"
    path.write_text(path.read_text().replace("What was sold", "What was bought"))
    changed = type(suite).open(suite.folder)
    with pytest.raises(InputError, match="another specification"):
        run_suite(changed, "constant")


def stamped(suite: Suite, tasks=None) -> Suite:
    """The suite with the digests and indexes of its rooms, as `suites build` makes it."""
    rooms = {folder.name: index_folder(folder) for folder in (suite.folder / "data").iterdir()}
    for name, index in rooms.items():
        write_room_index(suite.folder, name, index)
    info = SuiteInfo(name="small", rooms={name: RoomInfo.of_index(index) for name, index in rooms.items()})
    return Suite.write(suite.folder, info, tasks or suite.tasks.values(), golds=suite.golds.values())


def look_and_submit() -> str:
    return script("looks", calls("bash", command="ls /data"), calls("submit", answer="42"))


def change_files(room: Path) -> None:
    before = (room / "sales.csv").stat()
    (room / "sales.csv").write_text("month,amount\njan,10\nfeb,33\n")
    os.utime(room / "sales.csv", ns=(before.st_atime_ns, before.st_mtime_ns))
    (room / "staff.csv").rename(room / "people.csv")


def test_changed_files_of_a_room_are_named_once_before_anything_is_spent(suite, run_suite):
    whole, model = stamped(suite), look_and_submit()
    good = run_suite(whole, "react", models=(model,), selection=selected("a"))
    assert (good.done, good.faulty, good.in_order) == (1, 0, True)
    change_files(suite.folder / "data" / "shop")
    out = suite.folder.parent / "changed"
    with pytest.raises(SuiteError, match="1 of the rooms of suite small do not hold what it says") as error:
        run_suite(whole, "react", "constant", models=(model,), out=out)
    assert error.value.exit_code == 2
    assert "1 changed (sales.csv); 1 lost (staff.csv); 1 added (people.csv)" in error.value.found
    assert not RunFolder.open(out).attempts()
    again = run_suite(whole, "react", models=(model,), selection=selected("a"))
    assert again.in_order, "a run with nothing left to be made needs no data"
    assert run_suite(whole, "constant", out=suite.folder.parent / "other").in_order, "nor does one that reads none"


def test_without_a_digest_a_changed_file_is_not_found_and_the_attempts_are_made(suite, run_suite):
    change_files(suite.folder / "data" / "shop")
    assert run_suite(suite, "react", models=(look_and_submit(),), selection=selected("a")).in_order


AGENT_THAT_LOSES_A_ROOM = """
import shutil
from inspect_ai.agent import agent
from benchwright.live import live
from benchwright.sandbox.base import Shell

@agent
def careless():
    async def execute(state):
        attempt = live()
        attempt.step()
        await attempt.run(Shell("ls /data"))
        shutil.rmtree(attempt.suite / "data" / "second", ignore_errors=True)
        attempt.submit("42")
        return state
    return execute
"""


def test_a_run_that_loses_a_room_on_its_way_is_done_and_not_in_order(suite, run_suite, tmp_path):
    shutil.copytree(suite.folder / "data" / "shop", suite.folder / "data" / "second")
    tasks = [
        task.model_copy(update={"data": (DataMount(room="shop" if task.id == "a" else "second"),)})
        for task in suite.tasks.values()
    ]
    (tmp_path / "careless.py").write_text(AGENT_THAT_LOSES_A_ROOM)
    outcome = run_suite(
        stamped(suite, tasks),
        f"{tmp_path / 'careless.py'}@careless",
        models=(script("unused", ScriptedReply(text="")),),
        selection=selected("a", "c"),
        max_parallel=1,
    )
    assert attempts_of(outcome)["c", 1].ending.fault == "suite"
    assert (outcome.done, outcome.faulty, outcome.in_order) == (2, 1, False)


def test_the_ending_of_an_agent_that_never_submits_is_a_limit(suite, run_suite):
    model = script("silent", *[ScriptedReply(text="Let me think.")] * 5)
    outcome = run_suite(suite, "react", models=(model,), selection=selected("a"))
    ending = attempts_of(outcome)["a", 1].ending
    assert isinstance(ending, LimitHit)
    assert ending.which == "messages"


BLOCK = ScriptedReply(text="I look.\n```bash\necho nothing\n```")
AGAIN = {
    "native": calls("bash", command="echo nothing"),
    "text": BLOCK,
    "with the time in its output": calls("bash", command="date +%s.%N; false"),
    "a traceback of a numbered cell": calls("python", code="1 / 0"),
}


@pytest.mark.parametrize("again", AGAIN.values(), ids=AGAIN)
def test_a_model_that_asks_for_the_same_again_is_told_so_and_then_stopped(suite, run_suite, again):
    model = script("repeats", *[again] * 60)
    outcome = run_suite(suite, "react", models=(model,), selection=selected("a"))
    attempt = attempts_of(outcome)["a", 1]
    assert isinstance(attempt.ending, LimitHit)
    assert attempt.ending.which == "messages"
    assert attempt.steps == 11
    (log,) = outcome.folder.logs.glob("*.eval")
    told = [message.text for message in read_eval_log(str(log)).samples[0].messages if message.role == "user"]
    assert sum("same call as before" in text for text in told) == 9


def test_what_is_repeated_now_and_then_is_no_reason_to_stop(suite, run_suite):
    same, other = calls("bash", command="echo nothing"), calls("bash", command="cat /proc/sys/kernel/random/uuid")
    model = script("returns", *[same] * 10, other, *[same] * 10, *[other] * 12, calls("submit", answer="42"))
    outcome = run_suite(suite, "react", models=(model,), selection=selected("a"))
    assert attempts_of(outcome)["a", 1].ending == Answered()


def selected(*ids):
    from benchwright.suite import Selection

    return Selection(ids=ids)


def test_a_model_that_fails_broke_the_attempt_and_is_tried_again_by_the_same_command(suite, run_suite):
    model = script("fails", ScriptedReply(error="503 from the provider"))
    outcome = run_suite(suite, "react", models=(model,), selection=selected("a"))
    attempt = attempts_of(outcome)["a", 1]
    assert isinstance(attempt.ending, Broke)
    assert attempt.ending.fault is Fault.MODEL
    assert "503" in attempt.ending.detail
    assert (outcome.done, outcome.planned) == (0, 1)
    script("fails", calls("submit", answer="42"))
    outcome = run_suite(suite, "react", models=(model,), selection=selected("a"))
    assert attempts_of(outcome)["a", 1].ending == Answered()
    assert outcome.done == 1


def test_an_agent_that_crashes_is_data_and_does_not_run_again(suite, run_suite, tmp_path):
    path = tmp_path / "crashing.py"
    path.write_text(
        "from inspect_ai.agent import Agent, AgentState, agent\n"
        "@agent\n"
        "def crash() -> Agent:\n"
        "    async def execute(state: AgentState) -> AgentState:\n"
        "        raise ZeroDivisionError('by the agent')\n"
        "    return execute\n"
    )
    model = script("unused", calls("submit", answer="42"))
    outcome = run_suite(suite, f"{path}@crash", models=(model,), selection=selected("a"))
    attempt = attempts_of(outcome)["a", 1]
    assert isinstance(attempt.ending, Broke)
    assert attempt.ending.fault is Fault.AGENT
    assert "by the agent" in attempt.error
    assert outcome.done == 1


def test_an_agent_of_another_hand_answers_with_its_last_message(suite, run_suite, tmp_path):
    path = tmp_path / "plain.py"
    path.write_text(
        "from inspect_ai.agent import Agent, AgentState, agent\n"
        "from inspect_ai.model import get_model\n"
        "@agent\n"
        "def plain() -> Agent:\n"
        "    async def execute(state: AgentState) -> AgentState:\n"
        "        state.output = await get_model().generate(state.messages)\n"
        "        state.messages.append(state.output.message)\n"
        "        return state\n"
        "    return execute\n"
    )
    model = script("says42", ScriptedReply(text="42"))
    outcome = run_suite(suite, f"{path}@plain", models=(model,), selection=selected("a"))
    attempt = attempts_of(outcome)["a", 1]
    assert (attempt.answer, attempt.ending, attempt.steps) == ("42", Answered(), 1)


def test_a_baseline_without_an_answer_gave_up(suite, run_suite, toolbox):
    outcome = run_suite(suite, "explorer", selection=selected("a"))
    assert isinstance(attempts_of(outcome)["a", 1].ending, Answered | GaveUp)


def test_the_time_limit_ends_an_attempt_and_what_it_read_is_kept(suite, run_suite, toolbox):
    model = script("sleeps", calls("bash", command="cat /data/sales.csv; sleep 600"))
    outcome = run_suite(suite, "react", models=(model,), selection=selected("a"), limits={"wall_seconds": 10.0})
    attempt = attempts_of(outcome)["a", 1]
    assert isinstance(attempt.ending, LimitHit)
    assert attempt.ending.which == "wall"
    assert attempt.wall_seconds < 100
    if attempt.accesses.kind == "measured":
        assert [access.path for access in attempt.accesses.files] == ["sales.csv"]


def test_files_that_were_read_are_known_with_their_step(suite, run_suite, toolbox):
    model = script(
        "reads",
        calls("bash", command="ls /data"),
        calls("bash", command="cat /data/sales.csv"),
        calls("submit", answer="42"),
    )
    outcome = run_suite(suite, "react", models=(model,), selection=selected("a"))
    attempt = attempts_of(outcome)["a", 1]
    assert attempt.steps == 3
    assert attempt.isolation["provider"] == "namespace"
    if attempt.accesses.kind == "measured":
        assert [(access.path, access.step) for access in attempt.accesses.files] == [("sales.csv", 2)]


def test_output_files_are_kept_by_their_hash(table_suite, run_suite, toolbox):
    model = script(
        "writes",
        calls("bash", command="printf 'a,b\\n1,2\\n' > out.csv; ln -s /etc/passwd link.csv"),
        calls("submit", answer="done"),
    )
    outcome = run_suite(table_suite, "react", models=(model,))
    files = attempts_of(outcome)["t", 1].files
    assert list(files) == ["out.csv"]
    assert outcome.folder.artifacts.locate(files["out.csv"].sha256).read_bytes() == b"a,b\n1,2\n"


def test_too_many_bytes_of_output_are_the_limit_of_outputs(table_suite, run_suite, toolbox):
    model = script(
        "floods", calls("bash", command="head -c 3000000 /dev/zero > out.csv"), calls("submit", answer="done")
    )
    outcome = run_suite(table_suite, "react", models=(model,), limits={"artifacts_mb": 2})
    attempt = attempts_of(outcome)["t", 1]
    assert isinstance(attempt.ending, LimitHit)
    assert (attempt.ending.which, attempt.files) == ("outputs", {})


@pytest.fixture
def costly(tmp_path, monkeypatch, toolbox):
    """A model that hands in its first reply, at a price for each."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "toolbox").symlink_to(toolbox.parent)
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))

    def at(usd):
        priced = f'[models."scripted/costly"]\ninput = {usd * 1e6}\noutput = 0.0\n'
        (tmp_path / "home" / "prices.toml").write_text(priced)
        prices.cache_clear()
        reply = ScriptedReply(text="", calls=calls("submit", answer="42").calls, usage=Usage(input_tokens=1))
        return script("costly", reply)

    yield at
    prices.cache_clear()


def test_b188_money_stops_a_run_and_what_remains_waits_for_more(case, run_suite, costly, tmp_path):
    given = case("B188")["input"]
    names = [f"t{number}" for number in range(2 + given["remaining_tasks"])]
    tasks = [Task(id=name, question="?") for name in names]
    golds = [Gold(task_id=name, answer="42") for name in names]
    suite = Suite.write(tmp_path / "many", SuiteInfo(name="many"), tasks, golds=golds)
    model = costly(given["spent_usd"] / 2)
    outcome = run_suite(suite, "react", models=(model,), budget_usd=given["budget_usd"], max_parallel=1)
    assert "budget of $5" in outcome.stopped
    assert outcome.folder.spend().usd == pytest.approx(given["spent_usd"])
    assert outcome.done in (1, 2)  # the attempt whose reply passed the budget is cut off, or ends first
    outcome = run_suite(suite, "react", models=(model,), budget_usd=3.5 * given["budget_usd"], max_parallel=1)
    assert 3 <= outcome.done < len(names)  # it went on where it stood


def test_money_stops_the_run_and_more_money_takes_it_up_again(suite, run_suite, costly):
    model = costly(1.0)
    outcome = run_suite(suite, "react", models=(model,), budget_usd=1.0, max_parallel=1)
    assert "budget of $1" in outcome.stopped
    assert outcome.done < 3
    spent = outcome.folder.spend().usd
    assert spent == 1.0
    outcome = run_suite(suite, "react", models=(model,), budget_usd=10.0, max_parallel=1)
    assert (outcome.done, outcome.stopped) == (3, "")
    assert outcome.folder.spend().usd >= 3.0


def test_a_budget_needs_known_prices(suite):
    with pytest.raises(InputError, match="no price is known for scripted/any"):
        spec_for(suite, "react", models=(script("any"),), budget_usd=1.0)


def test_minutes_stop_the_run_and_cut_off_attempts_are_not_attempts(suite, run_suite):
    model = script("slow", ScriptedReply(seconds=600.0, text="never"))
    outcome = run_suite(suite, "react", models=(model,), budget_minutes=0.02)
    assert "minutes" in outcome.stopped
    assert (outcome.done, outcome.folder.attempts()) == (0, {})


def test_a_resumed_run_has_only_the_minutes_that_are_left(suite, run_suite):
    model = script("slow", ScriptedReply(seconds=600.0, text="never"))
    run_suite(suite, "react", models=(model,), budget_minutes=0.02)
    again = run_suite(suite, "react", models=(model,), budget_minutes=0.02)
    assert "minutes" in again.stopped
    assert len(list(again.folder.events("session"))) == 1


def traces_of(text: str, folder: Path) -> set[str]:
    """The kinds of files of a run that hold a text once unpacked; verdicts as `scores`."""
    return {
        "scores" if "scores" in path.parts else path.suffix
        for path in folder.rglob("*")
        if path.is_file() and text in unpacked(path)
    }


def unpacked(path: Path) -> str:
    match path.suffix:
        case ".eval":
            return read_eval_log(str(path)).model_dump_json()
        case ".parquet":
            return json.dumps([pl.read_parquet(path).to_dicts(), pq.read_schema(path).metadata], default=str)
        case ".gz":
            return gzip.decompress(path.read_bytes()).decode(errors="replace")
        case ".zst":
            return zstandard.ZstdDecompressor().decompress(path.read_bytes(), max_output_size=1 << 30).decode()
    return path.read_bytes().decode(errors="replace")


def test_gold_is_in_no_log_journal_or_artifact(suite, run_suite, tmp_path, toolbox):
    path = suite.folder / "gold" / "gold.jsonl"
    path.write_text(
        path.read_text().replace('"answer":"42"', '"answer":"canary-7f3a"').replace("print(", "print('canary-7f3a',")
    )
    canary = type(suite).open(suite.folder)
    assert canary.golds["a"].answer == "canary-7f3a"
    model = script(
        "reads", calls("bash", command="grep -r canary / 2>/dev/null | head; env"), calls("submit", answer="42")
    )
    outcome = run_suite(canary, "react", "know_nothing", models=(model,))
    assert any("canary-7f3a" in row.scores.model_dump_json() for row in outcome.scoring.rows)
    keep_scores(outcome.scoring, outcome.folder)
    assert (outcome.folder.path / "scores" / "sound.parquet").is_file()
    assert list((outcome.folder.path / "transcripts").glob("*.zst"))
    assert traces_of("canary-7f3a", outcome.folder.path) == set()
    told = run_suite(canary, "oracle", out=tmp_path / "told")
    assert traces_of("canary-7f3a", told.folder.path) >= {".eval", ".jsonl", ".parquet", ".zst"}


@pytest.mark.parametrize(
    "name", ["transcripts/a.json.zst", "scores/sound.parquet", "attempts.parquet", "x.json.gz", "events.jsonl"]
)
def test_the_search_for_gold_would_find_it_in_every_kind_of_file(tmp_path, name):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    if path.suffix == ".parquet":
        pl.DataFrame({"verdict": ["{'reason': 'not canary-7f3a'}"]}).write_parquet(path)
    else:
        pack = {".zst": zstandard.compress, ".gz": gzip.compress}.get(path.suffix, bytes)
        path.write_bytes(pack(b"... canary-7f3a ..."))
    assert len(traces_of("canary-7f3a", tmp_path)) == 1
    assert traces_of("canary-0000", tmp_path) == set()


def test_scores_in_the_logs_are_those_beside_the_run(suite, run_suite, toolbox):
    outcome = run_suite(suite, "oracle")
    log = read_eval_log(list_eval_logs(str(outcome.folder.logs))[0])
    by_name = {score.name: score.metrics["mean"].value for score in log.results.scores}
    document = outcome.scoring.document()
    assert by_name["sound"] == document["sound"]["mean"] == 1.0
    assert by_name["reference"] == document["reference"]["mean"] == 1.0


def test_prompts_of_the_user_replace_ours_and_are_part_of_the_specification(suite, tmp_path):
    from benchwright.live.prompts import Prompts

    folder = tmp_path / "prompts"
    folder.mkdir()
    (folder / "react.txt").write_text("Be brief.")
    model = script("any")
    own = spec_for(suite, "react", models=(model,), prompts=Prompts(folder))
    assert own.differences(spec_for(suite, "react", models=(model,)))[0].startswith("prompts:")


def test_every_event_of_the_journal_is_one_line_of_json(suite, run_suite):
    outcome = run_suite(suite, "constant")
    kinds = [json.loads(line)["event"] for line in outcome.folder.events_path.read_text().splitlines()]
    assert kinds == ["session", "attempt", "attempt", "attempt", "end"]


def test_attempts_that_hit_a_limit_are_made_again_with_more_of_it(suite, run_suite, tmp_path, toolbox):
    from benchwright.live.planning import again
    from benchwright.live.runner import run

    model = script("naps", ScriptedReply(seconds=12.0, calls=calls("submit", answer="42").calls))
    first = run_suite(
        suite, "react", "constant", models=(model,), selection=selected("a"), limits={"wall_seconds": 6.0}
    )
    ending = next(
        attempt.ending
        for attempt in first.folder.attempts().values()
        if attempt.steps and attempt.ending.kind == "limit"
    )
    assert ending.which == "wall"
    spec = again(first.folder, "limit:wall", 10.0)
    second = run(spec, tmp_path / "again")
    assert (second.done, second.planned) == (1, 1)
    assert next(iter(second.folder.attempts().values())).ending == Answered()
    assert second.scoring.document()["sound"]["n"] == 1
    with pytest.raises(InputError, match="no attempt"):
        again(second.folder, "limit", 2.0)
    with pytest.raises(InputError, match="no ending 'slow'"):
        again(second.folder, "slow", 2.0)


def test_a_model_without_tool_calls_works_by_fenced_blocks(suite, run_suite, toolbox):
    lines = (
        ScriptedReply(text="Let me look.\n```bash\nls /data\n```"),
        ScriptedReply(text="No block here."),
        ScriptedReply(text="```python\ntotal = 10 + 32\nprint(total)\n```\nThen I will see."),
        ScriptedReply(text="```submit\n42\n```"),
    )
    outcome = run_suite(suite, "react", models=(script("in_words", *lines),), preset="text", selection=selected("a"))
    attempt = attempts_of(outcome)["a", 1]
    assert (attempt.answer, attempt.steps) == ("42", 4)
    log = read_eval_log(list_eval_logs(str(outcome.folder.logs))[0])
    said = [message.text for message in log.samples[0].messages]
    assert "```submit" in said[0]
    assert "sales.csv" in said[3]
    assert "bash, python or submit block" in said[5]
    assert "42" in said[7]


def test_a_model_that_refuses_tools_is_given_them_in_words(suite, run_suite, toolbox):
    from inspect_ai.model import ModelAPI, ModelOutput, ModelUsage, modelapi

    class RefusedError(Exception):
        status_code = 400

    class NoTools(ModelAPI):
        async def generate(self, input, tools, tool_choice, config):  # noqa: A002 - the names are Inspect's
            if tools:
                raise RefusedError("this model does not support tools")
            output = ModelOutput.from_content("no-tools", "```submit\n42\n```")
            output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
            return output

    modelapi(name="refuses_tools")(NoTools)
    outcome = run_suite(suite, "react", models=("refuses_tools/x",), selection=selected("a"))
    assert attempts_of(outcome)["a", 1].answer == "42"


def test_a_sandbox_that_a_limit_ended_is_that_limit_and_is_not_made_again(suite, run_suite, tmp_path):
    path = tmp_path / "glutton.py"
    path.write_text(
        "from inspect_ai.agent import Agent, AgentState, agent\n"
        "from benchwright.sandbox.base import Spent\n"
        "@agent\n"
        "def glutton() -> Agent:\n"
        "    async def execute(state: AgentState) -> AgentState:\n"
        "        raise Spent('memory')\n"
        "    return execute\n"
    )
    model = script("unused", calls("submit", answer="42"))
    outcome = run_suite(suite, f"{path}@glutton", models=(model,), selection=selected("a"))
    ending = attempts_of(outcome)["a", 1].ending
    assert isinstance(ending, LimitHit)
    assert ending.which == "memory"
    assert outcome.done == 1


def test_a_sandbox_that_breaks_is_not_the_agents_fault_and_the_attempt_is_made_again(
    suite, run_suite, tmp_path, toolbox
):
    path = tmp_path / "saboteur.py"
    path.write_text(
        "import psutil\n"
        "from contextlib import suppress\n"
        "from pathlib import Path\n"
        "from inspect_ai.agent import Agent, AgentState, agent\n"
        "from benchwright.live import live\n"
        "from benchwright.sandbox.base import Shell\n"
        "@agent\n"
        "def saboteur() -> Agent:\n"
        "    async def execute(state: AgentState) -> AgentState:\n"
        "        await live().run(Shell('true'))\n"
        f"        if not Path({str(tmp_path / 'mended')!r}).exists():\n"
        "            for process in psutil.Process().children(recursive=True):\n"
        "                with suppress(psutil.Error):\n"  # which may have ended before it is looked at
        "                    if process.status() != 'zombie' and 'scoring' not in ' '.join(process.cmdline()):\n"
        "                        process.kill()\n"
        "        await live().run(Shell('true'))\n"
        "        live().submit('42')\n"
        "        return state\n"
        "    return execute\n"
    )
    model = script("unused", calls("submit", answer="42"))
    arguments = {"models": (model,), "selection": selected("a")}
    outcome = run_suite(suite, f"{path}@saboteur", **arguments)
    attempt = attempts_of(outcome)["a", 1]
    assert isinstance(attempt.ending, Broke)
    assert attempt.ending.fault is Fault.SANDBOX, attempt.error
    assert outcome.done == 0
    (tmp_path / "mended").touch()
    outcome = run_suite(suite, f"{path}@saboteur", **arguments)
    assert attempts_of(outcome)["a", 1].ending == Answered()
    assert outcome.done == 1


def test_a_baseline_hands_in_files_without_a_sandbox(tmp_path, run_suite):
    outputs = (OutputSpec(kind="table", name="out.csv"), OutputSpec(kind="document", name="out.json"))
    task = Task(id="t", question="Write the table, and the total_sum.", outputs=outputs)
    gold = Gold(task_id="t", checks=(Check(scorer="table", output="out.csv", golds=("gold.csv",)),))
    suite = Suite.write(tmp_path / "files", SuiteInfo(name="files"), [task], golds=[gold])
    suite.gold_files("t").mkdir(parents=True)
    (suite.gold_files("t") / "gold.csv").write_text("n\n1\n2\n")
    outcome = run_suite(suite, "know_nothing")
    (attempt,) = outcome.folder.attempts().values()
    assert attempt.ending.kind == "answered"
    assert set(attempt.files) == {"out.csv", "out.json"}
    assert attempt.isolation == {}
    handed_in = outcome.folder.artifacts.locate(attempt.files["out.csv"].sha256)
    assert handed_in.read_bytes() == number_grid()
