"""The warm Python of a room, as it runs in the sandbox: each program in a fork of its own, beside loaded libraries.

This text is given to a sandbox's persistent Python. Nothing here is trusted: programs run with the same rights.
"""

from __future__ import annotations

import importlib
import os
import shutil
import sys
import traceback
from contextlib import suppress

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


def run(code: str) -> None:
    """Run one program in an empty workspace; raises where it fails."""
    for entry in os.scandir(_WORKSPACE):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path)
        else:
            os.unlink(entry.path)
    child = os.fork()
    if not child:
        os._exit(_program(code))
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
        raise FailedError


def _program(code: str) -> int:
    """The program's exit code."""
    status: object = 1
    try:
        os.chdir(_WORKSPACE)
        sys.argv = ["-"]
        exec(compile(code, "<stdin>", "exec"), {"__name__": "__main__"})  # noqa: S102 - inside the sandbox
        status = 0
    except SystemExit as ended:
        status = ended.code
    except BaseException:  # noqa: BLE001 - whatever the program raises is told as Python tells it
        traceback.print_exc()
    with suppress(BaseException):
        sys.stdout.flush()
        sys.stderr.flush()
    return 0 if status in (0, None) else 1
