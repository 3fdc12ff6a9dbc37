"""Writes a suite in the layout of a data set: a card, Parquet tables for readers, and the suite folder itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchwright.errors import InputError
from benchwright.files import write_atomic
from benchwright.publishing.hugging_face.card import card
from benchwright.suite import Suite
from benchwright.suites.copying import SuiteCopy, write_copy
from benchwright.suites.staging import staged

TABLES = "parquet"
"""The folder of the tables: <config>/<split>.parquet."""


def export_hugging_face(suite: Suite, out: Path, *, gold: bool, data: bool = True) -> SuiteCopy:
    """Write the suite to `out`, an earlier one there making way; without `gold` nothing of it is in any file.

    `data` whether the rooms come along. Raises InputError where gold is asked for and withheld here.
    """
    if gold and not suite.has_gold:
        raise InputError(f"suite {suite.name} holds no gold", hint="leave out --with-gold")
    with staged(out) as folder:
        copied = write_copy(suite, suite.tasks.values(), folder, gold=gold, rooms=None if data else ())
        tables = {"tasks": _by_split(suite, list(_task_rows(suite)))}
        if gold:
            tables["gold"] = _by_split(suite, list(_gold_rows(suite)))
        for config, splits in tables.items():
            for split, rows in splits.items():
                _write_table(folder / TABLES / config / f"{split}.parquet", rows)
        splits_of = {config: tuple(splits) for config, splits in tables.items()}
        write_atomic(folder / "README.md", card(copied, splits_of, gold=gold, data=data))
    return SuiteCopy(Suite.open(out), copied.files, copied.bytes)


def _by_split(suite: Suite, rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """`test` is the whole suite; each other subset is a split of its own, whose rows are in `test` as well."""
    named = {"test" if name == "full" else name.replace("-", "_"): set(suite.subset(name)) for name in suite.subsets}
    return {split: [row for row in rows if row["id"] in ids] for split, ids in named.items()}


def _task_rows(suite: Suite) -> Iterator[dict[str, Any]]:
    for task in suite.tasks.values():
        label = suite.label(task.id)
        yield {
            "id": task.id,
            "question": task.question,
            "guidelines": task.guidelines,
            "rooms": [mount.room for mount in task.data],
            "outputs": [f"{output.kind}: {output.name}" for output in task.outputs],
            "domain": label.domain,
            "categories": list(label.categories),
            "skills": list(label.skills),
            "difficulty": label.difficulty,
            "answer_type": label.answer_type,
            "dataset": label.dataset,
            "subsets": list(label.subsets),
        }


def _gold_rows(suite: Suite) -> Iterator[dict[str, Any]]:
    for name, gold in suite.golds.items():
        yield {
            "id": name,
            "answer": gold.answer,
            "alternatives": list(gold.alternatives),
            "scorers": [check.scorer for check in gold.checks],
            "files": list(gold.files),
            "required_files": [file.path for file in gold.required_files],
            "required_files_status": gold.required_files_status,
            "solution": gold.solution.code if gold.solution else None,
        }


def _write_table(path: Path, rows: list[dict[str, Any]]) -> None:
    import polars as pl

    lists = {
        "rooms",
        "outputs",
        "categories",
        "skills",
        "subsets",
        "alternatives",
        "scorers",
        "files",
        "required_files",
    }
    names = list(rows[0]) if rows else ["id"]
    schema = {name: pl.List(pl.String) if name in lists else pl.String() for name in names}
    path.parent.mkdir(parents=True, exist_ok=True)
    pl.DataFrame(rows, schema=schema).write_parquet(path)
