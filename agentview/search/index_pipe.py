"""Messages over the pipes of a child, without a buffer, so that waiting ones can be seen."""

import os
import pickle
import select

from agentview.search.index_messages import HEADER, Message, packed


class Pipe:
    """Reads messages from one descriptor and writes them to another."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self._incoming = incoming
        self._outgoing = outgoing

    def waiting(self) -> bool:
        """Whether a message, or the end of all, can be read."""
        return bool(select.select([self._incoming], [], [], 0)[0])

    def receive(self) -> Message | None:
        """The next message; None when the other side is gone."""
        header = self._read(HEADER)
        body = self._read(int.from_bytes(header, "big")) if header else None
        return pickle.loads(body) if body else None  # noqa: S301  (written by the parent)

    def send(self, message: Message) -> None:
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
