"""What agentview keeps of logs, damaged in every way: totals are those of a read without it."""

import os
import random
import shutil
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

from agentview.facts.usage.pricing import PriceList
from agentview.facts.usage.reader import measure
from agentview.providers import load_provider
from agentview.sessions.library.cache_db import SessionCache
from agentview.sessions.library.counted_sessions import CountedSessions
from tests.claude_log import ClaudeLog, conversation, write
from tests.cli.conftest import CommandLine
from tests.cli.test_attention import Live
from tests.cli.test_ls import indexed
from tests.reliability.outcome import Outcome, Plan

_VARIABLE = "AGENTVIEW_CACHE_DIR"
_FIRST, _SECOND, _THIRD = (f"0b5f3a52-6c55-4f0e-9a51-2f7f3f1f000{number}" for number in (1, 2, 3))

Damage = Callable[[bytes, random.Random], bytes]
Answer = tuple[object, ...]


def run(plan: Plan, root: Path) -> Iterator[Outcome]:
    """A line for what is kept of logs, and one for the kept answer of `status`."""
    home = root / "home"
    for session in (_FIRST, _SECOND):
        # Of logs of some megabytes rows are kept too.
        turns = plan.of(900, 60) if session == _FIRST else 30
        records = conversation(ClaudeLog(session), turns, size=3000)
        write(home / ".claude" / "projects" / "-home-dev-shop" / f"{session}.jsonl", records)
    what = "index, rows and catalogue: cut, bits, zeros, swapped, another version"
    outcome = Outcome("caches", what, unit="damaged files")
    with outcome.timed(), _cache(root / "kept") as kept:
        wanted = _answers(home)
        files = sorted(path for path in kept.rglob("*") if path.is_file())
        outcome.check(len(files) > 2, f"only {len(files)} files are kept")
        outcome.check(_answers(home) == wanted, "another answer from what is kept")
        whole = {path.relative_to(kept): path.read_bytes() for path in files}
        for place, data in list(_damaged(whole, plan))[:: plan.of(1, 3)]:
            with _cache(root / "damaged") as cache:
                for name, content in whole.items():
                    (cache / name).parent.mkdir(parents=True, exist_ok=True)
                    (cache / name).write_bytes(data if name == place[0] else content)
                outcome.check(*_same(home, wanted, place))
            shutil.rmtree(root / "damaged")
    yield outcome
    yield _statuses(plan, root, home)


def _same(home: Path, wanted: Answer, place: tuple[Path, str]) -> tuple[bool, str]:
    """The answers are the same, first and from what was made again."""
    try:
        for again in ("", " again"):
            if _answers(home) != wanted:
                return False, f"{place}: another answer{again}"
    except Exception as error:
        return False, f"{place}: {type(error).__name__}: {error}"
    return True, ""


def _answers(home: Path) -> Answer:
    """Totals of the library, of `stats`, and of a session that is read for its usage."""
    projects = home / ".claude" / "projects"
    found = indexed(projects)
    provider = load_provider("claude_code")
    totals = [(name, found[name].totals) for name in sorted(found)]
    refs = [provider.discovery.ref(Path(name)) for name in sorted(found)]
    usage = [measure(ref, PriceList()) for ref in refs]
    with SessionCache() as catalogue:
        counted = CountedSessions(refs, catalogue)
        sums = [counted.count(ref) for ref in refs]
        counted.keep()
    return (*totals, *sums, *usage)


def _flipped(data: bytes, chance: random.Random, count: int) -> bytes:
    changed = bytearray(data)
    for _ in range(count if data else 0):
        changed[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _zeroed(data: bytes, chance: random.Random) -> bytes:
    begin = chance.randrange(len(data) or 1)
    end = min(len(data), begin + chance.randrange(1, 8192))
    return data[:begin] + bytes(end - begin) + data[end:]


def _removed(data: bytes, chance: random.Random) -> bytes:
    begin = chance.randrange(len(data) or 1)
    return data[:begin] + data[begin + chance.randrange(1, 500) :]


_DAMAGES: dict[str, Damage] = {
    "a bit flipped": lambda data, chance: _flipped(data, chance, 1),
    "100 bits flipped": lambda data, chance: _flipped(data, chance, 100),
    "a range of zeros": _zeroed,
    "bytes behind": lambda data, chance: data + chance.randbytes(chance.randrange(1, 5000)),
    "bytes removed": _removed,
    "random bytes": lambda data, chance: chance.randbytes(len(data)),
}


def _damaged(whole: dict[Path, bytes], plan: Plan) -> Iterator[tuple[tuple[Path, str], bytes]]:
    """Which file is damaged, in which way, and what is in it then."""
    chance = random.Random(1)  # noqa: S311
    names = sorted(whole)
    for number, (name, data) in enumerate(sorted(whole.items())):
        steps = plan.of(24, 3)
        # The first lengths are those of the parts of a header.
        lengths = {*range(0, 64, plan.of(4, 32)), *(len(data) * at // steps for at in range(steps))}
        for length in sorted(lengths):
            yield (name, f"cut to {length} bytes"), data[:length]
        for way, damage in _DAMAGES.items():
            for _ in range(plan.of(6, 1)):
                yield (name, way), damage(data, chance)
        other = names[(number + 1) % len(names)]
        yield (name, f"swapped for {other}"), whole[other]
        yield (name, "from a newer version"), _newer(data)


def _newer(data: bytes) -> bytes:
    """With another number of its form: of SQLite's user version, else of the first digits."""
    if data.startswith(b"SQLite format 3"):
        return data[:60] + (9999).to_bytes(4, "big") + data[64:]
    return data[:7] + bytes([data[7] + 1]) + data[8:] if len(data) > 8 else b"\x09" + data


@contextmanager
def _cache(place: Path) -> Generator[Path]:
    before = os.environ.get(_VARIABLE)
    os.environ[_VARIABLE] = str(place)
    place.mkdir(exist_ok=True)
    try:
        yield place
    finally:
        if before is None:
            del os.environ[_VARIABLE]
        else:
            os.environ[_VARIABLE] = before


def _statuses(plan: Plan, root: Path, home: Path) -> Outcome:
    """`agentview status` from a kept answer that is damaged."""
    outcome = Outcome("caches", "kept answer of status: cut, bits, zeros, random", unit="files")
    cache = root / "status"
    agentview = CommandLine(home, home, {_VARIABLE: str(cache)})
    live = Live(agentview, _THIRD, "/home/dev/one/repo")
    live.ask(before=50)
    # What was written this moment is not kept: another write might have the same time.
    time.sleep(0.1)
    with outcome.timed():
        wanted = agentview.ok("status", "--json")
        kept = cache / "status"
        if not kept.exists():
            outcome.failures.append("no answer is kept")
            return outcome
        damaged = list(_damaged({Path("status"): kept.read_bytes()}, plan))
        for place, data in damaged[:: plan.of(1, 4)]:
            kept.write_bytes(data)
            done = agentview("status", "--json")
            said = f"{place}: exit code {done.returncode}: {done.stdout[-200:]}{done.stderr[-300:]}"
            outcome.check((done.stdout, done.stderr) == (wanted, ""), said)
    return outcome
