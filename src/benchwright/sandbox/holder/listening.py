"""A door in the sandbox's own network: a socket that its programs can call, and at which the runner answers."""

from __future__ import annotations

import errno
import os
import socket
from typing import Final

from benchwright.sandbox.holder import wire

_A_SOCKET: Final = b"s"
_NO_SOCKET: Final = b"-"
_BACKLOG: Final = 64


def open_for_runner(connection: socket.socket) -> None:
    """Listen on a free port of the loopback and hand the socket to the runner, with its port.

    A socket stays in the network that it was made in, whoever holds it: the runner needs no way into this one, and
    programs inside get no way out.
    """
    try:
        with socket.create_server(("127.0.0.1", 0), backlog=_BACKLOG) as listener:
            port = listener.getsockname()[1]
            wire.send_descriptors(connection, _A_SOCKET, [listener.fileno()])
    except OSError as error:
        connection.sendall(_NO_SOCKET)
        number = error.errno or errno.EIO
        wire.send(connection, {"errno": number, "text": os.strerror(number)})
    else:
        wire.send(connection, {"port": port})
