"""Messages through a pair of pipes: 8 bytes of length, then a pickle."""

import os
import pickle
from typing import Any

from agentview.system import platforms

HEADER = 8
"""Bytes of the length before each message."""


def packed(message: object) -> bytes:
    """A message as it goes through a pipe."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return len(data).to_bytes(HEADER, "big") + data


class Connection:
    """Reads messages from one descriptor and writes them to another.

    Neither has a buffer, so that a message that waits can be seen.
    """

    def __init__(self, incoming: int, outgoing: int) -> None:
        self._incoming = incoming
        self._outgoing = outgoing

    def waiting(self, seconds: float = 0.0) -> bool:
        """Return True if a message, or the end of the other side, can be read within `seconds`."""
        return platforms.readable(self._incoming, seconds)

    def receive(self) -> Any:
        """The next message; None when the other side is gone. Raises OSError."""
        header = self._read(HEADER)
        body = self._read(int.from_bytes(header, "big")) if header else None
        return pickle.loads(body) if body else None  # noqa: S301  (written by our own program)

    def send(self, message: object) -> None:
        """Write a message. Raises BrokenPipeError when the other side is gone."""
        data = memoryview(packed(message))
        while data:
            data = data[os.write(self._outgoing, data) :]

    def _read(self, length: int) -> bytes | None:
        parts: list[bytes] = []
        while length > 0:
            part = os.read(self._incoming, length)
            if not part:
                return None
            parts.append(part)
            length -= len(part)
        return b"".join(parts)
