"""The warm Python of a room, as it runs in the sandbox: each program in a fork of its own, beside loaded libraries.

This text is given to a sandbox's persistent Python. Nothing here is trusted: programs run with the same rights.
"""

from __future__ import annotations

import importlib
import os
import shutil
import sys
import traceback
from collections import Counter
from contextlib import suppress
from functools import wraps
from typing import Any

_WORKSPACE = "/workspace"


class FailedError(Exception):
    """A program failed; what it said of that is on stderr already."""

    def _render_traceback_(self) -> list[str]:
        """IPython shows these lines."""
        return []


def warm() -> None:
    """Load what programs load, once; what is missing they will miss themselves."""
    for name in ("numpy", "pandas", "scipy.stats", "sklearn.linear_model"):
        with suppress(ImportError):
            importlib.import_module(name)


def run(code: str, *, ties: str = "first") -> None:
    """Run one program in an empty workspace; raises where it fails.

    `ties` "last": where several are equally large, what takes the first of them by chance of order takes the last.
    """
    for entry in os.scandir(_WORKSPACE):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path)
        else:
            os.unlink(entry.path)
    child = os.fork()
    if not child:
        os._exit(_program(code, ties))
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
        raise FailedError


def _program(code: str, ties: str) -> int:
    """The program's exit code."""
    status: object = 1
    given: dict[str, Any] = {"__name__": "__main__"}
    try:
        if ties == "last":
            given |= ties_last()
        os.chdir(_WORKSPACE)
        sys.argv = ["-"]
        exec(compile(code, "<stdin>", "exec"), given)  # noqa: S102 - inside the sandbox
        status = 0
    except SystemExit as ended:
        status = ended.code
    except BaseException:  # noqa: BLE001 - whatever the program raises is told as Python tells it
        traceback.print_exc()
    with suppress(BaseException):
        sys.stdout.flush()
        sys.stderr.flush()
    return 0 if status in (0, None) else 1


def ties_last() -> dict[str, Any]:
    """Let pandas and counters take the last among equals, and give names that make a program's own max and min do so.

    A sort that is asked to be stable keeps the order of the file on purpose, and is left as it is.
    """
    Counter.most_common = _most_common  # type: ignore[method-assign]  # for this process alone
    with suppress(ImportError):
        import pandas as pd

        for name in ("nlargest", "nsmallest"):
            setattr(pd.Series, name, _reversed(getattr(pd.Series, name)))
            setattr(pd.DataFrame, name, _most(pd.DataFrame.sort_values, ascending=name == "nsmallest"))
        pd.Series.value_counts = _counting(pd.Series.value_counts, pd.Series.sort_values)
        for kind in (pd.Series, pd.DataFrame):
            for name in ("idxmax", "idxmin"):
                setattr(kind, name, _reversed(getattr(kind, name)))
            kind.sort_values = _sorting(kind.sort_values)
        pd.Series.mode = _modes(pd.Series.mode)
    return {"max": _builtin(max), "min": _builtin(min)}


def _most_common(self: Counter[Any], n: int | None = None) -> list[tuple[Any, int]]:
    pairs = list(reversed(self.items()))
    return sorted(pairs, key=lambda pair: pair[1], reverse=True)[:n]


def _builtin(original: Any) -> Any:
    @wraps(original)
    def last(*items: Any, **options: Any) -> Any:
        return original(reversed(list(items[0] if len(items) == 1 else items)), **options)

    return last


def _reversed(original: Any) -> Any:
    @wraps(original)
    def last(self: Any, *given: Any, **options: Any) -> Any:
        across = options.get("axis") in (1, "columns") and self.ndim == 2
        return original(self.iloc[:, ::-1] if across else self.iloc[::-1], *given, **options)

    return last


def _sorting(original: Any) -> Any:
    @wraps(original)
    def last(self: Any, *given: Any, **options: Any) -> Any:
        if options.get("kind") in ("stable", "mergesort") or options.get("inplace"):
            return original(self, *given, **options)
        return original(self.iloc[::-1], *given, **{**options, "kind": "stable"})

    return last


def _most(sort: Any, *, ascending: bool) -> Any:
    def last(self: Any, n: int, columns: Any, keep: str = "first") -> Any:
        order = self if keep == "last" else self.iloc[::-1]
        return sort(order, columns, ascending=ascending, kind="stable").head(n)

    return last


def _counting(original: Any, sort: Any) -> Any:
    @wraps(original)
    def last(self: Any, *given: Any, **options: Any) -> Any:
        if given or not options.get("sort", True):
            return original(self, *given, **options)
        counts = original(self, **{**options, "sort": False})
        return sort(counts.iloc[::-1], ascending=options.get("ascending", False), kind="stable")

    return last


def _modes(original: Any) -> Any:
    @wraps(original)
    def last(self: Any, *given: Any, **options: Any) -> Any:
        return original(self, *given, **options).iloc[::-1].reset_index(drop=True)

    return last
