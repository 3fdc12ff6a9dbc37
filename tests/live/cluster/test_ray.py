"""A run over a real Ray cluster of two nodes on this machine, one of which is killed on the way."""

import itertools
import json
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from benchwright.files import write_jsonl
from benchwright.run import Attempt, RunFolder
from benchwright.skills.steps import Solution
from benchwright.suite import Suite

from .commands import LONGEST, all_end, begun, ended, killed
from .conftest import free_port, parted, script, served
from .models import SUBMITS, Call, serving
from .nodes import Nodes

pytest.importorskip("ray", reason="needs the extra `cluster`")
pytestmark = [pytest.mark.slow, pytest.mark.chaos]


def over(address: str, suite: Suite, folder: Path, *more: object) -> tuple[object, ...]:
    """A run of four epochs over a cluster, of six attempts at once."""
    play = ("run", suite.folder, "--agent", "react", "--epochs", 4, "--max-parallel", 6, "--json")
    return (*play, "--out", folder / "out", "--ray", address, *more)


PLAYED = ("--model", "openai-api/played/any")


def gated(cluster: Nodes, most: int) -> tuple[threading.Event, Callable[[Call], object], Callable[[list[Call]], bool]]:
    """Replies of a model, so many at once and the others after an event; and whether both nodes wait for one."""
    go, number, waiting = threading.Event(), itertools.count(1), []

    def reply(call: Call) -> object:
        if next(number) > most:
            waiting.append(call.process)
            go.wait()
        return SUBMITS

    def both_wait(_: list[Call]) -> bool:
        return all(any(cluster.holds(node, each) for each in waiting) for node in (0, 1))

    return go, reply, both_wait


def recorded(pattern: str, folder: Path, count: int) -> None:
    """Until parts have recorded so many attempts."""
    deadline = time.monotonic() + LONGEST
    while sum(path.read_text().count('"event":"attempt"') for path in folder.glob(pattern)) < count:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def keys_of(folder: Path) -> Counter[str]:
    attempts = [Attempt.model_validate(event["attempt"]) for event in RunFolder.open(folder).events("attempt")]
    return Counter(str(attempt.key) for attempt in attempts)


def test_a_killed_node_and_a_killed_process_lose_nothing_and_nothing_is_made_twice(cluster, tmp_path):
    suite = parted(tmp_path / "suite")
    arguments = over(cluster.address, suite, tmp_path, *PLAYED)
    go, reply, both_wait = gated(cluster, 9)
    with serving(cluster.port("played"), reply=reply) as model:
        process = begun(*arguments, environment=cluster.keys)
        recorded("out/parts/*/events.jsonl", tmp_path, 9)
        model.wait(both_wait)
        (part, *_) = cluster.parts(0)
        part.kill()
        left = cluster.kill(1)
        assert left
        assert all_end(*left)  # what made attempts has ended with its node
        go.set()
        out, said = ended(process)
    document = json.loads(out)  # Ray's own words are not among it
    assert (document["done"], document["planned"], document["spent"]["tokens"] >= 24 * 8) == (24, 24, True)
    assert set(keys_of(tmp_path / "out").values()) == {1}
    assert len(keys_of(tmp_path / "out")) == 24
    assert "attempts go to others" in said
    assert not (tmp_path / "out" / "parts").exists()
    assert not cluster.parts(0)
    # the same command finds everything done, and needs neither a model nor a cluster for it
    out, _ = ended(begun(*over("127.0.0.1:1", suite, tmp_path, *PLAYED), environment=cluster.keys))
    assert json.loads(out)["done"] == 24


