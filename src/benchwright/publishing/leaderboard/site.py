"""A leaderboard as static pages: every value escaped, nothing loaded from elsewhere, readable without a script."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright.errors import InputError
from benchwright.files import write_atomic
from benchwright.publishing.leaderboard.contradictions import Contradiction, contradictions
from benchwright.publishing.leaderboard.document import document
from benchwright.publishing.leaderboard.entries import Entry
from benchwright.publishing.leaderboard.ranking import Ranking, rank, subsets
from benchwright.publishing.leaderboard.repository import SUBMISSIONS, Leaderboard, Unread
from benchwright.publishing.leaderboard.tables import tables
from benchwright.publishing.pages.environment import environment
from benchwright.publishing.report.html import own, policy

if TYPE_CHECKING:
    from collections.abc import Mapping

_MARK = ".benchwright-site"
"""What says that a folder is a site of ours, and may be made anew."""
_STYLES, _SCRIPTS = ("style.css", "leaderboard.css"), ("tables.js",)


def write_pages(leaderboard: Leaderboard, out: Path) -> tuple[int, tuple[Unread, ...]]:
    """Write the site; returns how many pages it has, and which files are no entries.

    Errors: InputError where the folder holds anything but an earlier site.
    """
    if out.is_symlink():
        raise InputError(f"{out} is a link", hint="give the folder itself")
    if out.exists() and (not out.is_dir() or (any(out.iterdir()) and not (out / _MARK).is_file())):
        raise InputError(f"{out} holds other things than a site of ours", hint="give a new folder")
    entries, unread = leaderboard.read()
    odd = contradictions(leaderboard.board, entries)
    rankings = [rank(leaderboard.board, entries, name) for name in subsets(leaderboard.board, entries)]
    out.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
    try:
        count = _write(leaderboard, rankings, odd, made)
        made.chmod(0o755)
        shutil.rmtree(out, ignore_errors=True)
        made.rename(out)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise
    return count, unread


def _write(leaderboard: Leaderboard, rankings: Sequence[Ranking], odd: Sequence[Contradiction], into: Path) -> int:
    count = 0
    offered = frozenset(_offered(leaderboard, rankings[0].entries, into / SUBMISSIONS))
    for name, text in _pages(rankings, odd, offered):
        write_atomic(into / name, text)
        count += name.endswith(".html")
    for name in (".nojekyll", _MARK):
        write_atomic(into / name, "")
    return count


def _offered(leaderboard: Leaderboard, entries: Sequence[Entry], into: Path) -> Iterator[str]:
    """Put submissions beside the pages as they came, for others to score again; folders and anonymous ones are not.

    Of a private board none is: verdicts on single tasks beside predictions would be its golds.
    """
    for entry in () if leaderboard.board.private else entries:
        file = leaderboard.folder / SUBMISSIONS / entry.file
        if entry.file and entry.status != "claim" and file.is_file() and not file.is_symlink():
            into.mkdir(exist_ok=True)
            shutil.copyfile(file, into / file.name)
            yield entry.id


def _pages(
    rankings: Sequence[Ranking], odd: Sequence[Contradiction], offered: frozenset[str]
) -> Iterator[tuple[str, str]]:
    names = {ranking.subset: _name(place, ranking.subset) for place, ranking in enumerate(rankings)}
    for place, ranking in enumerate(rankings):
        shown = odd if place == 0 else ()
        yield names[ranking.subset], _page(ranking, shown, names, offered)
    yield "leaderboard.json", json.dumps(document(rankings[0], odd), ensure_ascii=False, indent=1, allow_nan=False)


def _name(place: int, subset: str) -> str:
    """The file of a subset's page; what could not be a plain name is numbered."""
    if place == 0:
        return "index.html"
    return (
        f"{subset}.html" if subset.isascii() and subset.isidentifier() and subset != "index" else f"subset-{place}.html"
    )


def _page(ranking: Ranking, odd: Sequence[Contradiction], names: Mapping[str, str], offered: frozenset[str]) -> str:
    styles, scripts = [own(name) for name in _STYLES], [own(name) for name in _SCRIPTS]
    page: str = (
        environment()
        .get_template("leaderboard.html")
        .render(
            ranking=ranking,
            tables=tables(ranking, odd),
            names=names,
            offered=offered,
            query=lambda _: "",
            styles=styles,
            scripts=scripts,
            policy=policy(styles, scripts),
        )
    )
    return page
