import asyncio
import gc
import json
import traceback
import warnings

import pytest
from inspect_ai.model import GenerateConfig, get_model

from benchwright.errors import EnvironmentFault, Fault, InputError
from benchwright.gold import Gold
from benchwright.live.blame import fault_of, settings_at_fault
from benchwright.live.guard import guarded
from benchwright.live.models import model_of
from benchwright.run import RunFolder
from benchwright.run.secrecy import is_secret
from benchwright.suite import Selection, Suite, SuiteInfo
from benchwright.task import Task

from .odd_server import BY_HAND, JSON, KEY, RAW, REFUSALS, odd_server
from .test_runner import traces_of

pytestmark = pytest.mark.chaos

WORKS = {
    *("fine", "fine_tool", "no_usage", "zero_usage", "negative_usage", "key_in_the_reply"),
    *("lone_surrogate", "nul_in_the_reply"),
}
UNCOUNTED = {"no_usage", "zero_usage", "negative_usage"}
SILENT = ("hang", "hang_in_the_body", "drips")
EVERY = sorted({*JSON, *RAW, *BY_HAND})
QUICK = {"sweep": ("max_retries=0", "attempt_timeout=30"), "selection": Selection(ids=("a",)), "preset": "text"}


@pytest.fixture(scope="module")
def server():
    with odd_server() as running:
        yield running


@pytest.fixture(autouse=True)
def odd_provider(server, monkeypatch):
    monkeypatch.setenv("ODD_BASE_URL", f"http://127.0.0.1:{server.server_address[1]}/v1")
    monkeypatch.setenv("ODD_API_KEY", KEY)


def named(*names):
    return tuple(f"openai-api/odd/{name}" for name in names)


async def reply_or_error(name, slots):
    """What a call of an odd model comes to: its text, or the error with whose fault it is."""
    seconds = 4 if name in SILENT else 60
    config = GenerateConfig(max_retries=0, attempt_timeout=seconds)
    model = guarded(get_model(f"openai-api/odd/{name}", config=config, max_retries=0))  # nor by the client
    try:
        async with slots:
            return (await model.generate("What is it?")).message
    except Exception as error:
        return (
            fault_of(error),
            "".join(traceback.format_exception(error)),
            settings_at_fault(error, name, answered=False),
        )


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # the client's, of calls given up
async def test_whatever_a_model_replies_is_a_reply_or_its_own_fault(server):
    """Every odd behaviour, all at once; what is no reply is the model's fault, and no error tells our key."""
    assert len(EVERY) >= 40
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pydantic's and the client's, of replies that are none
        slots = asyncio.Semaphore(6)
        replies = await asyncio.gather(*(reply_or_error(name, slots) for name in EVERY))
    gc.collect()  # here, and not in some later test, where nothing is ignored
    came = dict(zip(EVERY, replies, strict=True))
    replied = {name: message for name, message in came.items() if not isinstance(message, tuple)}
    assert set(replied) == WORKS
    assert all("42" in message.text or message.tool_calls for message in replied.values())
    assert not any(KEY in message.text or "\ud83d" in message.text for message in replied.values())
    broken = {name: told for name, told in came.items() if name not in replied}
    assert [
        (name, told[0], told[2]) for name, told in broken.items() if (told[0], told[2]) != (Fault.MODEL, None)
    ] == []
    assert [name for name, told in broken.items() if KEY in told[1]] == []


def test_odd_replies_break_their_attempts_only_and_our_key_is_in_no_file(tmp_path, run_suite, capfd):
    names = (*WORKS - {"fine_tool"}, "no_choices", "huge_reply", "half_json", "echoes_the_key")
    tasks = [Task(id=name, question=f"Please behave like {name}.", guidelines="an integer") for name in names]
    golds = [Gold(task_id=name, answer="42") for name in names]
    suite = Suite.write(tmp_path / "odd", SuiteInfo(name="odd"), tasks, golds=golds)
    outcome = run_suite(suite, "react", models=named("any"), **{**QUICK, "selection": Selection()})
    ended = {attempt.task_id: attempt for attempt in outcome.folder.attempts().values()}
    assert set(ended) == set(names)
    answered = {name for name, attempt in ended.items() if attempt.answer == "42"}
    assert answered == WORKS - {"fine_tool"}
    assert {ended[name].ending.fault for name in set(names) - answered} == {Fault.MODEL}
    assert {name for name, attempt in ended.items() if attempt.usage.uncounted_calls} == UNCOUNTED
    assert all(ended[name].usage.cost_usd is None for name in UNCOUNTED)
    assert outcome.folder.spend().uncounted == len(UNCOUNTED)
    assert "tokens of unknown price + 3 replies without usage, cost unknown" in capfd.readouterr().err
    assert traces_of(KEY, outcome.folder.path) == set()


def test_a_key_given_as_an_argument_works_and_is_in_no_file_of_the_run(suite, run_suite, server, monkeypatch, capfd):
    """The server says the key back in a reply and in an error; the control is that it is there when nobody hides it."""
    monkeypatch.delenv("ODD_API_KEY")
    arguments = {"api_key": KEY, "default_headers": f'{{"x-auth": "Bearer {KEY}"}}'}
    request = {**QUICK, "model_args": {"api_key": KEY, "organization": KEY}}
    outcome = run_suite(suite, "react", models=named("key_in_the_reply", "echoes_the_key"), **request)
    assert sorted(attempt.ending.kind for attempt in outcome.folder.attempts().values()) == ["answered", "broke"]
    assert traces_of(KEY, outcome.folder.path) == set()
    assert KEY not in "".join(capfd.readouterr())
    assert traces_of("[secret]", outcome.folder.path) >= {".toml", ".eval", ".jsonl"}
    assert all(is_secret(name, value) for name, value in arguments.items())
    from benchwright.live.planning import again

    with pytest.raises(InputError, match="was not written down"):
        model_of(outcome.folder.spec.cells[0], again(RunFolder.open(outcome.folder.path), "broke", 1.0))
    spec = again(RunFolder.open(outcome.folder.path), "broke", 1.0, {"api_key": KEY, "organization": KEY})
    assert model_of(spec.cells[0], spec).api.api_key == KEY


