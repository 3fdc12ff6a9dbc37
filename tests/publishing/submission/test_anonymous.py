"""An anonymous entry tells nothing of its makers, agent or model, in any form that a board has, until it is revealed."""

import json
import re

import pytest
from tests.publishing.submission.test_leaderboard_folder import asked

from benchwright.publishing.leaderboard.entries import Board
from benchwright.publishing.leaderboard.repository import Leaderboard
from benchwright.publishing.submission import About, make, write

WORDS = {
    "method": "Tellingname",
    "model": "Tellingmodel",
    "organization": "Tellingmakers",
    "contact": "telling@example.org",
    "paper": "https://example.org/telling",
    "code": "https://example.org/telling-code",
    "notes": "telling notes",
}
TELLING = re.compile("telling|submitted|react|scripted", re.IGNORECASE)
"""What the submission is called, who made it, and the agent and the model of its run."""


@pytest.fixture
def board(suite, run, tmp_path):
    """A leaderboard with one submission, known by an id that names its method, beside a claim of the same numbers."""
    folder = tmp_path / "board"
    asked("init", folder, "--suite", suite.folder, "--then", "hard")
    write(make(suite, [run], about=About("tellingname-1", **WORDS)), tmp_path / "mine.zip")
    claim = {"full": {"execution_accuracy": 0.6, "discovery_accuracy": 0.8, "n_tasks": 5}}
    (tmp_path / "other.json").write_text(
        json.dumps({"submission_id": "other", "method": "Other", "model": "m", "results": claim})
    )
    asked("add", tmp_path / "mine.zip", "--to", folder, "--suite", suite.folder)
    asked("add", tmp_path / "other.json", "--to", folder)
    return folder


def shown(board, out):
    """Everything that a board shows: tables, JSON, and every file of its site."""
    asked("site", board, "--out", out)
    files = [path for path in out.rglob("*") if path.is_file()]
    texts = [path.read_bytes().decode("utf-8", "replace") for path in files]
    names = [str(path.relative_to(out)) for path in files]
    return "\n".join([asked("rank", board).stdout, asked("rank", board, "--json").stdout, *texts, *names])


def test_a_hidden_entry_tells_nothing_and_a_revealed_one_tells_all(board, tmp_path):
    assert set(TELLING.findall(shown(board, tmp_path / "open"))) >= {"Telling", "telling"}  # the search can find it
    asked("hide", board, "tellingname-1")
    hidden = shown(board, tmp_path / "hidden")
    assert TELLING.findall(hidden) == []
    (alias,) = Leaderboard.open(board).board.anonymous.values()
    assert alias in hidden
    ranked = json.loads(asked("rank", board, "--json").stdout)
    (entry,) = (entry for entry in ranked["entries"] if entry["submission_id"] == alias)
    assert (entry["cost_usd"], entry["tokens"], entry["status"]) == (None, None, "verified")
    assert entry["results"]["full"]["n_correct"] == 3
    asked("withdraw", board, "tellingname-1", "--reason", "for a while")
    assert TELLING.findall(shown(board, tmp_path / "withdrawn")) == []
    asked("reveal", board, "tellingname-1")
    assert "Tellingname" in shown(board, tmp_path / "revealed")


def test_hidden_again_it_keeps_no_name_that_was_seen_beside_its_own(board):
    asked("hide", board, "tellingname-1")
    first = Leaderboard.open(board).board.anonymous["tellingname-1"]
    asked("hide", board, "tellingname-1")
    assert Leaderboard.open(board).board.anonymous["tellingname-1"] == first
    asked("reveal", board, "tellingname-1")
    asked("hide", board, "tellingname-1")
    assert Leaderboard.open(board).board.anonymous["tellingname-1"] != first


def test_a_submission_that_is_made_anonymous_is_hidden_by_boards_and_has_an_id_that_names_nothing(suite, run, tmp_path):
    made = make(suite, [run], about=About(anonymous=True))
    assert made.id == f"anonymous-{made.manifest.predictions.sha256[:12]}"
    write(made, tmp_path / "mine.zip")
    asked("init", tmp_path / "board", "--suite", suite.folder)
    assert "send it to keepers" in asked("add", tmp_path / "mine.zip", "--to", tmp_path / "board").stderr
    assert TELLING.findall(shown(tmp_path / "board", tmp_path / "site")) == []
    asked("reveal", tmp_path / "board", made.id)
    assert "scripted/submitted" in shown(tmp_path / "board", tmp_path / "revealed")


def test_a_list_of_anonymous_ids_is_numbered():
    assert Board.from_json({"anonymous": ["b", "a"]}, "x").anonymous == {"b": "anonymous-1", "a": "anonymous-2"}
