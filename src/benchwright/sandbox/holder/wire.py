"""Messages between the runner and a sandbox: a JSON header and a body of bytes, over a stream socket."""

from __future__ import annotations

import errno
import json
import resource
import socket
import struct
from collections.abc import Sequence
from typing import Any, Final

_HEAD: Final = struct.Struct(">IQ")
_DESCRIPTOR: Final = struct.Struct("=i")
_LONGEST_HEADER: Final = 4 << 20
LONGEST_BODY: Final = 1 << 30
LONGEST_REQUEST: Final = 192 * 1024
"""Bytes of a message that starts a sandbox; the kernel takes little more in one piece."""
MOST_ROOMS: Final = 200
"""The kernel passes at most 253 descriptors at once."""


class ClosedError(Exception):
    """The other side is gone, or does not speak this language."""


def receive_descriptors(connection: socket.socket, size: int, most: int) -> tuple[bytes, list[int]]:
    """A message of at most `size` bytes with at most `most` descriptors, none of which a started program inherits.

    `socket.recv_fds` would let every program inherit them: an agent would hold the way to the runner.
    """
    space = socket.CMSG_LEN(most * _DESCRIPTOR.size)
    message, ancillary, _, _ = connection.recvmsg(size, space, socket.MSG_CMSG_CLOEXEC)
    data = b"".join(part for level, kind, part in ancillary if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS))
    whole = len(data) - len(data) % _DESCRIPTOR.size
    return message, [number for (number,) in _DESCRIPTOR.iter_unpack(data[:whole])]


def send_descriptors(connection: socket.socket, message: bytes, descriptors: Sequence[int]) -> None:
    """Send a short message with descriptors.

    The kernel counts a user's descriptors on their way, and refuses a process more when all of them are past its own
    limit of open files. Programs of attempts may hold many on the way, so this process then takes all it may have.
    """
    try:
        socket.send_fds(connection, [message], descriptors)
    except OSError as error:
        if error.errno != errno.ETOOMANYREFS:
            raise
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        socket.send_fds(connection, [message], descriptors)


def send(connection: socket.socket, header: dict[str, Any], body: bytes = b"") -> None:
    """Send one message; OSError when the other side is gone."""
    text = json.dumps(header).encode()
    connection.sendall(_HEAD.pack(len(text), len(body)) + text)
    if body:
        connection.sendall(body)


def receive(connection: socket.socket) -> tuple[dict[str, Any], bytes]:
    """The next message: header and body."""
    header_size, body_size = _HEAD.unpack(_exactly(connection, _HEAD.size))
    if header_size > _LONGEST_HEADER or body_size > LONGEST_BODY:
        raise ClosedError("a message is too long")
    header = json.loads(_exactly(connection, header_size))
    if not isinstance(header, dict):
        raise ClosedError("a message has no header")
    return header, bytes(_exactly(connection, body_size))


def _exactly(connection: socket.socket, size: int) -> bytearray:
    data = bytearray(size)
    view = memoryview(data)
    done = 0
    while done < size:
        count = connection.recv_into(view[done:])
        if count == 0:
            raise ClosedError("the connection ended")
        done += count
    return data
