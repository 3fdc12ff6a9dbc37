"""Runs at the start of every Python of a sandbox: waits for plotting libraries and hooks on when one is imported."""

from __future__ import annotations

import contextlib
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

_WATCHED = {
    "matplotlib.backend_bases": "saving",
    "matplotlib.axes._axes": "plotting",
    "mpl_toolkits.mplot3d.axes3d": "plotting_3d",
    "plotly.io._kaleido": "plotly",
    "plotly.io._orca": "plotly",
    "plotly.io._html": "plotly",
    "plotly.io._json": "plotly",
    "kaleido": "kaleido",
}
"""Modules, and which hook of ours goes on them once they are loaded."""


class _Loader(importlib.abc.Loader):
    """Loads a module as its own loader would, then hooks on."""

    def __init__(self, inner: Any, hook: str) -> None:
        self.inner, self.hook = inner, hook

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        """The module before it runs."""
        made: ModuleType | None = self.inner.create_module(spec)
        return made

    def exec_module(self, module: ModuleType) -> None:
        """Run the module; what goes wrong with the hook is nobody's concern but ours."""
        self.inner.exec_module(module)
        with contextlib.suppress(Exception):  # an agent's program must run as it would without us
            from benchwright_charts import hooks  # by its name inside

            getattr(hooks, self.hook)(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the watched modules where all others would, and wraps their loaders."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of a watched module; None for any other."""
        if name not in _WATCHED:
            return None
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None and spec.loader is not None:
                spec.loader = _Loader(spec.loader, _WATCHED[name])
                return spec
        return None


sys.meta_path.insert(0, _Finder())
