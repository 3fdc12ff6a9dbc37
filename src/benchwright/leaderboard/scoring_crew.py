"""The worker processes of a server: started, watched, started again, and their work put back where one dies."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from benchwright.closing import Closing
from benchwright.leaderboard import queue
from benchwright.leaderboard.database import Database
from benchwright.leaderboard.limits import Limits
from benchwright.leaderboard.worker import DATABASE

_PAUSE = 1.0
"""Seconds before a worker that died is followed by another."""


@dataclasses.dataclass(frozen=True, slots=True)
class Work:
    """What workers need to know."""

    url: str
    store: Path
    suite: Path
    limits: Limits


class Crew(Closing):
    """The workers; what was being scored when a server was killed is put back when the next one starts its own."""

    def __init__(self, database: Database, work: Work, count: int) -> None:
        self._database, self._work = database, work
        self._ended = threading.Event()
        self._running: list[subprocess.Popen[bytes]] = []
        queue.put_back(database)
        self._threads = [threading.Thread(target=self._watch, daemon=True) for _ in range(count)]
        for thread in self._threads:
            thread.start()

    def _watch(self) -> None:
        """Keep one worker running."""
        while not self._ended.is_set():
            process = self._start()
            self._running.append(process)
            if self._ended.is_set():
                process.kill()
            assert process.stdout is not None
            at = ""
            for line in process.stdout:
                at = json.loads(line)
            process.wait()
            self._running.remove(process)
            self._drop(process)
            self._ended.wait(_PAUSE)
            if at:
                self._put_back(at)

    def _put_back(self, claim: str) -> None:
        """Let what a dead worker had taken wait again, as soon as the database can be reached."""
        while not self._ended.is_set():
            try:
                queue.put_back(self._database, {claim})
            except SQLAlchemyError:
                self._ended.wait(_PAUSE)
            else:
                return

    def _start(self) -> subprocess.Popen[bytes]:
        work = self._work
        limits = json.dumps(dataclasses.asdict(work.limits))
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "benchwright.leaderboard.worker", str(work.store), str(work.suite), limits],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, DATABASE: work.url},
            start_new_session=True,  # Ctrl-C is for the server, which ends its workers itself
        )

    @staticmethod
    def _drop(process: subprocess.Popen[bytes]) -> None:
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()

    @property
    def pids(self) -> tuple[int, ...]:
        """The processes that run now."""
        return tuple(process.pid for process in self._running)

    def close(self) -> None:
        """End the workers; what they were at waits for the next server. Idempotent."""
        self._ended.set()
        for process in list(self._running):
            process.kill()
        for thread in self._threads:
            thread.join()
