"""Writes sessions of any size, the same bytes for the same seed: `python -m benchmarks.generate`.

Steps of a conversation are made once as templates; a session is templates with ids, times and
numbers put in, so that a gigabyte takes seconds.
"""

import argparse
import json
import os
import re
import tempfile
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from random import Random

import orjson

from benchmarks import records
from benchmarks.records import Record

DIRECTORY_VARIABLE = "AGENTVIEW_BENCH_DIR"
"""Environment variable: where sessions are kept between runs."""

END = "Lastwordofthelog"
"""Stands in the last record of every session and in no other."""

KB, MB, GB = 1000, 1000**2, 1000**3

_FORMAT = 5
"""Part of each name: sessions of another form are written anew."""
_STEPS = 300
_STEPS_A_TURN = 7
_TURNS_A_COMPACTION = 60
_START = 1_767_600_000
"""2026-01-05 08:00 UTC."""
_SLOT = re.compile(rb"@@([CMNPSTU])@@")
_LONG_LINE = 110 * MB
_PIECE = 4 * MB


@dataclass(frozen=True, slots=True)
class Profile:
    """How large records are: `scale` goes to the bodies of calls and texts."""

    name: str
    scale: float


LEAN = Profile("lean", 2.1)
"""About 1.2 kB a record: short commands and many notes, as in a session left running for days."""
RICH = Profile("rich", 11.0)
"""About 4 kB a record: files read and edited as a whole."""


@dataclass(frozen=True, slots=True)
class Template:
    """Records of one step; `slots` are the letters of what goes into `form`, in order."""

    form: bytes
    slots: bytes
    count: int


@dataclass(frozen=True, slots=True)
class Templates:
    """All that a session of a profile is put together from."""

    openings: Sequence[Template]
    steps: Sequence[Template]
    closings: Sequence[Template]
    compactions: Sequence[Template]


@dataclass(frozen=True, slots=True)
class Session:
    """A session on disk: where it is, its bytes and records."""

    path: Path
    size: int
    records: int


def template(step: Sequence[Record]) -> Template:
    """Make records a template."""
    source = b"".join(orjson.dumps(record) + b"\n" for record in step)
    # A parent may be none at all, so its quotation marks come with it.
    source = source.replace(f'"{records.PARENT}"'.encode(), records.PARENT.encode())
    slots = b"".join(_SLOT.findall(source))
    return Template(_SLOT.sub(b"%b", source.replace(b"%", b"%%")), slots, len(step))


