"""The runner's side of the supervisor: started once, asked for sandboxes, gone when the runner is."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import threading
from collections.abc import Sequence
from typing import Any, Final

from benchwright.errors import Broken, EnvironmentFault, Fault, InputError
from benchwright.sandbox.holder import wire
from benchwright.sandbox.holder.first import restart_command
from benchwright.sandbox.holder.plan import Plan

UID_RANGE: Final = "BENCHWRIGHT_UID_RANGE"
_DEFAULT_UIDS: Final = "400000-465535"
_ANSWER_BYTES: Final = 64 * 1024
_ANSWER_SECONDS: Final = 60.0


def uid_range(text: str) -> tuple[int, int]:
    """First and last host uid for attempts, from `FIRST-LAST`."""
    first, _, last = text.partition("-")
    if not (first.isdigit() and last.isdigit() and 0 < int(first) <= int(last)):
        raise InputError(f"{UID_RANGE} is not a range of user numbers", found=text, expected=f"e.g. {_DEFAULT_UIDS}")
    return int(first), int(last)


def configured_uids() -> tuple[int, int]:
    """First and last host uid for attempts on this machine."""
    return uid_range(os.environ.get(UID_RANGE, _DEFAULT_UIDS))


class Supervision:
    """A supervisor process, started at the first request; safe to use from any thread."""

    def __init__(self, user: int | None = None) -> None:
        self._user = user
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._requests: socket.socket | None = None

    def start(self, plan: Plan, control: socket.socket) -> dict[str, Any]:
        """Start a sandbox whose first process gets `control`; {"number", "pid", "uid", "cgroups", "polled"}."""
        if len(plan.rooms) > wire.MOST_ROOMS:
            raise InputError(
                "an attempt has too many rooms", found=str(len(plan.rooms)), expected=f"at most {wire.MOST_ROOMS}"
            )
        answer = self._ask({"op": "start", "plan": plan.to_json()}, [control.fileno()])
        if "error" in answer:
            raise _not_here(str(answer["error"]))
        return answer

    def end(self, number: int) -> dict[str, int]:
        """End a sandbox; returns when no process of it is left, with how often each control group's limit was hit."""
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                return {}  # a supervisor takes its sandboxes with it
        counts: dict[str, int] = self._ask({"op": "end", "number": number}, [])
        return counts

    def close(self) -> None:
        """End the supervisor and every sandbox of it. Idempotent."""
        with self._lock:
            process, self._process = self._process, None
            requests, self._requests = self._requests, None
        if requests is not None:
            requests.close()
        if process is not None:
            process.wait()

    @property
    def pid(self) -> int | None:
        """The supervisor's process number, while it runs."""
        return None if self._process is None else self._process.pid

    def _ask(self, request: dict[str, Any], descriptors: Sequence[int]) -> dict[str, Any]:
        message = json.dumps(request).encode()
        if len(message) >= wire.LONGEST_REQUEST:
            found = f"{len(message)} bytes of paths and variables"
            raise InputError(
                "a sandbox takes too many words to describe", found=found, expected="fewer or shorter ones"
            )
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ours:
            with theirs:
                wire.send_descriptors(self._running(), message, [theirs.fileno(), *descriptors])
            ours.settimeout(_ANSWER_SECONDS)
            try:
                answer = ours.recv(_ANSWER_BYTES)
            except OSError as error:
                raise Broken(Fault.SANDBOX, "the sandbox supervisor does not answer", found=str(error)) from error
        if not answer:
            raise Broken(Fault.SANDBOX, "the sandbox supervisor ended")
        value: dict[str, Any] = json.loads(answer)
        return value

    def _running(self) -> socket.socket:
        with self._lock:
            if self._requests is not None and self._process is not None and self._process.poll() is None:
                return self._requests
            if self._requests is not None:
                self._requests.close()
            self._requests, self._process = _launch(self._user)
            return self._requests


def _launch(user: int | None) -> tuple[socket.socket, subprocess.Popen[bytes]]:
    first, last = configured_uids()
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        numbers = (theirs.fileno(), os.getpid(), first, last, -1 if user is None else user)
        arguments = [str(number) for number in numbers]
        process = subprocess.Popen(
            [*restart_command("supervisor"), *arguments],
            env={"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"},
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
    return ours, process


def _not_here(reason: str) -> EnvironmentFault:
    return EnvironmentFault(
        "this machine does not let a sandbox start",
        found=reason,
        expected="user, mount, process and network namespaces (Linux 5.14 or newer)",
        hint="`benchwright doctor` says what is missing; --sandbox podman or docker may work",
    )
