"""What every agent that talks to a model has to hold: one row an agent, one run of four tasks for each.

`solve` is done, with a look around for what must not be there; `tokens` and `wall` run into those limits, `steps` into the agent's own.
"""

import json
from collections import Counter
from dataclasses import dataclass
from functools import cache, reduce
from importlib.util import find_spec

import pytest
from inspect_ai.log import read_eval_log

from benchwright.chat.scripted import ScriptedCall, ScriptedReply, register
from benchwright.errors import EnvironmentFault
from benchwright.gold import Gold, RequiredFile, Solution
from benchwright.live.planning import RunRequest, resolve
from benchwright.live.prompts import Prompts
from benchwright.live.runner import run
from benchwright.sandbox import programs
from benchwright.suite import RoomInfo, Suite, SuiteInfo
from benchwright.task import DataMount, Limits, OutputSpec, Task
from benchwright.trajectory import Answered, LimitHit, Usage

pytestmark = pytest.mark.slow

GOLD, KEY, SEEN = "gold-canary-5f0c1e7a", "sk-canary-9b1d4f62c07e4a35", "the-agent-was-here"
LIMITS = {"solve": Limits(), "tokens": Limits(tokens=100), "wall": Limits(wall_seconds=12), "steps": Limits()}
SHELLS = {"claude_code": ("Bash", "command"), "codex": ("exec_command", "cmd"), "mini_swe_agent": ("bash", "command")}
"""Programs from package indexes, each with its shell tool and the argument that it takes."""
MOST_MESSAGES = 24
"""Of agents that have no limit of steps of their own: what the task allows, each step being two messages or more."""
LIMITS_GOING_ON = {**LIMITS, "steps": Limits(messages=MOST_MESSAGES)}
LIMITS_OF_PROGRAMS = {**LIMITS_GOING_ON, "wall": Limits(wall_seconds=30)}  # they take some seconds to start
USED = Usage(input_tokens=100, output_tokens=20, cache_read_tokens=7, cache_write_tokens=3, reasoning_tokens=5)
SUM = "import csv; total = sum(int(row['amount']) for row in csv.DictReader(open('/data/sales.csv')))"
WRITE = "open('/workspace/result.txt', 'w').write('written')"


PROGRAM = """
import json, sys, urllib.request
said, space = [{"role": "user", "content": open(sys.argv[2]).read()}], {}
while True:
    asked = json.dumps({"model": "any", "messages": said}).encode()
    to = urllib.request.Request(sys.argv[1] + "/v1/chat/completions", asked, {"content-type": "application/json"})
    text = json.load(urllib.request.urlopen(to, timeout=300))["choices"][0]["message"]["content"]
    said += [{"role": "assistant", "content": text}, {"role": "user", "content": "go on"}]
    exec(text, space)
"""
"""A command-line agent: it asks its model for code, runs it, and asks again."""


def look(suite):
    """Code that looks where nothing must be found, and says so."""
    return (
        f"{SUM}\nimport os\nprint({SEEN!r}, dict(os.environ), os.listdir('/'))\n"
        f"for path in ({str(suite)!r}, '/proc/1/environ'):\n"
        "    try: print(open(path).read())\n    except OSError: pass\n"
        f"os.system('cat {suite}/gold/gold.jsonl /proc/*/environ 2>/dev/null')\n"
    )


