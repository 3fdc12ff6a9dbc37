"""What a program writes, kept within a limit: its beginning and its end."""

from __future__ import annotations

from collections import deque


class Output:
    """Bytes of one stream; past `limit` the middle is left out, and a line says how much."""

    def __init__(self, limit: int) -> None:
        self.total = 0
        self._half = max(1, limit // 2)
        self._front = bytearray()
        self._back: deque[bytes] = deque()
        self._back_size = 0

    def add(self, data: bytes) -> None:
        """More of the stream."""
        self.total += len(data)
        room = self._half - len(self._front)
        if room > 0:
            self._front += data[:room]
            data = data[room:]
        if data:
            self._back.append(data)
            self._back_size += len(data)
        while self._back and self._back_size - len(self._back[0]) >= self._half:
            self._back_size -= len(self._back.popleft())

    @property
    def truncated(self) -> bool:
        """Whether anything was left out."""
        return self.total > 2 * self._half

    def value(self) -> bytes:
        """All that is kept."""
        back = b"".join(self._back)
        if not self.truncated:
            return bytes(self._front) + back
        left_out = self.total - 2 * self._half
        return bytes(self._front) + b"\n[... %d bytes left out ...]\n" % left_out + back[-self._half :]
