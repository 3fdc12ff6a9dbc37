"""The container provider: one attempt's machine as a Podman or Docker container, with the same first process inside."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from functools import partial
from typing import Final

from benchwright.closing import Closing
from benchwright.errors import EnvironmentFault
from benchwright.sandbox import access, container_command, container_engine, planning
from benchwright.sandbox.base import SandboxSpec, Tracing
from benchwright.sandbox.container_command import Container
from benchwright.sandbox.container_engine import Engine, EngineName
from benchwright.sandbox.container_start import Life, stage, start
from benchwright.sandbox.held import HeldSandbox, Living, Started
from benchwright.sandbox.holder import uids
from benchwright.sandbox.holder.plan import Plan, Protections
from benchwright.sandbox.holder.tree import INSIDE_UID
from benchwright.sandbox.store import RoomStore
from benchwright.sandbox.supervision import configured_uids
from benchwright.sandbox.tracing import Tracer, Untraced

_ONLY_FANOTIFY: Final = "in a container only fanotify sees what is read, and it needs a runner that is root"


class ContainerProvider(Closing):
    """Makes sandboxes that are containers.

    `image`: a user's own image, whose /usr and python3 (3.11 or newer; with IPython for the persistent Python) the
    attempts get instead of the host's /usr and the toolbox. `protections` exist for tests, as with namespaces.
    """

    def __init__(self, engine: EngineName, image: str = "", protections: Protections | None = None) -> None:
        self._name: EngineName = engine
        self._own_image = image
        self._protections = protections or Protections()
        self._store = RoomStore()
        self._open = Living()
        self._first = threading.Lock()
        self._usable: tuple[Engine, str] | None = None
        self._names: set[str] = set()

    @property
    def name(self) -> str:
        """The word that chooses it."""
        return self._name

    def open(self, spec: SandboxSpec, tracer: Tracer | None = None) -> HeldSandbox:
        """Start one container. Errors: EnvironmentFault where this machine cannot, Broken(SANDBOX) otherwise."""
        for room in spec.rooms:
            self._store.check(room)
        plan = self._plan(spec)
        container_command.check(plan)
        container = self._container()
        watcher = tracer if tracer is not None else choose(spec.tracing)
        return self._open.begin(spec, plan, watcher, partial(self._start, container, plan, watcher))

    def _plan(self, spec: SandboxSpec) -> Plan:
        if not self._own_image:
            return planning.plan(spec, (), self._protections, container_command.own_folders())
        plan = planning.plan(replace(spec, toolbox=None), (), self._protections)
        return replace(plan, python="python3")

    def _container(self) -> Container:
        with self._first:
            if self._usable is None:
                self._usable = container_engine.usable(self._name, self._own_image)
                container_engine.remove_stale(self._usable[0])
            engine, image = self._usable
            name = container_engine.fresh_name()
            self._names.add(name)
        return Container(engine, image, bool(self._own_image), name, stage(engine, name))

    def _start(self, container: Container, plan: Plan, tracer: Tracer) -> Started:
        uid, lock = _uid(plan)
        try:
            begun = start(container, plan.with_uid(uid))
        except BaseException:
            _release(lock)
            raise
        life = Life(container, begun)

        def end() -> dict[str, int]:
            try:
                return life.end()
            finally:
                _release(lock)

        return Started(
            pid=begun.pid,
            uid=uid if lock >= 0 else None,
            groups=begun.groups,
            isolation=planning.isolation(plan, begun.groups, tracer.name, provider=self._name),
            control=begun.control,
            end=end,
        )

    def close(self) -> None:
        """End every sandbox that is still open. Idempotent."""
        self._open.close()
        with self._first:
            if self._usable is not None:
                container_engine.remove(self._usable[0], self._names)
            self._names.clear()


def choose(tracing: Tracing) -> Tracer:
    """The tracer of one container: fanotify on its overlays, or none with the reason.

    Raises EnvironmentFault where a tracer was asked for by name and cannot be had.
    """
    if tracing == "strace":
        raise EnvironmentFault("file access in a container cannot be traced by strace", expected=_ONLY_FANOTIFY)
    if tracing == "auto" and (reason := access.missing()["fanotify"]):
        return Untraced(f"{_ONLY_FANOTIFY} ({reason})")
    return access.choose(tracing)


def _uid(plan: Plan) -> tuple[int | None, int]:
    """The user of the container's processes, as the engine numbers it, and the lock that reserves it (-1: none)."""
    if not plan.protections.own_user:
        return None, -1
    if os.geteuid() == 0:
        try:
            return uids.take(*configured_uids())
        except OSError as error:
            raise EnvironmentFault("no host user is free for a sandbox", found=str(error)) from error
    return INSIDE_UID, -1


def _release(lock: int) -> None:
    if lock >= 0:
        os.close(lock)
