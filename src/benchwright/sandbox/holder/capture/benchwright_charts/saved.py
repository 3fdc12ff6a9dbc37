"""Where a description goes when a picture is saved, and what surrounds it."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import weakref
from typing import Any

FORMAT = "benchwright chart 1"
_LIBRARIES = ("matplotlib", "numpy", "pandas", "seaborn", "plotly")
_LARGEST_PICTURE = 64 << 20
_LONGEST = 16 << 20


class _Saving:
    """Whether a picture is being written right now: libraries call their own functions."""

    def __init__(self) -> None:
        self.depth = 0

    @property
    def inside(self) -> bool:
        return self.depth > 0

    def __enter__(self) -> None:
        self.depth += 1

    def __exit__(self, *_: object) -> None:
        self.depth -= 1


SAVING = _Saving()
_LAST: dict[str, tuple[Any, dict[str, str]]] = {}
"""By description file: the figure it was last written for, and its pictures."""


def describe(canvas: Any, file: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> None:
    """Write the description of a figure of matplotlib that was just written to `file`."""
    path = picture_path(file)
    if path is None:
        return
    if not os.path.splitext(path)[1]:
        kind = options.get("format") or canvas.get_default_filetype()
        path = f"{path.rstrip('.')}.{kind}"

    def content() -> dict[str, Any]:
        from . import figures

        dpi = options.get("dpi", arguments[0] if arguments else None)
        return figures.described(canvas.figure, dpi, options)

    write(path, canvas.figure, content)


def picture_path(file: Any) -> str | None:
    """The file that was written; None for one in memory or a stream."""
    if isinstance(file, (str, os.PathLike)):
        return os.path.abspath(os.fsdecode(file))
    name = getattr(file, "name", None)
    if hasattr(file, "flush"):
        file.flush()
    return os.path.abspath(name) if isinstance(name, str) and os.path.isfile(name) else None


def write(path: str, figure: Any, content: Any) -> None:
    """Write `content()` beside the picture; where that fails, a description that says so."""
    target = f"{os.path.splitext(path)[0]}.chart.json"
    head = {
        "format": FORMAT,
        "pictures": _pictures(target, path, figure),
        "libraries": {
            name: str(getattr(sys.modules[name], "__version__", "")) for name in _LIBRARIES if name in sys.modules
        },
    }
    try:
        text = json.dumps({**head, **content()}, ensure_ascii=False, allow_nan=False)
        if len(text) > _LONGEST:
            text = json.dumps({**head, "failed": f"the description has {len(text)} characters"})
    except Exception as error:  # noqa: BLE001 - the description says what failed
        text = json.dumps({**head, "failed": f"{type(error).__name__}: {error}"[:500]})
    temporary = f"{target}.{os.getpid()}"
    with open(temporary, "w", encoding="utf-8", errors="replace") as stream:
        stream.write(text)
    os.replace(temporary, target)


def _pictures(target: str, path: str, figure: Any) -> dict[str, str]:
    """Names and hashes of the pictures that one figure was written to under one stem."""
    known, pictures = _LAST.get(target, (None, {}))
    if known is None or known() is not figure:
        pictures = {}
    pictures[os.path.basename(path)] = _sha256(path)
    _LAST[target] = (_reference(figure), pictures)
    return pictures


def _reference(figure: Any) -> Any:
    try:
        return weakref.ref(figure)
    except TypeError:  # a plain dict, which plotly takes for a figure
        return None


def _sha256(path: str) -> str:
    if os.path.getsize(path) > _LARGEST_PICTURE:
        return ""
    with open(path, "rb") as stream:
        return hashlib.sha256(stream.read()).hexdigest()
