"""Lets a session grow in a process of its own: `python -m benchmarks.writer FILE ...`.

With `--rate` so many records a second, in small batches; with `--burst` so many at once. Every step
says its number in a message, as MARK and digits. At its end it tells of each batch on standard
output: the last number in it, the records written so far, and when, by time.perf_counter.
"""

import argparse
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import TypeAlias

from benchmarks import records
from benchmarks.generate import LEAN, RICH, Conversation, Profile, ending, stream, template

MARK = "Markno"
BURST_END = "Lastwordoftheburst"
"""Stands in the last record of a burst."""
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


def write_burst(path: Path, count: int) -> list[Batch]:
    """Append `count` records at once."""
    conversation = growing(path)
    source = steps(conversation, RICH)
    pieces: list[bytes] = []
    while conversation.records < count - 1:
        pieces.append(next(source))
    pieces.append(conversation.fill(ending(BURST_END)))
    with path.open("ab", buffering=0) as file:
        file.write(b"".join(pieces))
    return [_batch(conversation)]


def _batch(conversation: Conversation) -> Batch:
    return conversation.steps - _FAR, conversation.records, time.perf_counter()


def start(path: Path, *options: str) -> "subprocess.Popen[str]":
    """Let a session grow."""
    command = [sys.executable, "-m", "benchmarks.writer", str(path), *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def told(process: "subprocess.Popen[str]") -> list[Batch]:
    """All that a writer tells; waits for its end."""
    out, _ = process.communicate()
    return [tuple(json.loads(line)) for line in out.splitlines()]


def main() -> None:
    """Write as the options say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--rate", type=float, default=50.0)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--burst", type=int)
    options = parser.parse_args()
    if options.burst is not None:
        batches = write_burst(options.path, options.burst)
    else:
        batches = write_at_rate(options.path, options.rate, options.seconds)
    print("\n".join(map(json.dumps, batches)))


if __name__ == "__main__":
    main()
