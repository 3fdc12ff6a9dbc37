"""A new leaderboard: settings from a suite, a page that says how to hand in, and the workflows of its repository."""

from __future__ import annotations

from pathlib import Path
from string import Template

from benchwright.errors import InputError
from benchwright.files import write_atomic
from benchwright.publishing.leaderboard.entries import Board
from benchwright.publishing.leaderboard.repository import SUBMISSIONS, Leaderboard
from benchwright.suite import Suite

_SHIPPED = Path(__file__).parent / "template"
_WORKFLOWS = ("check.yml", "pages.yml")


def start(folder: Path, suite: Suite, board: Board) -> Leaderboard:
    """Make the folder. Errors: InputError where the suite has no such subset, or a leaderboard is there already."""
    if missing := sorted({board.subset, *board.then} - set(suite.subsets)):
        raise InputError(f"suite {suite.name} has no subset {missing[0]!r}", expected=", ".join(suite.subsets))
    told = board.model_copy(
        update={
            "title": board.title or suite.info.title or suite.name,
            "suite": suite.name,
            "release": suite.info.release,
            "digest": suite.digest,
            "sizes": {name: len(suite.subset(name)) for name in suite.subsets},
        }
    )
    made = Leaderboard.create(folder, told)
    for name in _WORKFLOWS:
        write_atomic(folder / ".github" / "workflows" / name, (_SHIPPED / name).read_bytes())
    write_atomic(folder / SUBMISSIONS / ".gitkeep", "")
    write_atomic(folder / "README.md", _page(told))
    return made


def _page(board: Board) -> str:
    words = {
        "title": board.title,
        "suite": board.suite,
        "release": board.release,
        "subset": board.subset,
        "subsets": ", ".join(f"`{name}`: {size} tasks" for name, size in board.sizes.items()),
    }
    return Template((_SHIPPED / "page.md").read_text(encoding="utf-8")).substitute(words)
