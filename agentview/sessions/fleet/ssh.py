"""The client of ssh: its options where nobody answers questions, and the last line that it says."""

import threading
from collections import deque
from typing import IO

from agentview.timeline.view.sanitize import one_line

CONNECT = 10
"""Seconds that ssh has to connect."""
WITHOUT_QUESTIONS = ("-T", "-o", "BatchMode=yes", "-o", f"ConnectTimeout={CONNECT}")
"""Options: without a terminal, and without questions, since several may be asked at once."""
_LONGEST = 200


class LastLine:
    """Reads a stream of a process, so that it does not get onto the screen."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._said: deque[bytes] = deque(maxlen=1)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def text(self, seconds: float) -> str:
        """The last line that is not empty, once the stream has ended or after `seconds`."""
        self._reader.join(seconds)
        return one_line(self._said[0].decode("utf-8", "replace"), _LONGEST) if self._said else ""

    def _read(self) -> None:
        while line := self._stream.readline(4096):
            if line.strip():
                self._said.append(line.strip())
