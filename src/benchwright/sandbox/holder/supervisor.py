"""The supervisor: one small process a runner, which forks a holder for each attempt and cleans up when all is over."""

from __future__ import annotations

import gc
import json
import os
import select
import selectors
import signal
import socket
import sys
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

from benchwright.sandbox.holder import cgroups, first, rooting, system, uids, wire
from benchwright.sandbox.holder.plan import Plan

_REPORT_SECONDS: Final = 20.0


@dataclass(frozen=True, slots=True)
class Held:
    """A sandbox that lives: its first process (as seen here), and what goes with it.

    `number` is never given twice, as process numbers are; nor can `exit`, a pidfd, come to mean another process.
    """

    number: int
    pid: int
    exit: int
    cgroups: dict[str, str]
    uid_lock: int


class Supervisor:
    """Serves one runner: starts sandboxes, ends them, and ends all of them when the runner is gone."""

    def __init__(self, requests: socket.socket, runner: int, uid_range: tuple[int, int]) -> None:
        self._requests = requests
        self._uids = uid_range
        self._held: dict[int, Held] = {}
        self._waiting: dict[int, list[socket.socket]] = {}
        self._counts: dict[int, dict[str, int]] = {}
        """How often the limits of sandboxes that ended by themselves were hit, until the runner asks."""
        self._started = 0
        self._parents = cgroups.parents()
        self._lifeline, self._alive = os.pipe2(os.O_CLOEXEC)
        self._selector = selectors.DefaultSelector()
        self._selector.register(requests, selectors.EVENT_READ, self._request)
        self._runner = os.pidfd_open(runner)
        self._selector.register(self._runner, selectors.EVENT_READ, self._end_all)
        cgroups.remove_stale(self._parents)

    def serve(self) -> None:
        """Serve until the runner is gone; never returns."""
        while True:
            for key, _ in self._selector.select():
                if key.fd in self._selector.get_map():
                    key.data()
            self._reap()

    def _request(self) -> None:
        message, descriptors = wire.receive_descriptors(self._requests, wire.LONGEST_REQUEST, 4)
        if not message:
            self._end_all()
        reply, *rest = [socket.socket(fileno=descriptor) for descriptor in descriptors]
        request: dict[str, Any] = json.loads(message)
        if request["op"] == "end":
            self._end(int(request["number"]), reply)
            return
        answer = self._start(Plan.from_json(request["plan"]), rest[0])
        _answer(reply, answer)
        rest[0].close()

    def _start(self, plan: Plan, control: socket.socket) -> dict[str, Any]:
        """Start one sandbox; whatever goes wrong with it is the answer, and never the end of the others."""
        self._started += 1
        lock, made = -1, dict[str, str]()
        try:
            if os.geteuid() == 0 and plan.protections.own_user:
                uid, lock = uids.take(*self._uids)
                plan = plan.with_uid(uid)
            made = cgroups.make(plan, self._started, self._parents) if plan.protections.limits else {}
            plan = replace(plan, cgroups=tuple(made.values()), polled=cgroups.unkept(made))
            pid = self._fork(plan, control, lock)
            ended = os.pidfd_open(pid)
        except OSError as error:
            cgroups.remove(tuple(made.values()))
            if lock >= 0:
                os.close(lock)
            return {"error": str(error)}
        self._remember(Held(self._started, pid, ended, made, lock))
        return {"number": self._started, "pid": pid, "cgroups": made, "polled": plan.polled, "uid": plan.uid}

    def _fork(self, plan: Plan, control: socket.socket, lock: int) -> int:
        """Fork the holder, and hear from it the number of the sandbox's first process."""
        reader, writer = os.pipe2(os.O_CLOEXEC)
        task = first.Task(plan, control.fileno(), self._lifeline, writer, lock)
        program = first.filter_for(plan)
        holder = os.fork()
        if holder == 0:
            first.hold(task, program)
        os.close(writer)
        try:
            report = _read_line(reader, self._runner)
            if not report:
                os.kill(holder, signal.SIGKILL)
        finally:
            os.close(reader)
            if not plan.prefix:
                os.waitpid(holder, 0)
        if not report.isdigit():
            raise OSError(report.decode(errors="replace") or "the holder ended without a word")
        return int(report)

    def _remember(self, held: Held) -> None:
        self._held[held.number] = held
        self._selector.register(held.exit, selectors.EVENT_READ, lambda: self._ended(held))

    def _ended(self, held: Held) -> None:
        """The first process is gone, and with it, by the kernel's rule, every other of the sandbox."""
        self._selector.unregister(held.exit)
        os.close(held.exit)
        with suppress(ChildProcessError):  # under a tracer, it is the tracer's child
            os.waitpid(held.pid, 0)
        counts = {controller: cgroups.count(folder, controller) for controller, folder in held.cgroups.items()}
        cgroups.remove(tuple(held.cgroups.values()))
        if held.uid_lock >= 0:
            os.close(held.uid_lock)
        del self._held[held.number]
        waiting = self._waiting.pop(held.number, [])
        for reply in waiting:
            _answer(reply, counts)
        if not waiting:
            self._counts[held.number] = counts

    def _reap(self) -> None:
        """Take the exit status of every child that ended: first processes, and orphans that tracers left to this one.

        A first process is taken with all that belongs to it, in one step: what is known of it never names a process
        number that somebody else may have got meanwhile.
        """
        firsts = {held.pid: held for held in self._held.values()}
        with suppress(ChildProcessError):
            while (child := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)) is not None:
                held = firsts.pop(child.si_pid, None)
                if held is None:
                    os.waitpid(child.si_pid, 0)
                else:
                    self._ended(held)

    def _end(self, number: int, reply: socket.socket) -> None:
        if number not in self._held:
            _answer(reply, self._counts.pop(number, {}))
            return
        self._waiting.setdefault(number, []).append(reply)
        _kill(self._held[number])

    def _end_all(self) -> None:
        for held in self._held.values():
            _kill(held)
        for held in list(self._held.values()):
            self._ended(held)
        os._exit(0)


