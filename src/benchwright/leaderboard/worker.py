"""The program that scores what waits: a child of the server, which ends when the server does, however that ends."""

from __future__ import annotations

import json
import os
import resource
import sys
import threading
import time
import traceback
from pathlib import Path

from sqlalchemy.exc import OperationalError

from benchwright.errors import BenchwrightError, EnvironmentFault
from benchwright.leaderboard import queue
from benchwright.leaderboard.database import Database
from benchwright.leaderboard.judging import judge
from benchwright.leaderboard.limits import Limits
from benchwright.leaderboard.models import FAILED, REFUSED
from benchwright.leaderboard.queue import Claimed, Outcome
from benchwright.leaderboard.store import Store
from benchwright.suite import Suite

DATABASE = "BENCHWRIGHT_LEADERBOARD_DATABASE"
"""The address comes by the environment: it may hold a password, and arguments of programs can be read by others."""
_LOOK = 0.3
"""Seconds between two looks at an empty queue."""


def main(store: str, suite: str, limits: str) -> None:
    """Score until stdin ends."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    url = os.environ.pop(DATABASE)
    kept, opened, bounds = Store(Path(store)), Suite.open(Path(suite)), Limits(**json.loads(limits))
    _limit_memory(bounds.memory_mb << 20)
    try:
        _work(url, kept, opened, bounds)
    except (EnvironmentFault, OperationalError) as error:
        sys.stderr.write(f"leaderboard: a worker cannot reach the database, and is started again: {str(error)[:400]}\n")
        raise SystemExit(3) from None


def _limit_memory(most: int) -> None:
    """Bound what opening a submission may take; those that this process starts have limits of their own."""
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _work(url: str, store: Store, suite: Suite, limits: Limits) -> None:
    with Database(url) as database:
        while True:
            mine = queue.claim(database, _tell)
            if mine is None:
                time.sleep(_LOOK)
                continue
            queue.finish(database, mine, _outcome(store, suite, limits, mine))
            _tell("")


def _outcome(store: Store, suite: Suite, limits: Limits, mine: Claimed) -> Outcome:
    """What becomes of a submission; a fault of ours is the operator's to see, and no submitter's."""
    try:
        return judge(store, suite, limits, mine.id)
    except MemoryError:
        return Outcome(REFUSED, f"it takes more than {limits.memory_mb:,} MB of memory to be opened and checked")
    except BenchwrightError as error:
        sys.stderr.write(f"leaderboard: {mine.id} could not be scored: {error}\n")
    except Exception:  # noqa: BLE001 - one submission must not end the scoring of others
        sys.stderr.write(f"leaderboard: {mine.id} could not be scored:\n{traceback.format_exc()}")
    return Outcome(FAILED, "the server could not score it; the operator can say more")


def _tell(claim: str) -> None:
    """Say to the parent under which claim this process scores, so that it can be put back if this one dies."""
    sys.stdout.write(json.dumps(claim) + "\n")
    sys.stdout.flush()


def _end_with_parent() -> None:
    while sys.stdin.buffer.read(1 << 10):
        pass
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
