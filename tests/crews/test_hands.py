"""What a node does with what it is sent: our own classes alone, by their names, and errors as text."""

import json

import pytest

from benchwright.crews.hands import Hands, heard, named
from benchwright.errors import InputError
from benchwright.profiles.folders import Look
from benchwright.scoring.workers import Judge


def asked(hand: str, **settings: object) -> Hands:
    return Hands(json.dumps({"hand": hand, "settings": settings, "files": []}))


@pytest.mark.parametrize("hand", ["os:system", "subprocess:Popen", "benchwright_other:Judge", ":print"])
def test_nothing_but_our_own_is_looked_up_by_name(hand):
    answer = json.loads(asked(hand, args="true").do(json.dumps({"text": "x", "files": []})))
    with pytest.raises(InputError, match="Benchwright's own"):
        raise heard(answer)


def test_a_class_of_a_stage_travels_by_its_name(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    settings = {"limits": {}, "bounds": {}, "cache": False}
    hands = asked(named(Look), **settings)
    text = json.dumps({"path": str(tmp_path / "a.csv"), "name": "a.csv"})
    answer = json.loads(hands.do(json.dumps({"text": text, "files": []})))
    hands.close()
    assert json.loads(answer["result"])["path"] == "a.csv"
    assert named(Judge) == "benchwright.scoring.workers:Judge"
