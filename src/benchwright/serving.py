"""How a program that opens hostile files serves its parent (`process`): jobs in, answers out, within its limits."""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import sys
from collections.abc import Callable
from typing import Any, BinaryIO

from benchwright.files import canonical_json

READY = b'"ready"\n'
_FILE_BYTES = 1 << 30
Tell = Callable[[dict[str, Any]], None]
"""What a job is answered with: one line of JSON at a time."""


def serve(prepare: Callable[[], Callable[[dict[str, Any], Tell], None]], memory_mb: int, seconds: float) -> None:
    """Answer each job of stdin until it ends; what `prepare` makes answers one, within the limits."""
    pipe = _own_stdout()
    answer = prepare()
    limit_memory(memory_mb)
    faulthandler.enable()  # what a dying library was at goes to stderr, where the parent finds it
    pipe.write(READY)
    pipe.flush()

    def tell(line: dict[str, Any]) -> None:
        pipe.write(canonical_json(line).encode("utf-8", "replace") + b"\n")
        pipe.flush()
        # The parent keeps the time; this watch ends a worker whose parent was killed.
        faulthandler.dump_traceback_later(seconds + 10.0, exit=True)

    for line in sys.stdin.buffer:
        answer(json.loads(line), tell)
        faulthandler.cancel_dump_traceback_later()


def limit_memory(memory_mb: int) -> None:
    """Bound the data that this process may hold, and the files it may write.

    RLIMIT_DATA, not RLIMIT_AS: polars and pyarrow reserve address space that they never touch.
    """
    resource.setrlimit(resource.RLIMIT_DATA, (memory_mb << 20, memory_mb << 20))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_FILE_BYTES, _FILE_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _own_stdout() -> BinaryIO:
    """The pipe to the parent; whatever a library prints goes to stderr from now on."""
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return pipe
