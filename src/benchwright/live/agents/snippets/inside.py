"""Runs one query's snippets in one namespace, one after the other, and says what became of `answer`.

This file runs with the toolbox's own Python inside the sandbox, in one process with the agent's code; nothing here is
trusted.
"""

from __future__ import annotations

import contextlib
import io
import json
import linecache
import math
import os
import re
import sys
import textwrap
import traceback
import types
from typing import Any

_ANSWER_CHARACTERS = 60_000
_VALUES, _DEPTH, _ROWS = 20_000, 12, 1000
_MESSAGE, _TRACE = 2000, 4000
_PICTURES, _PICTURE_BYTES = 10, 5 << 20
_DRAWS = re.compile(r"\b(plt|pyplot|matplotlib|sns|seaborn|plot|hist|boxplot)\b")
_MISSING_DATA = ("FileNotFoundError", "NotADirectoryError", "IsADirectoryError", "ColumnNotFoundError")
"""Errors that say that data are not where they were looked for (polars names its own)."""


class Query:
    """One query: its data file, its snippets, and the line that marks what is ours on stdout."""

    def __init__(self, job: dict[str, Any]) -> None:
        self.mark, self.path, self.snippets = job["mark"].encode(), job["path"], job["snippets"]
        self.out, self.printed = os.dup(1), sys.stdout
        self.module = types.ModuleType("__main__")
        self.failures: list[dict[str, Any]] = []
        self.figures: dict[Any, str] = {}

    def run(self) -> None:
        """Load the data, run every snippet, and report; a snippet that fails does not stop those after it."""
        try:
            self._furnish()
        except Exception as error:  # noqa: BLE001 - any reader's error is the data's
            self._say({"unreadable": f"{type(error).__name__}: {error}"[:_MESSAGE]})
            return
        sys.modules["__main__"] = self.module
        for number, code in enumerate(self.snippets, start=1):
            self._say({"step": number})
            try:
                self._snippet(number, code)
            except BaseException as error:  # noqa: BLE001 - whatever the code raises is its own
                self.failures.append(_failure(number, error))
        report: dict[str, Any] = {}
        try:
            report["answer"] = read_answer(self.module.__dict__.get("answer"))
        except BaseException as error:  # noqa: BLE001 - values of the code's own classes may raise anything
            self.failures.append(_failure(len(self.snippets), error))
        self._say({"done": {**report, "failures": self.failures, "pictures": self._pictures()}})

    def _furnish(self) -> None:
        """The names that the code finds: `data`, pandas, numpy and, where it draws, pyplot and seaborn."""
        import numpy as np
        import pandas as pd

        names = {"data": _frame(self.path), "pd": pd, "np": np}
        code = "\n".join(self.snippets)
        if _DRAWS.search(code):
            import matplotlib.pyplot as plt

            plt.show = lambda *_, **__: self._draw()  # a function, whose signature pyplot may set
            names["plt"] = plt
        if re.search(r"\bsns\b", code):
            import seaborn as sns

            names["sns"] = sns
        self.module.__dict__.update(names)

    def _snippet(self, number: int, code: str) -> None:
        sys.stdout = self.printed
        code, name = textwrap.dedent(code), f"<snippet {number}>"
        linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
        try:
            # One dictionary is both globals and locals: functions and comprehensions see what the code has set.
            exec(compile(code, name, "exec"), self.module.__dict__)  # noqa: S102 - running the code is what this is for
        except SystemExit as stop:
            if stop.code not in (None, 0):
                raise
        finally:
            self._draw()

    def _draw(self) -> None:
        """Keep every open figure that has changed since it was last kept."""
        pyplot = sys.modules.get("matplotlib.pyplot")
        if pyplot is None:
            return
        for number in pyplot.get_fignums():
            figure = pyplot.figure(number)
            if figure not in self.figures and (len(self.figures) >= _PICTURES or not figure.get_axes()):
                continue
            name = self.figures.setdefault(figure, _free_name(len(self.figures) + 1))
            if figure.stale or not os.path.exists(name):
                figure.savefig(name, dpi=100)

    def _pictures(self) -> list[str]:
        """The pictures in the working folder, those that the code saved itself included, oldest first."""
        found = []
        with contextlib.suppress(OSError):
            for entry in os.scandir("."):
                known = entry.name.lower().endswith((".png", ".jpg", ".jpeg"))
                if known and entry.is_file(follow_symlinks=False) and 0 < entry.stat().st_size <= _PICTURE_BYTES:
                    found.append((entry.stat().st_mtime_ns, entry.name))
        return [name for _, name in sorted(found)[:_PICTURES]]

    def _say(self, what: dict[str, Any]) -> None:
        """One marked line on stdout, after all that was printed so far; the code may have closed its own stdout."""
        for stream in (self.printed, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        line = b"\n" + self.mark + b" " + json.dumps(what).encode() + b"\n"
        while line:
            line = line[os.write(self.out, line) :]


def _frame(path: str) -> Any:
    import pandas as pd

    name = re.sub(r"\.(gz|bz2|xz|zip|zst)$", "", path.lower())
    kind = name.rpartition(".")[2]
    if kind in ("jsonl", "ndjson"):
        return pd.read_json(path, lines=True)
    if kind == "tsv":
        return pd.read_csv(path, sep="\t")
    readers = {"parquet": pd.read_parquet, "feather": pd.read_feather, "json": pd.read_json}
    readers.update(xlsx=pd.read_excel, xls=pd.read_excel)
    return readers.get(kind, pd.read_csv)(path)


def _failure(number: int, error: BaseException) -> dict[str, Any]:
    """An error as plain text; its own words may be anything, and may themselves fail."""
    try:
        message = str(error)
    except BaseException:  # noqa: BLE001 - the code's own class
        message = ""
    trace = io.StringIO()
    with contextlib.suppress(BaseException):
        traceback.print_exception(error, limit=-8, file=trace)
    return {
        "step": number,
        "type": type(error).__name__[:100],
        "message": message[:_MESSAGE],
        "trace": trace.getvalue()[-_TRACE:],
        "data": _is_about_data(error),
    }


def _is_about_data(error: BaseException) -> bool:
    """Whether data were not found: a file, or a column (a KeyError that pandas raised)."""
    if type(error).__name__ in _MISSING_DATA:
        return True
    frames = traceback.walk_tb(error.__traceback__)
    rooms = {str(frame.f_globals.get("__name__", "")).partition(".")[0] for frame, _ in frames}
    return isinstance(error, KeyError) and "pandas" in rooms


def _free_name(number: int) -> str:
    while os.path.lexists(name := f"plot-{number}.png"):
        number += 1
    return name


def read_answer(value: Any) -> Any:
    """`answer` as {"value": JSON}; {"text": ...} where JSON cannot have it or it is too large; None without one."""
    if value is None:
        return None
    if isinstance(value, str):
        return {"value": value[:_ANSWER_CHARACTERS]}
    if isinstance(value, float) and not math.isfinite(value):
        return {"text": str(value)}
    try:
        plain = _Plain().of(value)
    except OverflowError:
        plain = None
    if plain is None or len(json.dumps(plain)) > _ANSWER_CHARACTERS:
        return {"text": str(value)[:_ANSWER_CHARACTERS]}
    return {"value": plain}


class _Plain:
    """Values of pandas, numpy, polars and the standard library as JSON has them; OverflowError past a bound."""

    def __init__(self) -> None:
        self.seen = 0

    def of(self, value: Any, depth: int = 0) -> Any:
        """One value. Missing ones are null, moments ISO text, tables lists of rows, what is unknown its text."""
        self.seen += 1
        if self.seen > _VALUES or depth > _DEPTH:
            raise OverflowError
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float:
            return value if math.isfinite(value) else None
        if isinstance(value, dict):
            return {self._key(key): self.of(item, depth + 1) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.of(item, depth + 1) for item in value]
        if isinstance(value, (set, frozenset)):
            return [self.of(item, depth + 1) for item in sorted(value, key=str)]
        return self._foreign(value, depth)

    def _foreign(self, value: Any, depth: int) -> Any:
        """A value of a library, known by its kind's name: nothing is imported for it."""
        kind = type(value).__name__
        if kind == "DataFrame":
            return self._table(value, depth)
        if kind == "Series" and hasattr(value, "index"):
            return self._series(value, depth)
        if kind in ("NaTType", "NAType"):
            return None
        return self._simple(value, depth)

    def _simple(self, value: Any, depth: int) -> Any:
        if hasattr(value, "isoformat") and not hasattr(value, "total_seconds"):
            return value.isoformat().removesuffix("T00:00:00")
        if isinstance(value, (int, float)):  # a subclass, such as numpy's or an enumeration's
            return self.of(float(value) if isinstance(value, float) else int(value), depth + 1)
        for way in ("tolist", "to_list", "item"):
            if hasattr(value, way) and (inner := getattr(value, way)()) is not value:
                return self.of(inner, depth + 1)
        return str(value)[:_MESSAGE]

    def _table(self, table: Any, depth: int) -> Any:
        if len(table) > _ROWS:
            raise OverflowError
        if hasattr(table, "to_dicts"):  # polars
            return self.of(table.to_dicts(), depth + 1)
        if not _only_counts(table.index):
            table = table.reset_index()
        names = [self._key(name) for name in table.columns]
        return [dict(zip(names, self.of(list(row), depth + 1))) for row in table.itertuples(index=False, name=None)]  # noqa: B905 - the toolbox's Python may be older than `strict`

    def _series(self, series: Any, depth: int) -> Any:
        if len(series) > _ROWS:
            raise OverflowError
        if _only_counts(series.index):
            return self.of(series.tolist(), depth + 1)
        if series.index.is_unique:
            return {self._key(key): self.of(item, depth + 1) for key, item in series.items()}
        return [[self._key(key), self.of(item, depth + 1)] for key, item in series.items()]

    def _key(self, key: Any) -> str:
        plain = self.of(key, _DEPTH - 2)
        return plain if isinstance(plain, str) else json.dumps(plain)


def _only_counts(index: Any) -> bool:
    """Whether an index is nothing but row numbers: unnamed and whole, whatever rows were left out."""
    return index.name is None and index.nlevels == 1 and index.dtype.kind in "iu"


def main() -> None:
    """Read the job from stdin, run it, and end at once, whatever threads the code has left running."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    sys.path[0:1] = [""]
    Query(json.loads(sys.stdin.buffer.read())).run()
    os._exit(0)


if __name__ == "__main__":
    main()
