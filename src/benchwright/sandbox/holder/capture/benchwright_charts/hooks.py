"""Hooks on plotting libraries: each wraps some of their functions, and none of them can fail their caller."""

from __future__ import annotations

import contextlib
import functools
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

_NOTED = ("bxp", "violin", "hist", "contour", "contourf", "tricontour", "tricontourf")
_NOTED_3D = ("plot_surface", "plot_wireframe", "plot_trisurf", "bar3d", "contour", "contourf")


def quietly(call: Callable[[], None]) -> None:
    """Do something of ours beside the agent's program: whatever goes wrong is dropped."""
    with contextlib.suppress(Exception), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        call()


def saving(module: ModuleType) -> None:
    """Write a description whenever a figure is written to a file."""
    original = module.FigureCanvasBase.print_figure

    @functools.wraps(original)
    def print_figure(self: Any, filename: Any, *arguments: Any, **options: Any) -> Any:
        from . import saved

        with saved.SAVING:
            result = original(self, filename, *arguments, **options)
        if not saved.SAVING.inside:
            quietly(lambda: saved.describe(self, filename, arguments, options))
        return result

    module.FigureCanvasBase.print_figure = print_figure


def plotting(module: ModuleType) -> None:
    """Remember what was handed to functions whose artists no longer tell."""
    for name in _NOTED:
        _note(module.Axes, name)


def plotting_3d(module: ModuleType) -> None:
    """The same in three dimensions."""
    for name in _NOTED_3D:
        _note(module.Axes3D, name)


def _note(owner: Any, name: str) -> None:
    original = getattr(owner, name, None)
    if original is None:
        return

    @functools.wraps(original)
    def noted(self: Any, *arguments: Any, **options: Any) -> Any:
        result = original(self, *arguments, **options)

        def remember() -> None:
            from . import notes

            notes.remember(self, name, arguments, options, result)

        quietly(remember)
        return result

    setattr(owner, name, noted)


def plotly(module: ModuleType) -> None:
    """Write a description whenever a figure of plotly is written to a file, by its own method or by plotly.io."""
    for name in ("write_image", "write_images", "write_html", "write_json"):
        if hasattr(module, name):
            _write(module, name)


def kaleido(module: ModuleType) -> None:
    """The same where the program that draws for plotly is called without it."""
    if hasattr(module, "write_fig_sync"):
        _write(module, "write_fig_sync", "path")


def _write(owner: Any, name: str, place: str = "file") -> None:
    original = getattr(owner, name)

    @functools.wraps(original)
    def written(*arguments: Any, **options: Any) -> Any:
        result = original(*arguments, **options)

        def describe() -> None:
            from . import plotly_figures

            given = dict(zip(("fig", place), arguments, strict=False), **options)
            several = name == "write_images" and isinstance(given["fig"], (list, tuple))
            pairs = zip(given["fig"], given[place], strict=True) if several else [(given["fig"], given[place])]
            for figure, file in pairs:
                plotly_figures.describe(figure, file, options)

        quietly(describe)
        return result

    setattr(owner, name, written)
