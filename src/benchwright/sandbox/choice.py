"""From the word that a user chose to the provider that makes the sandboxes."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from typing import Final, Literal

from benchwright.errors import EnvironmentFault
from benchwright.sandbox import container_engine
from benchwright.sandbox.base import Provider, Sandbox, SandboxSpec
from benchwright.sandbox.container import ContainerProvider
from benchwright.sandbox.namespace import NamespaceProvider

Choice = Literal["auto", "namespace", "podman", "docker"]
OWN_IMAGE: Final = "BENCHWRIGHT_IMAGE"
"""The variable that names a user's own image for podman and docker."""


def _container(engine: container_engine.EngineName) -> Callable[[], Provider]:
    return lambda: ContainerProvider(engine, os.environ.get(OWN_IMAGE, ""))


MAKERS: Final[Mapping[str, Callable[[], Provider]]] = {
    "namespace": NamespaceProvider,
    "podman": _container("podman"),
    "docker": _container("docker"),
}
"""The kinds of sandboxes, best first."""


def provider(choice: Choice, makers: Mapping[str, Callable[[], Provider]] = MAKERS) -> Provider:
    """A provider of the chosen kind. "auto": namespaces where they start, else podman, else docker.

    "auto" starts a sandbox to see, as "podman" and "docker" start a container at their first use. Errors:
    EnvironmentFault where none can be had, with every reason.
    """
    if choice != "auto":
        return makers[choice]()
    reasons = []
    for name, make in makers.items():
        made = make()
        try:
            made.open(SandboxSpec(tracing="off")).close()
        except EnvironmentFault as error:
            made.close()
            reasons.append(f"{name}: {error.found or error.what}")
            continue
        return made
    raise EnvironmentFault(
        "this machine cannot isolate attempts",
        found="; ".join(reasons),
        expected="Linux namespaces, podman or docker",
        hint="`benchwright doctor` says what is missing and how to mend it",
    )


class Providers:
    """One provider of each kind for a whole process, made at first use; safe to use from any thread."""

    def __init__(self) -> None:
        self._made: dict[Choice, Provider] = {}
        self._lock = threading.Lock()

    def open(self, spec: SandboxSpec, choice: Choice) -> Sandbox:
        """Start a sandbox of the chosen kind. Errors: EnvironmentFault where this machine cannot."""
        with self._lock:
            if choice not in self._made:
                self._made[choice] = provider(choice)
            made = self._made[choice]
        return made.open(spec)

    def close(self) -> None:
        """End every sandbox of every kind. Idempotent."""
        with self._lock:
            made, self._made = self._made, {}
        for one in made.values():
            one.close()