@pytest.mark.parametrize(
    ("name", "kind", "said"),
    [
        ("bad_key", EnvironmentFault, "the key for model openai-api/odd/bad_key is refused"),
        ("forbidden", EnvironmentFault, "is refused"),
        ("no_money", EnvironmentFault, "nothing left"),
        ("no_quota", EnvironmentFault, "nothing left"),
        ("no_such_model", InputError, "there is no model openai-api/odd/no_such_model"),
        ("bad_model_name", InputError, "there is no model"),
        ("wrong_address", InputError, "there is no model"),
    ],
)
def test_settings_with_which_no_attempt_can_succeed_end_the_run_at_once(
    suite, run_suite, server, tmp_path, name, kind, said
):
    assert name in REFUSALS
    server.calls.clear()
    request = {**QUICK, "selection": Selection(), "max_parallel": 1, "epochs": 4}
    with pytest.raises(kind, match=said) as raised:
        run_suite(suite, "react", models=named(name), **request)
    assert KEY not in str(raised.value)
    assert len(server.calls) <= 3  # of twelve attempts: one, which the client may have tried again
    assert RunFolder.open(tmp_path / "run").attempts() == {}
    assert traces_of(KEY, tmp_path / "run") == set()


def test_a_refused_key_loses_nothing_that_is_done_and_a_good_one_goes_on(suite, run_suite, tmp_path, server):
    request = {**QUICK, "selection": Selection(), "max_parallel": 1}
    models = named("fine", "bad_key")
    with pytest.raises(EnvironmentFault, match="refused"):
        run_suite(suite, "react", models=models, **request)
    REFUSALS["bad_key"], before = JSON["fine"], REFUSALS["bad_key"]
    try:
        outcome = run_suite(suite, "react", models=models, **request)
    finally:
        REFUSALS["bad_key"] = before
    assert outcome.done == 6
    recorded = [event["attempt"]["uuid"] for event in outcome.folder.events("attempt")]
    assert len(recorded) == len(set(recorded)) == 6


def test_a_budget_in_dollars_says_that_it_cannot_be_held_where_replies_do_not_say_their_tokens(
    suite, run_suite, tmp_path, monkeypatch, toolbox
):
    priced(tmp_path, monkeypatch, toolbox, "openai-api/odd/no_usage")
    request = {**QUICK, "selection": Selection(), "max_parallel": 1}
    outcome = run_suite(suite, "react", models=named("no_usage"), budget_usd=5.0, **request)
    assert "the budget of $5 cannot be held" in outcome.stopped
    assert "reply without its usage" in outcome.stopped
    assert outcome.done < 3
    outcome = run_suite(suite, "react", models=named("no_usage"), **request)
    assert (outcome.done, outcome.stopped) == (3, "")
    assert all(attempt.usage.cost_usd is None for attempt in outcome.folder.attempts().values())


def test_an_attempts_limit_in_dollars_holds_and_breaks_where_it_cannot(
    suite, run_suite, tmp_path, monkeypatch, toolbox
):
    priced(tmp_path, monkeypatch, toolbox, "openai-api/odd/fine", "openai-api/odd/no_usage")
    limits = {"cost_usd": 4.0}
    outcome = run_suite(suite, "react", models=named("fine", "no_usage"), limits=limits, **QUICK)
    ended = {outcome.folder.spec.cells[0].id == key.cell: made for key, made in outcome.folder.attempts().items()}
    costly, uncounted = ended[True], ended[False]
    assert (costly.ending.kind, costly.ending.which) == ("limit", "cost")
    assert costly.usage.cost_usd == pytest.approx(5.0)
    assert (uncounted.ending.kind, uncounted.ending.fault) == ("broke", Fault.MODEL)
    assert "without its usage" in uncounted.ending.detail
    control = run_suite(
        suite, "react", models=named("fine"), limits={"cost_usd": 9.0}, out=tmp_path / "control", **QUICK
    )
    assert next(iter(control.folder.attempts().values())).answer == "42"


def test_an_attempts_limit_in_dollars_needs_a_known_price(suite, run_suite):
    with pytest.raises(InputError, match="limit of \\$4 cannot be kept: no price is known for openai-api/odd/fine"):
        run_suite(suite, "react", models=named("fine"), limits={"cost_usd": 4.0}, **QUICK)


def priced(tmp_path, monkeypatch, toolbox, *models):
    """Prices of a dollar a token of input, for as long as the test runs."""
    from benchwright.live.usage import prices

    home = tmp_path / "home"
    home.mkdir()
    (home / "toolbox").symlink_to(toolbox.parent)
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(home))
    table = "".join(f"[models.{json.dumps(model)}]\ninput = 1000000.0\noutput = 0.0\n" for model in models)
    (home / "prices.toml").write_text(table)
    prices.cache_clear()


@pytest.fixture(autouse=True)
def fresh_prices():
    from benchwright.live.usage import prices

    yield
    prices.cache_clear()