@dataclass(frozen=True)
class Case:
    """An agent as a script drives it: code that it runs, and an answer that it hands in; at most `most` steps."""

    agent: str
    most: int | None = None
    left: str | None = "written"
    """The answer of an attempt that ran into its limit of steps."""

    def runs(self, code: str) -> ScriptedReply:
        match self.agent:
            case "react":
                return ScriptedReply(calls=(ScriptedCall(tool="python", arguments={"code": code}),))
            case "da_agent":
                return ScriptedReply(text=f'Thought: go\nAction: Python(file_path="a.py"):\n```python\n{code}\n```')
            case "smolagents":
                return ScriptedReply(text=f"Thought: go\n<code>\n{code}\n</code>")
            case "program":
                return ScriptedReply(text=code)
            case name if name in SHELLS:
                return self.calls(f"python - <<'END_OF_CODE'\n{code}\nEND_OF_CODE")
            case "single_code":
                return ScriptedReply(text=json.dumps({"explanation": "so", "code": code}))
            case _:
                return ScriptedReply(text=json.dumps({"steps": [{"explanation": "so", "code": code}]}))

    def calls(self, line: str) -> ScriptedReply:
        """A line for a program's shell."""
        tool, argument = SHELLS[self.agent]
        return ScriptedReply(text="Working.", calls=(ScriptedCall(tool=tool, arguments={argument: line}),))

    @property
    def limits(self) -> dict[str, Limits]:
        if self.agent in SHELLS:
            return LIMITS_OF_PROGRAMS
        return LIMITS_GOING_ON if self.goes_on else LIMITS

    def ends(self) -> ScriptedReply:
        """How a program is told that the work is done."""
        if self.agent == "mini_swe_agent":
            return self.calls("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT")
        return self.runs("exit()") if self.agent == "program" else ScriptedReply(text="Done.")

    def says(self, number: int) -> ScriptedReply:
        """Something quick that differs from step to step."""
        match self.agent:
            case "react":
                return ScriptedReply(calls=(ScriptedCall(tool="bash", arguments={"command": f"echo {number}"}),))
            case "da_agent":
                return ScriptedReply(text=f'Thought: go\nAction: Bash(code="echo {number}")')
            case _:
                return self.runs(f"print({number})")

    def solves(self, code: str) -> list[ScriptedReply]:
        match self.agent:
            case "react":
                return [
                    self.runs(code),
                    ScriptedReply(calls=(ScriptedCall(tool="submit", arguments={"answer": "42"}),)),
                ]
            case "da_agent":
                return [self.runs(code), ScriptedReply(text='Thought: done\nAction: Terminate(output="42")')]
            case "smolagents":
                return [self.runs(code), self.runs("final_answer(total)")]
            case "program":
                return [self.runs(code), self.runs("open('/workspace/result.txt', 'w').write(str(total)); exit()")]
            case name if name in SHELLS:
                return [self.runs(f"{code}\nopen('/workspace/result.txt', 'w').write(str(total))"), self.ends()]
            case _:
                return [self.runs(f"{code}\nanswer = total")]

    @property
    def goes_on(self) -> bool:
        """Whether it goes on for as long as it is answered."""
        return self.agent == "program" or self.agent in SHELLS

    def name(self, folder) -> str:
        """As `benchwright run --agent` takes it; of a program its description, written into a folder."""
        if self.agent != "program":
            return self.agent
        (folder / "main.py").write_text(PROGRAM)
        argv = json.dumps(["python", "{here}/program/main.py", "{model_base_url}", "{prompt_file}"])
        described = folder.parent / "program.toml"
        described.write_text(f'name = "program"\nargv = {argv}\nfolders = ["program"]\n')
        return f"command@{described}"

    def model(self, suite) -> str:
        """The model that plays this agent's part at every task; a plan, where the agent asks for one first."""
        lines = {
            "solve": self.solves(look(suite)),
            "tokens": self.solves(SUM),
            "wall": [self.runs("import time\ntime.sleep(600)")],
            "steps": [self.runs(WRITE), *map(self.says, range(self.most or MOST_MESSAGES))],
        }
        said = Counter()

        def talk(messages):
            if "facts survey" in messages[-1].text:
                return ScriptedReply(text="1. look 2. answer", usage=USED)
            named = (task for task in LIMITS for message in messages if f"({task})" in message.text)
            task = next(named, "")
            if not task:  # a program's own question, about a title or a topic
                return ScriptedReply(text="Sales", usage=USED)
            said[task] += 1
            return lines[task][min(said[task], len(lines[task])) - 1].model_copy(update={"usage": USED})

        register(f"conformance-{self.agent}", talk)
        return f"scripted/conformance-{self.agent}"


CASES = [
    Case("react", most=60),
    Case("da_agent", most=80),
    Case("smolagents", most=40, left="print(39)"),  # the library asks for an answer at the end
    Case("single_code"),
    Case("multi_code"),
    Case("program"),
    *map(Case, SHELLS),
]


@pytest.fixture(scope="module")
def suite_of(tmp_path_factory):
    """The suite of four tasks with these limits."""
    return cache(lambda *limits: write_suite(tmp_path_factory.mktemp("agents") / "suite", dict(limits)))


def write_suite(folder, limits):
    (folder / "data" / "shop").mkdir(parents=True)
    (folder / "data" / "shop" / "sales.csv").write_text("month,amount\njan,10\nfeb,32\n")
    outputs = (OutputSpec(file="result.txt"),)
    tasks = [
        Task(
            id=name,
            question=f"What was sold in all ({name})?",
            data=(DataMount(room="shop"),),
            outputs=outputs,
            limits=limit,
        )
        for name, limit in limits.items()
    ]
    golds = [
        Gold(
            task_id=task.id,
            answer="42",
            required_files=(RequiredFile(path="sales.csv"),),
            required_files_status="declared",
            solution=Solution(code=f"# {GOLD}\nprint(42)"),
        )
        for task in tasks
    ]
    return Suite.write(folder, SuiteInfo(name="agents", rooms={"shop": RoomInfo(files=1)}), tasks, golds=golds)


def install(agent):
    try:
        programs.install(agent, print)
    except EnvironmentFault as error:
        pytest.skip(f"{agent} cannot be installed here: {error}")


