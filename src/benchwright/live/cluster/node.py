"""One machine of a cluster as its driver sees it: it starts parts, tells how they go, and stops them."""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from benchwright import __version__
from benchwright.files import home
from benchwright.live.cluster.shards import Shard, parsed
from benchwright.run import Spend
from benchwright.run.journal import Tail

_NEWS_SECONDS = 0.5
"""How long the answer to how a part goes waits for its end: whoever asks again and again is told no more often."""

_SHOWN = 4000
"""Characters of the end of what a part said."""


def here() -> dict[str, str]:
    """What a run stands on at this machine, as far as it is the same for all agents."""
    python = ".".join(platform.python_version_tuple()[:2])
    return {"benchwright": __version__, "inspect_ai": version("inspect_ai"), "python": python}


def work_folder(shard: Shard) -> Path:
    """Where a shard is worked on at this machine."""
    return shard.place.path or home() / "shards" / shard.plan / shard.name


class Node:
    """Lives in a worker of Ray. All that goes in and out is text: JSON, and no objects of ours."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the node lives
        self._tail: Tail | None = None
        self._ended: dict[str, str] = {}
        self._spent = Spend()

    def about(self) -> str:
        """The versions here."""
        return json.dumps(here())

    def start(self, order: str) -> str:
        """Start the part of an order: `{"shard": its file's text, "shares": ...}`."""
        shard = parsed(json.loads(order)["shard"].encode(), "the order")
        self._tail, self._ended, self._spent = Tail(work_folder(shard) / "events.jsonl"), {}, Spend()
        self._said.truncate(0)
        command = [sys.executable, "-m", "benchwright.live.cluster.part_process"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=self._said)
        assert self._process.stdin is not None
        self._process.stdin.write(f"{order}\n".encode())
        self._process.stdin.flush()  # and stays open: its end would be the process's
        return self._told()

    def state(self) -> str:
        """How the part goes: its exit code (null: at work), attempts done and broken by cell, money, its last words.

        Told half a second after it was asked, or as soon as the part has ended.
        """
        if self._process is not None:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_NEWS_SECONDS)
        return self._told()

    def stop(self) -> None:
        """Ask the part to end: what is under way is cut off, and what is done is written down."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)

    def _told(self) -> str:
        code = None if self._process is None else self._process.poll()
        if self._tail is not None and self._tail.path.exists():
            self._read(self._tail)
        done = Counter(text.partition("/")[0] for text in self._ended)
        broken = Counter(text.partition("/")[0] for text, kind in self._ended.items() if kind == "broke")
        spent = {name: getattr(self._spent, name) for name in ("usd", "unpriced", "tokens", "uncounted")}
        said = "" if code in (None, 0) else self._last_words()
        return json.dumps({"code": code, "done": done, "broken": broken, "spent": spent, "said": said})

    def _read(self, tail: Tail) -> None:
        for _, event in tail.read():
            if event["event"] == "attempt":
                made = event["attempt"]
                self._ended[f"{made['cell']}/{made['task_id']}/{made.get('epoch', 1)}"] = made["ending"]["kind"]
            elif event["event"] == "usage":
                self._spent = self._spent.plus(event.get("tokens"), event.get("usd"))

    def _last_words(self) -> str:
        size = self._said.seek(0, os.SEEK_END)
        self._said.seek(max(0, size - _SHOWN))
        return self._said.read().decode(errors="replace")
