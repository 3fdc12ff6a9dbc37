"""The toolbox: a pinned Python environment with the data stack, mounted read-only into sandboxes."""

from __future__ import annotations

import os
from pathlib import Path

from benchwright.errors import InputError


def folders(root: Path) -> tuple[Path, ...]:
    """The host folders that an environment needs to be visible at their own paths: itself and its base Python."""
    interpreter = root / "bin" / "python"
    if not interpreter.exists():
        raise InputError(f"{root} is no Python environment", expected="bin/python in it")
    base = Path(os.path.realpath(interpreter)).parent.parent
    chain = [root.resolve(), root, base]
    return tuple(dict.fromkeys(folder for folder in chain if not folder.is_relative_to("/usr")))