@pytest.fixture(scope="module", params=CASES, ids=lambda case: case.agent)
def played(request, suite_of, toolbox, tmp_path_factory):
    """An agent's run of the four tasks: the case, its run, and its attempts by task."""
    case = request.param
    suite = suite_of(*case.limits.items())
    if case.agent in SHELLS:
        install(case.agent)
    if case.agent == "smolagents" and find_spec("smolagents") is None:
        pytest.skip("needs the extra smolagents")
    place = tmp_path_factory.mktemp(case.agent) / "program"
    place.mkdir(mode=0o755)
    asked = RunRequest(agents=(case.name(place),), models=(case.model(suite.folder),))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", KEY)
        patch.setenv("MY_OWN_TOKEN", KEY)
        outcome = run(resolve(asked, suite, Prompts()), place.parent / "run")
    return case, outcome, {attempt.task_id: attempt for attempt in outcome.folder.attempts().values()}


def test_it_solves_a_task_and_what_it_read_is_seen(played):
    case, outcome, attempts = played
    attempt = attempts["solve"]
    assert (attempt.ending, attempt.answer) == (Answered(), "42")
    assert [access.path for access in attempt.accesses.files] == ["sales.csv"]
    verdicts = {row.scores.task_id: row.scores for row in outcome.scoring.rows}
    assert verdicts["solve"].sound.value == 1.0
    assert attempt.steps >= 1
    if case.agent in SHELLS:  # a last reply without a call is no step of theirs
        assert 1 <= attempt.successful_steps <= attempt.steps
    else:
        assert attempt.successful_steps in (attempt.steps, None)  # of what a program ran by itself nothing is known


@pytest.mark.parametrize("limit", ["tokens", "wall"])
def test_limits_of_the_attempt_end_it(played, limit):
    _, _, attempts = played
    ending = attempts[limit].ending
    assert isinstance(ending, LimitHit)
    assert ending.which == limit
    assert attempts[limit].wall_seconds < 200


def test_a_limit_of_steps_ends_it_and_what_it_wrote_for_an_answer_counts(played):
    case, _, attempts = played
    if case.most is None and not case.goes_on:
        pytest.skip("how often it asks its model is fixed")
    attempt = attempts["steps"]
    assert isinstance(attempt.ending, LimitHit)
    assert attempt.ending.which == "messages"
    if case.goes_on:
        assert 3 <= attempt.steps <= MOST_MESSAGES // 2 + 1
    else:
        assert case.most <= attempt.steps <= case.most + 1
    assert case.left in attempt.answer


def test_what_was_cut_off_leaves_its_trajectory(played):
    _, outcome, attempts = played
    for task in ("tokens", "wall"):
        trajectory = outcome.folder.transcripts.read(attempts[task].uuid)
        assert trajectory.steps
        assert trajectory.ending == attempts[task].ending
    assert "time.sleep" in outcome.folder.transcripts.read(attempts["wall"].uuid).model_dump_json()
    (log,) = outcome.folder.logs.glob("*.eval")
    said = {sample.id: sample.messages for sample in read_eval_log(str(log)).samples}
    assert all(any(message.role == "user" for message in said[task]) for task in LIMITS)


def test_its_usage_adds_up_by_class_over_steps_and_calls(played):
    case, outcome, attempts = played
    paid = list(outcome.folder.events("usage"))
    for attempt in attempts.values():
        trajectory = outcome.folder.transcripts.read(attempt.uuid)
        calls = sum(event["sample"] == attempt.uuid for event in paid)
        assert trajectory.usage == attempt.usage == reduce(Usage.plus, [USED] * calls)
        if case.agent not in SHELLS:  # those tell of single steps what they like
            steps = [step.usage for step in trajectory.steps if step.usage is not None]
            assert reduce(Usage.plus, steps) == attempt.usage
        assert attempt.usage.cost_usd is None  # no price is known, which is never 0


def everything_kept(folder):
    """All that a run keeps, as text."""
    for path in folder.path.rglob("*"):
        if path.suffix == ".eval":
            yield read_eval_log(str(path)).model_dump_json()
        elif path.name.endswith(".json.zst"):
            yield folder.transcripts.read(path.name.partition(".")[0]).model_dump_json()
        elif path.is_file() and "buffer" not in path.parts:
            yield path.read_bytes().decode(errors="replace")


def test_it_never_sees_the_gold_or_a_key(played):
    _, outcome, _ = played
    kept = list(everything_kept(outcome.folder))
    assert any(SEEN in text for text in kept)  # the look around was made, and this search finds what it showed
    assert not any(canary in text for canary in (GOLD, KEY) for text in kept)


def test_every_agent_of_ours_that_talks_to_a_model_has_a_row():
    from benchwright.live.agents import TALKING

    assert {case.agent for case in CASES} == {*TALKING, "program", *SHELLS}
