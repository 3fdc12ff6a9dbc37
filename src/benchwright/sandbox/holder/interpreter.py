"""The persistent Python of an attempt: IPython without a terminal, code in on descriptor 3, a verdict out on 4.

This file runs with the toolbox's own Python inside the sandbox, next to the agent's code; nothing here is trusted.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import Any, BinaryIO


def _shell() -> Any:
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    settings = Config()
    settings.HistoryManager.enabled = False
    settings.InteractiveShell.colors = "NoColor"
    settings.InteractiveShell.autocall = 0
    settings.InteractiveShell.xmode = "Context"
    shell = InteractiveShell.instance(config=settings)
    shell._showtraceback = lambda _kind, _error, lines: print("\n".join(lines), file=sys.stderr)  # noqa: SLF001, T201 - IPython's documented place to override
    shell.displayhook.write_output_prompt = lambda: None
    shell.system = shell.system_raw  # the other ways need a terminal
    shell.getoutput = _lines_of
    return shell


def _lines_of(command: str, *_rest: Any, **_options: Any) -> Any:
    from IPython.utils.text import SList

    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)  # noqa: S602 - `x = !command`
    return SList((done.stdout + done.stderr).splitlines())


def _run(shell: Any, code: str) -> bool:
    """Run one cell; what it shows goes to stdout, a traceback to stderr."""
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # from here on, an interrupt may come
        return bool(shell.run_cell(code, store_history=True).success)
    except KeyboardInterrupt:
        sys.stderr.write("KeyboardInterrupt\n")
        return False
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        for stream in (sys.stdout, sys.stderr):
            stream.flush()


def _next(requests: BinaryIO) -> str | None:
    size = requests.readline()
    return requests.read(int(size)).decode("utf-8", "surrogateescape") if size else None


def main() -> None:
    """Serve cells until the other side closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.set_inheritable(3, False)
    os.set_inheritable(4, False)
    sys.path[0] = ""
    requests = os.fdopen(3, "rb")
    shell = _shell()
    while (code := _next(requests)) is not None:
        succeeded = _run(shell, code)
        os.write(4, b"0\n" if succeeded else b"1\n")


if __name__ == "__main__":
    main()
