"""Lets a session grow in a process of its own: `python -m benchmarks.writer FILE ...`.

So many records a second as `--rate` says, in small batches. Every step says its number in a
message, as MARK and digits. At its end it tells of each batch on standard
output: the last number in it, the records written so far, and when, by time.perf_counter.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Self, TypeAlias

from benchmarks import records
from benchmarks.generate import LEAN, Conversation, Profile, stream, template

MARK = "Markno"
_MARKED = re.compile(MARK + r"(\d+)x")
_BATCH = 0.002
Batch: TypeAlias = tuple[int, int, float]
"""Number of the last step, records written so far, and when."""
_FAR = 1 << 20
"""Numbers of the steps begin here, so that ids differ from those of what is there already."""


def marked(text: str) -> list[int]:
    """Numbers of the steps whose messages are in a text."""
    return [int(found) - _FAR for found in _MARKED.findall(text)]


def mark(number: int) -> bytes:
    """What the message of a step contains."""
    return f"{MARK}{number + _FAR}x".encode()


_ID = re.compile(rb'"uuid":\s*"([^"]+)"')
_TAIL = 1 << 20
"""Bytes at the end of a log among which its last record is looked for."""


def message_step(conversation: Conversation) -> bytes:
    """One record: a message with the number of its step."""
    rng = Random(0)  # noqa: S311
    said = records.message(f"Event {MARK}{records.NUMBER}x of many.", rng)
    return conversation.fill(template([said]))


def growing(path: Path) -> Conversation:
    """A conversation that goes on in a file."""
    conversation = Conversation(path.stem, seed=77)
    conversation.steps = _FAR
    ids = _ID.findall(path.read_bytes()[-_TAIL:]) if path.exists() else []
    if ids:
        conversation.go_on_behind(ids[-1].decode())
    return conversation


def steps(conversation: Conversation, profile: Profile) -> Iterator[bytes]:
    """A message with its number, then a step as any other, and so on without an end."""
    form = template(
        [records.message(f"Event {MARK}{records.NUMBER}x of many.", Random(0))]  # noqa: S311
    )
    for piece in stream(conversation, profile, seed=7):
        yield piece + conversation.fill(form)


def write_at_rate(path: Path, rate: float, seconds: float) -> list[Batch]:
    """Append `rate` records a second; all that are due come, late where the machine is busy."""
    batches: list[Batch] = []
    conversation = growing(path)
    source = steps(conversation, LEAN)
    began = time.perf_counter()
    with path.open("ab", buffering=0) as file:
        while conversation.records < rate * seconds:
            due = rate * min(time.perf_counter() - began, seconds)
            pieces: list[bytes] = []
            while conversation.records < due:
                pieces.append(next(source))
            if pieces:
                file.write(b"".join(pieces))
                batches.append(_batch(conversation))
            time.sleep(_BATCH)
    return batches


def _batch(conversation: Conversation) -> Batch:
    return conversation.steps - _FAR, conversation.records, time.perf_counter()


class Writer:
    """The process that lets a session grow, so many records a second for some seconds.

    A context manager that ends it.
    """

    def __init__(self, path: Path, rate: float, seconds: float) -> None:
        command = [sys.executable, "-m", "benchmarks.writer", str(path)]
        options = ["--rate", str(rate), "--seconds", str(seconds)]
        # A pipe would stop it at its end, until somebody reads.
        self._out = tempfile.TemporaryFile("w+")  # noqa: SIM115  (closed at the end)
        self._process = subprocess.Popen([*command, *options], stdout=self._out)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()
        self._out.close()

    @property
    def writes(self) -> bool:
        """Whether it is still at work."""
        return self._process.poll() is None

    def told(self) -> list[Batch]:
        """All that it tells; waits for its end."""
        self._process.wait()
        self._out.seek(0)
        return [tuple(json.loads(line)) for line in self._out]


def main() -> None:
    """Write as the options say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--rate", type=float, default=50.0)
    parser.add_argument("--seconds", type=float, default=10.0)
    options = parser.parse_args()
    batches = write_at_rate(options.path, options.rate, options.seconds)
    print("\n".join(map(json.dumps, batches)))


if __name__ == "__main__":
    main()
