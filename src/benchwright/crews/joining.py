"""The Ray cluster that this process is connected to, if one answers."""

from __future__ import annotations

import io
import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Any

from benchwright.errors import EnvironmentFault, InputError

_ANSWER_SECONDS = 10.0


@contextmanager
def joined(address: str) -> Iterator[Any]:
    """Ray's own module, connected to a cluster by its address, or `auto`; results are printed when the block is left.

    Ray prints the last words of nodes that die to stdout, at any moment until it is disconnected.
    Errors: EnvironmentFault where Ray is not installed or no cluster answers, InputError where that is no address.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray
    except ImportError as error:
        raise EnvironmentFault(
            "--ray needs Ray", found=str(error), hint="pip install 'benchwright[cluster]'"
        ) from error
    _require_answer(address)
    with redirect_stdout(io.StringIO()):
        try:
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, configure_logging=False)
        except (ConnectionError, ValueError, RuntimeError, OSError) as error:
            raise _silent(address, error) from error
        try:
            yield ray
        finally:
            ray.shutdown()


def _require_answer(address: str) -> None:
    """That something listens there: Ray itself would wait for minutes."""
    if address == "auto":
        return
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or "/" in host:
        raise InputError(f"no address of a cluster: {address}", expected="HOST:PORT, as ray start tells it, or auto")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_ANSWER_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise _silent(address, error) from error


def _silent(address: str, error: Exception) -> EnvironmentFault:
    return EnvironmentFault(
        f"no Ray cluster answers at {address}",
        found=str(error).partition("\n")[0],
        hint="ray start --head on one machine, ray start --address=... on the others; Ray's version is the same",
    )
