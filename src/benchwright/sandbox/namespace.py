"""The namespace provider: one attempt's machine made of kernel namespaces, as root or as an ordinary user."""

from __future__ import annotations

import socket
from functools import partial

from benchwright.closing import Closing
from benchwright.sandbox import planning
from benchwright.sandbox.access import choose
from benchwright.sandbox.base import SandboxSpec
from benchwright.sandbox.held import HeldSandbox, Living, Started
from benchwright.sandbox.holder.plan import Plan, Protections
from benchwright.sandbox.store import RoomStore
from benchwright.sandbox.supervision import Supervision
from benchwright.sandbox.tracing import Tracer

_SHARED_UID = "processes share the host uid of whoever started the runner"


class NamespaceProvider(Closing):
    """Makes namespace sandboxes; one supervisor process serves them all.

    `user`: root may have them built by an ordinary user instead, with that user's means. `protections` exist for
    tests, which switch one off to see that it is what stops an attack.
    """

    name = "namespace"

    def __init__(self, user: int | None = None, protections: Protections | None = None) -> None:
        self._protections = protections or Protections()
        self._supervision = Supervision(user)
        self._store = RoomStore()
        self._open = Living()

    def open(self, spec: SandboxSpec, tracer: Tracer | None = None) -> HeldSandbox:
        """Start one sandbox. Errors: EnvironmentFault where this machine cannot, Broken(SANDBOX) otherwise."""
        for room in spec.rooms:
            self._store.check(room)
        watcher = tracer if tracer is not None else choose(spec.tracing)
        plan = planning.plan(spec, watcher.prefix, self._protections)
        return self._open.begin(spec, plan, watcher, partial(self._start, plan, watcher))

    def _start(self, plan: Plan, tracer: Tracer) -> Started:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            try:
                begun = self._supervision.start(plan, theirs)
            except BaseException:
                ours.close()
                raise
        notes = () if begun["uid"] is not None else (_SHARED_UID,)
        return Started(
            pid=begun["pid"],
            uid=begun["uid"],
            groups=begun["cgroups"],
            isolation=planning.isolation(plan, begun["cgroups"], tracer.name, notes=notes),
            control=ours,
            end=partial(self._supervision.end, begun["number"]),
        )

    @property
    def supervisor(self) -> int | None:
        """The process number of the supervisor, while it runs."""
        return self._supervision.pid

    def close(self) -> None:
        """End every sandbox that is still open. Idempotent."""
        self._open.close()
        self._supervision.close()
