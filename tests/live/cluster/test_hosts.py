"""A run over nodes with networks and addresses of their own: one is killed, and the cable of another is pulled."""

import json
from collections.abc import Iterator

import pytest

from .commands import all_end, begun, ended
from .conftest import SUBMIT, free_port, parted
from .hosts import Host, NoHosts, hosts
from .nodes import Nodes, nodes
from .test_ray import keys_of, recorded

pytest.importorskip("ray", reason="needs the extra `cluster`")
pytestmark = pytest.mark.slow


@pytest.fixture
def apart() -> Iterator[tuple[Host, ...]]:
    try:
        with hosts(3) as made:
            yield made
    except NoHosts as error:
        pytest.skip(f"no network namespaces here: {error}")


@pytest.fixture
def spread(apart, tmp_path_factory) -> Iterator[Nodes]:
    with nodes(tmp_path_factory.mktemp("apart"), (1, 1, 1), free_port(), places=apart) as made:
        yield made


def test_a_killed_host_and_one_that_is_cut_off_lose_nothing_and_nothing_counts_twice(spread, apart, tmp_path):
    suite = parted(tmp_path / "suite")
    (tmp_path / "script.jsonl").write_text(json.dumps({**SUBMIT, "seconds": 1.0}) + "\n")
    play = ("run", suite.folder, "--agent", "react", "--epochs", 4, "--max-parallel", 3, "--json")
    model = ("--model", f"scripted/{tmp_path}/script.jsonl", "--out", tmp_path / "out", "--ray", spread.address)
    process = begun(*play, *model, inside=apart[0].inside)
    recorded("out/parts/*/events.jsonl", tmp_path, 3)
    cut_off = spread.parts(2)
    apart[2].unplug()
    killed = spread.kill(1)
    out, said = ended(process)
    assert (json.loads(out)["done"], json.loads(out)["planned"]) == (24, 24)
    assert (len(keys_of(tmp_path / "out")), set(keys_of(tmp_path / "out").values())) == (24, {1})
    assert "attempts go to others" in said
    assert all_end(*killed, *cut_off)
