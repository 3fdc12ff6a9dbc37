"""The tutorial and the pages that go on from it, command by command as a newcomer types them."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(r"(?:<!-- ([^>]*) -->\n)?^( *)```(\w+)\n(.*?)^\2```", re.MULTILINE | re.DOTALL)
_NOT_RUN = ("needs a key", "serves until Ctrl-C")
"""What a remark before a block says of commands that no test can run; they are parsed with all others."""


def blocks(page: str):
    """The remark, the language and the text of each block of a page."""
    for remark, indent, language, text in _BLOCK.findall((ROOT / "docs" / page).read_text("utf-8")):
        yield remark, language, "".join(line.removeprefix(indent) for line in text.splitlines(keepends=True))


def follow(page: str, folder: Path) -> str:
    """Save the files and run the commands of a page, each of which has to succeed; what they printed."""
    told = ""
    variables = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "COLUMNS": "200"}
    for remark, language, text in blocks(page):
        if remark.startswith("file: "):
            (folder / remark.removeprefix("file: ")).write_text(text)
        elif language == "sh" and remark not in _NOT_RUN:
            done = subprocess.run(
                ["sh", "-eu", "-c", text],
                cwd=folder,
                env=variables,
                capture_output=True,
                text=True,
                timeout=800,
                check=False,
            )
            assert done.returncode == 0, f"{text}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
            told += done.stdout
    return told


@pytest.mark.slow
def test_the_tutorial_and_the_leaderboard_that_follows_it_do_what_they_say(tmp_path, toolbox):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    told = follow("tutorial.md", tmp_path)
    assert {"my_agent.py", "replies.jsonl", "report.html", "mine.zip"} <= {path.name for path in tmp_path.iterdir()}
    run = next(line for line in told.splitlines() if line.strip().startswith("my_agent.py@one_shot"))
    assert run.split()[-5:-1] == ["0", "0.333", "0.333", "1.000"]
    assert "explorer" in (tmp_path / "report.html").read_text()
    ranked = follow("howto-leaderboard.md", tmp_path)
    assert "my_agent.py" in ranked
    assert (tmp_path / "site" / "index.html").is_file()


@pytest.mark.slow
def test_a_suite_of_ones_own_is_made_as_its_page_says(tmp_path, toolbox):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    told = follow("howto-suite.md", tmp_path)
    assert "proved 3, failed 0" in told
    assert (tmp_path / "runs" / "floor" / "run.toml").is_file()


def test_the_scorer_of_its_page_scores():
    from benchwright.gold import Check, Gold
    from benchwright.scorers.base import Expected
    from benchwright.task import Task
    from benchwright.trajectory import Submission

    code = next(text for _, language, text in blocks("howto-scorer.md") if language == "python")
    names: dict = {}
    exec(compile(code, "howto-scorer.md", "exec"), names)
    expected = Expected(Task(id="a", question="?"), Gold(task_id="a", answer="42"), Check(scorer="exactly"), Path())
    scorer = names["Exactly"]()
    assert [scorer.score(Submission(answer=given), expected).value for given in ("42 ", "41", None)] == [1, 0, 0]
