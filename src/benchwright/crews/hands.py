"""One machine of a cluster where items are worked on: what does them there, and what is told of errors."""

from __future__ import annotations

import json
import os
import platform
import re
import threading
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib import import_module
from importlib.metadata import PackageNotFoundError, requires, version
from queue import Empty, SimpleQueue
from typing import Any

from benchwright import __version__
from benchwright.errors import BenchwrightError, Broken, EnvironmentFault, Fault, InputError
from benchwright.spreading import Hand

_OURS = "benchwright."

_SHARED_SECONDS = 3.0
"""How long a file may take to be seen on a disk that machines share."""

State = tuple[str, int, int]
"""A file's path, its bytes and the time of its last change in nanoseconds; -1, -1: there is none, -2, -2: a folder."""


def state_of(path: str) -> State:
    """The state of a file, whose links are not followed."""
    try:
        about = os.lstat(path)
    except OSError:
        return path, -1, -1
    if os.path.isdir(path):
        return path, -2, -2
    return path, about.st_size, about.st_mtime_ns


def libraries() -> dict[str, str]:
    """The versions that results may depend on: ours, Python's, and those of every library that we ask for."""
    found = {"benchwright": __version__, "python": platform.python_version()}
    for wanted in requires("benchwright") or ():
        name = re.split(r"[^\w.-]", wanted, maxsplit=1)[0]
        if "extra ==" not in wanted:
            with suppress(PackageNotFoundError):
                found[name] = version(name)
    return found


def named(hand: type[Hand]) -> str:
    """A class as text: its module and its name."""
    return f"{hand.__module__}:{hand.__qualname__}"


def _class(name: str) -> type[Hand]:
    """The class of that name, which is one of ours."""
    module, _, own = name.partition(":")
    if not module.startswith(_OURS):
        raise InputError("what works on nodes is Benchwright's own", found=name)
    hand: type[Hand] = getattr(import_module(module), own)
    return hand


class Hands:
    """Lives in a worker of Ray. All that goes in and out is text: JSON, and no objects of ours."""

    def __init__(self, order: str) -> None:
        work = json.loads(order)
        self._hand, self._settings, self._files = work["hand"], work["settings"], work["files"]
        self._free: SimpleQueue[Hand] = SimpleQueue()
        self._all: list[Hand] = []
        self._lock = threading.Lock()
        self._seen = False

    def about(self) -> str:
        """The versions here."""
        return json.dumps(libraries())

    def do(self, order: str) -> str:
        """Do one item: `{"text": ..., "files": [state, ...]}`. Returns `{"result": ...}`, or what was wrong."""
        item = json.loads(order)
        try:
            self._require(item["files"])
            return json.dumps({"result": self._done(item["text"])})
        except BenchwrightError as error:
            return json.dumps(told(error))
        except Exception as error:  # noqa: BLE001 - an error of our own is told as one
            return json.dumps({"failed": f"{type(error).__name__}: {error}"})

    def close(self) -> None:
        """Give up what is held; items that are under way fail."""
        with self._lock:
            for hand in self._all:
                with suppress(Exception):
                    hand.close()

    def _done(self, text: str) -> str:
        with self._lock:
            hand = self._taken()
        try:
            return hand.do(text)
        finally:
            if not hand.together:
                self._free.put(hand)

    def _taken(self) -> Hand:
        """One that has nothing to do, or may have more."""
        if self._all and self._all[0].together:
            return self._all[0]
        with suppress(Empty):
            return self._free.get_nowait()
        hand = _class(self._hand)(**self._settings)
        self._all.append(hand)
        return hand

    def _require(self, states: Iterable[Any]) -> None:
        wanted = [tuple(state) for state in (*(() if self._seen else self._files), *states)]
        deadline = time.monotonic() + _SHARED_SECONDS
        while other := next((state[0] for state in wanted if state_of(state[0]) != state), ""):
            if time.monotonic() > deadline:
                raise EnvironmentFault(
                    f"{other} is not there as it is on the machine of the command",
                    hint="put it on a disk that all machines share, under one path",
                )
            time.sleep(0.1)
        self._seen = True


def told(error: BenchwrightError) -> dict[str, Any]:
    """An error of ours as text."""
    parts = {name: getattr(error, name) for name in ("what", "found", "expected", "hint")}
    if isinstance(error, Broken):
        return {"broken": str(error.fault), **parts}
    return {"unfit" if isinstance(error, EnvironmentFault) else "wrong": "", **parts}


def heard(answer: Mapping[str, Any]) -> BenchwrightError:
    """The error that was told."""
    if "failed" in answer:
        return EnvironmentFault("an item could not be worked on", found=answer["failed"])
    what, parts = answer["what"], {name: answer[name] for name in ("found", "expected", "hint")}
    if "broken" in answer:
        return Broken(Fault(answer["broken"]), what, **parts)
    return EnvironmentFault(what, **parts) if "unfit" in answer else InputError(what, **parts)
