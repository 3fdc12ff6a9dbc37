"""Hosts on this machine: network namespaces with addresses of their own, whose cables can be pulled."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True)
class Host:
    """Where a node runs: its address, and what begins each of its commands."""

    address: str
    inside: tuple[str, ...] = ()
    name: str = ""

    def unplug(self) -> None:
        """From now on nothing reaches it, and nothing comes from there."""
        _ip("-n", self.name, "link", "set", "eth0", "down")


LOCAL = Host("127.0.0.1")


class NoHosts(Exception):
    """This machine makes no network namespaces; says why."""


@contextmanager
def hosts(count: int) -> Iterator[tuple[Host, ...]]:
    """So many hosts at one switch, apart from this machine's own network. Raises NoHosts."""
    switch, made = f"bw{os.getpid()}", []
    if shutil.which("ip") is None or os.geteuid() != 0:
        raise NoHosts("needs iproute2 and root")
    try:
        _add(switch, made)
        _ip("-n", switch, "link", "add", "switch", "type", "bridge")
        _ip("-n", switch, "link", "set", "switch", "up")
        yield tuple(_host(f"{switch}-{number}", number, switch, made) for number in range(count))
    finally:
        for name in made:
            _ip("netns", "delete", name)


def _add(name: str, made: list[str]) -> None:
    try:
        _ip("netns", "add", name)
    except subprocess.CalledProcessError as error:
        raise NoHosts(error.stderr.strip()) from error
    made.append(name)


def _host(name: str, number: int, switch: str, made: list[str]) -> Host:
    _add(name, made)
    port, address = f"port{number}", f"10.77.0.{number + 1}"
    _ip("-n", switch, "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", name)
    _ip("-n", switch, "link", "set", port, "master", "switch", "up")
    _ip("-n", name, "address", "add", f"{address}/24", "dev", "eth0")
    for link in ("lo", "eth0"):
        _ip("-n", name, "link", "set", link, "up")
    return Host(address, ("nsenter", f"--net=/run/netns/{name}"), name)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)
