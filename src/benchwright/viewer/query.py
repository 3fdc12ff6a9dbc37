"""What a reader asks of the table of attempts: filters, an order and a page; answered without looking at the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlencode

if TYPE_CHECKING:
    import polars as pl

PAGE = 50
"""Attempts on a page."""
VERDICT_WORDS = ("right", "partly", "wrong", "none")
COLUMNS = {
    "run": "run",
    "agent": "title",
    "task": "task_id",
    "epoch": "epoch",
    "sound": "sound",
    "reference": "reference",
    "discovery": "discovery",
    "ending": "ending",
    "failure": "failure",
    "steps": "steps",
    "tokens": "tokens",
    "cost": "cost_usd",
    "seconds": "seconds",
    "began": "started",
}
"""What may be sorted by, and the column that this is."""
_TIES = ("run", "title", "task_id", "epoch")
_SEARCHED = ("task_id", "title", "answer", "ending", "failure", "model")
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Query:
    """Filters (empty: any), the column to sort by, and the page (from 1)."""

    run: str = ""
    agent: str = ""
    task: str = ""
    ending: str = ""
    failure: str = ""
    verdict: str = ""
    text: str = ""
    sort: str = "began"
    order: Literal["up", "down"] = "up"
    page: int = 1

    @classmethod
    def read(cls, given: Mapping[str, str]) -> Query:
        """The query of an address; what makes no sense in it is as if it were not there."""
        texts = {name: given.get(name, "")[:_LONGEST] for name in ("run", "agent", "task", "ending", "failure", "text")}
        page = given.get("page", "1")
        return cls(
            **texts,
            verdict=given["verdict"] if given.get("verdict") in VERDICT_WORDS else "",
            sort=given["sort"] if given.get("sort") in COLUMNS else "began",
            order="down" if given.get("order") == "down" else "up",
            page=max(1, int(page)) if page.isascii() and page.isdigit() and len(page) < 9 else 1,
        )

    def address(self, **changed: Any) -> str:
        """The address of this query with some of it changed; what is not asked is left out."""
        asked = replace(self, **changed)
        plain = Query()
        values = {name: getattr(asked, name) for name in Query.__slots__}
        kept = {name: value for name, value in values.items() if value != getattr(plain, name)}
        return "/attempts" + (f"?{urlencode(kept)}" if kept else "")

    def sorted_by(self, name: str) -> str:
        """The address of the same list sorted by a column: the other way round where it is sorted by that already."""
        return self.address(sort=name, order="down" if self.sort == name and self.order == "up" else "up", page=1)


@dataclass(frozen=True, slots=True)
class Found:
    """One page of what a query found: rows as plain values, how many there are in all, and on how many pages."""

    rows: list[dict[str, Any]]
    total: int
    pages: int
    page: int


def find(rows: pl.DataFrame, query: Query) -> Found:
    """Answer a query over attempts of all runs."""
    import polars as pl

    matching = rows.lazy()
    for condition in _conditions(query):
        matching = matching.filter(condition)
    column = COLUMNS[query.sort]
    keys = [column, *(name for name in _TIES if name != column)]
    falling = [query.order == "down", *(False for _ in keys[1:])]
    places = matching.select(pl.col("row"), *keys).collect()
    total = places.height
    pages = max(1, -(-total // PAGE))
    page = min(query.page, pages)
    ordered = places.sort(keys, descending=falling, nulls_last=True)["row"].slice((page - 1) * PAGE, PAGE)
    return Found(rows[ordered].to_dicts(), total, pages, page)


def _conditions(query: Query) -> list[pl.Expr]:
    import polars as pl

    exact = {"run": query.run, "title": query.agent, "task_id": query.task, "failure": query.failure}
    found = [pl.col(name) == value for name, value in exact.items() if value]
    if query.ending:
        found.append((pl.col("ending") == query.ending) | pl.col("ending").str.starts_with(f"{query.ending}:"))
    if query.verdict:
        found.append(_verdict(query.verdict))
    for word in query.text.lower().split():
        texts = [
            pl.col(name).str.to_lowercase().str.contains(word, literal=True).fill_null(False) for name in _SEARCHED
        ]
        found.append(pl.any_horizontal(*texts))
    return found


def _verdict(word: str) -> pl.Expr:
    import polars as pl

    sound = pl.col("sound")
    words = {"right": sound == 1, "wrong": sound == 0, "partly": (sound > 0) & (sound < 1), "none": sound.is_null()}
    return words[word]
