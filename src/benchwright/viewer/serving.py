"""Serving the viewer: a socket, the address to open, and an end at Ctrl-C."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from benchwright.errors import EnvironmentFault, InputError
from benchwright.viewer.access import Access
from benchwright.viewer.gallery import Gallery

_EVERYWHERE = ("0.0.0.0", "::", "")  # noqa: S104 - it is said what to do there, and done with a token


@dataclass(frozen=True, slots=True)
class Place:
    """Where to listen: `port` 0 is any free one. `allowed` are more names by which the viewer may be asked for."""

    host: str = "127.0.0.1"
    port: int = 8765
    allowed: Sequence[str] = field(default_factory=tuple)
    token: bool = False


def serve(runs: Sequence[Path], place: Place, *, with_gold: bool, tell: Callable[[str], None]) -> None:
    """Show the runs until the process is ended. `tell` is given the address to open.

    Errors: InputError for what is no run, or a place that cannot be listened at; EnvironmentFault without the extra.
    """
    missing = [name for name in ("starlette", "uvicorn") if find_spec(name) is None]
    if missing:
        raise EnvironmentFault(
            "the viewer needs packages that are not installed",
            found=f"no {', '.join(missing)}",
            hint="pip install 'benchwright[web]'",
        )
    import uvicorn

    from benchwright.viewer.app import application

    with Gallery.open(runs, with_gold=with_gold) as gallery, listening(place) as listener:
        port = listener.getsockname()[1]
        access = Access.of(place.host, port, place.allowed, token=place.token)
        tell(_address(place.host, port, access.token))
        config = uvicorn.Config(
            application(gallery, access), log_level="warning", server_header=False, access_log=False, lifespan="off"
        )
        with suppress(KeyboardInterrupt):  # which uvicorn passes on after it has ended in order
            uvicorn.Server(config).run(sockets=[listener])


def _address(host: str, port: int, token: str) -> str:
    """What to open; a viewer that listens everywhere is found by this machine's name."""
    name = socket.gethostname() if host in _EVERYWHERE else host
    shown = f"[{name}]" if ":" in name else name
    return f"http://{shown}:{port}/" + (f"?token={token}" if token else "")


def listening(place: Place) -> socket.socket:
    """A socket at the place. Errors: InputError where it cannot be had."""
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((place.host, place.port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise InputError(
            f"cannot listen at {place.host}:{place.port}",
            found=error.strerror or str(error),
            expected="an address of this machine, and a free port",
            hint="--port 0 takes any free one",
        ) from error
    return listener