@pytest.mark.parametrize("interrupted", [False, True])
def test_rooms_are_fetched_from_a_store_and_an_ended_command_ends_on_all_nodes_and_goes_on(
    cluster, tmp_path, interrupted
):
    suite = parted(tmp_path / "suite")
    arguments = over(cluster.address, suite, tmp_path, *PLAYED, "--store", f"file://{tmp_path}/store")
    go, reply, both_wait = gated(cluster, 7)
    with serving(cluster.port("played"), reply=reply) as model:
        process = begun(*arguments, environment=cluster.keys)
        recorded("store/*/part-*/events.jsonl", tmp_path, 7)
        model.wait(both_wait)
        parts = cluster.parts(0) + cluster.parts(1)
        if interrupted:
            process.send_signal(signal.SIGINT)
            assert "the same command goes on where this stopped" in ended(process, 130)[1]
            assert len(keys_of(tmp_path / "out")) == 7
        else:
            killed(process)
        assert all_end(*parts)
    go.set()
    with serving(cluster.port("played")) as model:
        out, _ = ended(begun(*arguments, environment=cluster.keys))
    assert (json.loads(out)["done"], len(model.calls)) == (24, 24 - 7)  # what was finished is taken in
    assert (len(keys_of(tmp_path / "out")), set(keys_of(tmp_path / "out").values())) == (24, {1})
    rooms = {path.name for path in (tmp_path / "store" / "rooms").iterdir()}
    assert rooms == {info.sha256 for info in suite.info.rooms.values()}


def test_nodes_without_a_models_key_are_left_out_and_it_is_named(cluster, tmp_path):
    suite, port = parted(tmp_path / "suite"), free_port()
    keys = served("keyed", port)
    model = ("--model", "openai-api/keyed/any", "--ray", cluster.address)
    write_jsonl(tmp_path / "corpus.jsonl", [Solution(id="s", source="test", question="How?", answer="frame.head(3)")])
    _, said = ended(begun("skills", "extract", tmp_path / "corpus.jsonl", *model, "--out", tmp_path / "steps"), 3)
    assert said.count("is left out: model openai-api/keyed/any cannot be used") == 2
    assert "no node of the cluster can do this work" in said
    assert "KEYED_API_KEY" in said
    run = ("run", suite.folder, "--agent", "react", *model, "--out", tmp_path / "out", "--json")
    with cluster.joined_by(2, keys=keys), serving(port) as asked:
        out, said = ended(begun(*run, environment=keys))
    assert json.loads(out)["done"] == 6
    assert said.count("is left out: model openai-api/keyed/any cannot be used") == 2
    assert {call.key for call in asked.calls} == {keys["KEYED_API_KEY"]}
    assert keys["KEYED_API_KEY"] not in said


def test_a_budget_holds_over_all_nodes_and_the_run_goes_on_with_more_money(cluster, tmp_path):
    suite = parted(tmp_path / "suite")
    model = script(tmp_path)
    (tmp_path / "prices.toml").write_text(f'[models."{model}"]\ninput = 100.0\noutput = 0.0\n')  # a cent a call
    paid = ("--model", model, "--prices", tmp_path / "prices.toml", "--calls-per-minute", 600)
    out, _ = ended(begun(*over(cluster.address, suite, tmp_path, *paid, "--budget-usd", 0.12)), 1)
    document = json.loads(out)
    assert "the budget of $0.12 is spent" in document["stopped"]
    assert 0.119 < document["spent"]["usd"] < 0.191  # and the six calls that may be in flight
    assert 1 <= document["done"] < 24
    out, _ = ended(begun(*over(cluster.address, suite, tmp_path, *paid, "--budget-usd", 2)))
    assert (json.loads(out)["done"], len(keys_of(tmp_path / "out"))) == (24, 24)


@pytest.mark.parametrize(
    ("address", "more", "code", "message"),
    [
        ("127.0.0.1:1", ("-M", "api_key=sk-not-a-real-one"), 2, "is secret, and is not sent"),
        ("127.0.0.1:1", (), 3, "no Ray cluster answers"),
        ("nonsense", (), 2, "no address of a cluster: nonsense"),
        ("127.0.0.1:port", (), 2, "no address of a cluster: 127.0.0.1:port"),
        ("127.0.0.1:1", ("--store", "nosuch://x"), 2, "no store can be reached by nosuch://x"),
        ("127.0.0.1:1", ("--store", "/proc/store"), 2, "is no place for a file"),
        ("127.0.0.1:1", ("--store", "/etc/passwd/store"), 3, "the store /etc/passwd/store"),
    ],
)
def test_what_a_cluster_cannot_do_is_said(tmp_path, address, more, code, message):
    suite = parted(tmp_path / "suite")
    _, said = ended(begun(*over(address, suite, tmp_path, "--model", script(tmp_path), *more)), code)
    assert message in said