def _kill(held: Held) -> None:
    with suppress(ProcessLookupError):
        signal.pidfd_send_signal(held.exit, signal.SIGKILL)


def _read_line(descriptor: int, runner: int) -> bytes:
    """What the holder reports; nothing where it keeps silent for too long, for others wait meanwhile, or where the
    runner (a pidfd) dies: nobody wants the sandbox then.
    """
    poller = select.poll()
    for watched in (descriptor, runner):
        poller.register(watched, select.POLLIN)
    if descriptor not in dict(poller.poll(_REPORT_SECONDS * 1000)):
        return b""
    with os.fdopen(os.dup(descriptor), "rb") as stream:
        return stream.readline().strip()


def _answer(reply: socket.socket, answer: dict[str, Any]) -> None:
    with suppress(OSError):
        reply.send(json.dumps(answer).encode())
    reply.close()


def _become(user: int) -> None:
    """Give up root for good; what follows is what an ordinary user can do."""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    system.prctl(system.PR_SET_DUMPABLE, 1)


def main() -> None:
    """Arguments: the descriptor of the request socket, the runner's pid, first and last host uid, and the user to
    be (-1: whoever started the runner).
    """
    descriptor, runner, first_uid, last_uid, user = (int(word) for word in sys.argv[1:6])
    system.hide_arguments()
    system.name_process(cgroups.PROCESS_NAME)
    rooting.settle()
    if user >= 0:
        _become(user)
    system.prctl(system.PR_SET_CHILD_SUBREAPER, 1)
    os.umask(0o022)
    gc.freeze()  # what is here stays, and a fork need not copy its pages
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the runner decides when its sandboxes end
    Supervisor(socket.socket(fileno=descriptor), runner, (first_uid, last_uid)).serve()