@cache
def templates(profile: Profile) -> Templates:
    """The templates of a profile."""
    rng = Random(profile.name)  # noqa: S311
    scale = profile.scale
    steps = [records.tool_step(rng, scale) for _ in range(_STEPS)]
    told = records.message(f"The {records.NEEDLE} of {records.NUMBER} is found.", rng)
    steps[_STEPS // 2].insert(0, told)
    return Templates(
        [template(records.opening(rng)) for _ in range(40)],
        [template(step) for step in steps],
        [template(records.closing(rng, scale)) for _ in range(40)],
        [template(records.compaction(rng)) for _ in range(4)],
    )


class Conversation:
    """Puts ids, times and numbers into templates, each following from the ones before."""

    def __init__(self, session: str, seed: int = 0) -> None:
        self._session = session.encode()
        self._seed = seed
        self._ids = 0
        self._parent = b"null"
        self.records = 0
        self.steps = 0

    def go_on_behind(self, record: str) -> None:
        """Have the record with this id before the first one."""
        self._parent = b'"%b"' % record.encode()

    def fill(self, step: Template) -> bytes:
        """The records of a step."""
        self.steps += 1
        number = b"%d" % self.steps
        call = b"%024x" % ((self.steps << 32) + self._seed)
        values: list[bytes] = []
        own = b""
        for slot in step.slots:
            if slot == 0x50:  # P: a record of the conversation begins, with its parent
                values.append(self._parent)
                own = self._identity()
            elif slot == 0x55:  # U
                values.append(own)
                self._parent = b'"%b"' % own
            elif slot == 0x54:  # T
                values.append(self._time())
            elif slot == 0x4E:  # N
                values.append(number)
            elif slot == 0x53:  # S
                values.append(self._session)
            else:  # C, M: the ids of the step
                values.append(call)
        self.records += step.count
        return step.form % tuple(values)

    def _identity(self) -> bytes:
        self._ids += 1
        mixed = (self._ids * 0x9E3779B97F4A7C15F39CC0605CEDC835 + self._seed) & ((1 << 128) - 1)
        digits = b"%032x" % mixed
        return b"%b-%b-4%b-8%b-%b" % (
            digits[:8],
            digits[8:12],
            digits[13:16],
            digits[17:20],
            digits[20:],
        )

    def _time(self) -> bytes:
        milliseconds = self._ids * 350
        return _second(milliseconds // 1000) + b".%03dZ" % (milliseconds % 1000)


@cache
def _day(number: int) -> bytes:
    return datetime.fromtimestamp(_START + number * 86_400, UTC).strftime("%Y-%m-%dT").encode()


def _second(seconds: int) -> bytes:
    days, rest = divmod(seconds + 8 * 3600, 86_400)
    return _day(days) + b"%02d:%02d:%02d" % (rest // 3600, rest // 60 % 60, rest % 60)


def stream(conversation: Conversation, profile: Profile, seed: int = 0) -> Iterator[bytes]:
    """Steps of a conversation without an end, a few records at a time."""
    made = templates(profile)
    rng = Random(seed)  # noqa: S311  (the same session for the same seed)
    turn = 0
    while True:
        turn += 1
        yield conversation.fill(rng.choice(made.openings))
        for _ in range(rng.randint(1, 2 * _STEPS_A_TURN)):
            yield conversation.fill(rng.choice(made.steps))
        yield conversation.fill(rng.choice(made.closings))
        if turn % _TURNS_A_COMPACTION == 0:
            yield conversation.fill(rng.choice(made.compactions))


def ending() -> Template:
    """The last record, found again on a screen by its word."""
    rng = Random(0)  # noqa: S311
    return template([records.message(f"All is done. {END}", rng, "end_turn")])


def directory() -> Path:
    """Where sessions are kept: DIRECTORY_VARIABLE, else below the system's temporary directory."""
    named = os.environ.get(DIRECTORY_VARIABLE)
    return Path(named) if named else Path(tempfile.gettempdir()) / "agentview-bench"


def session(size: int, profile: Profile | None = None, seed: int = 0) -> Session:
    """A session of about `size` bytes, from the cache when it is there."""
    profile = profile or (LEAN if size > 500 * MB else RICH)
    place = _place(f"{profile.name}-{size}-{seed}")

    def write(conversation: Conversation) -> Iterator[bytes]:
        return _sized(conversation, size, profile, seed)

    return _cached(place, write)


def long_line_session(size: int = 300 * MB, line: int = _LONG_LINE) -> Session:
    """A session with one record of `line` bytes in its middle."""
    place = _place(f"long-line-{size}-{line}")

    def write(conversation: Conversation) -> Iterator[bytes]:
        half = (size - line) // 2
        yield from _sized(conversation, half, RICH, 1, end=False)
        yield from _long_step(conversation, line)
        yield from _sized(conversation, half, RICH, 2)

    return _cached(place, write)


def big_result_session(result: int = MB) -> Session:
    """A short session whose last call has a result of `result` bytes."""
    place = _place(f"big-result-{result}")

    def write(conversation: Conversation) -> Iterator[bytes]:
        yield from _sized(conversation, 200 * KB, RICH, 3, end=False)
        yield from _long_step(conversation, result)

    return _cached(place, write)


def _place(name: str) -> Path:
    name = f"{name}-v{_FORMAT}"
    return directory() / name / f"{uuid.uuid5(uuid.NAMESPACE_URL, name)}.jsonl"


def _cached(place: Path, write: Callable[[Conversation], Iterator[bytes]]) -> Session:
    facts = place.with_name("facts.json")
    if facts.exists():
        known = json.loads(facts.read_text())
        return Session(place, known["size"], known["records"])
    place.parent.mkdir(parents=True, exist_ok=True)
    conversation = Conversation(place.stem)
    part = place.with_suffix(".part")
    with part.open("wb", buffering=_PIECE) as file:
        for piece in write(conversation):
            file.write(piece)
        size = file.tell()
    part.replace(place)
    facts.write_text(json.dumps({"size": size, "records": conversation.records}))
    return Session(place, size, conversation.records)


def _sized(
    conversation: Conversation, size: int, profile: Profile, seed: int, *, end: bool = True
) -> Iterator[bytes]:
    """Steps of about `size` bytes together; at least one."""
    written = 0
    for piece in stream(conversation, profile, seed):
        yield piece
        written += len(piece)
        if written >= size:
            break
    if end:
        yield conversation.fill(ending())


def _long_step(conversation: Conversation, length: int) -> Iterator[bytes]:
    """A call whose result has `length` bytes."""
    rng = Random(5)  # noqa: S311
    arguments = {"command": "cat everything.log", "description": "Show all of it"}
    marker = "@@L@@"
    answer = records.result("…", {"stdout": marker, "stderr": "", "interrupted": False})
    filled = conversation.fill(template([records.call("Bash", arguments, rng), answer]))
    head, tail = filled.split(b"@@L@@")
    yield head
    number = 0
    left = length - (len(filled) - filled.index(b"\n"))
    while left > 0:
        row = b"%08d  everything that was ever written about this order and its parts\\n" % number
        yield row[: max(left, 0)] if left < len(row) else row
        left -= len(row)
        number += 1
    yield tail


def main() -> None:
    """Write one session and say where it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("size", help="such as 10kB, 200MB, 1.2GB")
    parser.add_argument("--profile", choices=("lean", "rich"))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    profile = {"lean": LEAN, "rich": RICH, None: None}[options.profile]
    made = session(parse_size(options.size), profile, options.seed)
    print(f"{made.path}  {made.size:,} bytes  {made.records:,} records")


def parse_size(text: str) -> int:
    """Bytes of a size such as `10kB` or `1.2GB`. Raises ValueError for anything else."""
    match = re.fullmatch(r"([\d.]+)\s*(kB|KB|MB|GB|B)?", text)
    if match is None:
        raise ValueError(f"{text!r} is no size")
    return round(float(match[1]) * {"kB": KB, "KB": KB, "MB": MB, "GB": GB}.get(match[2], 1))


if __name__ == "__main__":
    main()
