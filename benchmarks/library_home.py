"""A home with thousands of sessions of several clients: `python -m benchmarks.library_home`.

Logs that are known by their names are hard links of a few hundred; the others, which state their
ids, are written with ids of their own and a hole in the middle. So 12 GB take half a gigabyte. In a
home of small logs they have no hole and some 30 kB.
"""

import json
import os
import shutil
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from agentview.system.paths import sample_sessions_dir
from benchmarks.generate import GB, KB, MB, RICH, directory, session

_FORMAT = 1
_ORIGINALS = 200
_PROJECTS = 120
_DAYS = 320
_DAY = 86_400
_NEWEST = 1_795_000_000
"""2026-11-18."""
_SHARES = {"claude": 0.525, "agents": 0.075, "codex": 0.25, "gemini": 0.075, "qwen": 0.075}
_CODEX_ID = b"01a1fb6e-f759-7ab3-a297-304538f3c5a9"
_QWEN_ID = b"3c1d7f6a-9b0e-4f3d-8a55-0e6d1c2b3a49"
_GEMINI_ID = b"5f0b1c9e-3a52-4e0c-9c1b-7d5e2f9a4b11"


@dataclass(frozen=True, slots=True)
class Home:
    """Where it is, how many logs lie in it, and their bytes."""

    path: Path
    logs: int
    bytes: int

    @property
    def environment(self) -> dict[str, str]:
        """Variables for a program that is to see this home, and only this one."""
        cache = self.path.parent / "cache"
        return {"HOME": str(self.path), "AGENTVIEW_CACHE_DIR": str(cache), "XDG_CONFIG_HOME": ""}

    def forget(self) -> None:
        """Remove what was learned of it."""
        shutil.rmtree(self.path.parent / "cache", ignore_errors=True)


def library_home(logs: int = 20_000, *, small: bool = False) -> Home:
    """A home with so many logs, from the cache when it is there."""
    place = directory() / f"library-{'small-' if small else ''}{logs}-v{_FORMAT}"
    facts = place / "facts.json"
    if not facts.exists():
        shutil.rmtree(place, ignore_errors=True)
        size = _Writer(place / "home", small=small).write(logs)
        facts.write_text(json.dumps({"bytes": size}))
    return Home(place / "home", logs, json.loads(facts.read_text())["bytes"])


class _Writer:
    """Writes a home, the same for the same number of logs."""

    def __init__(self, home: Path, *, small: bool) -> None:
        self._home = home
        self._mean = 24 * KB if small else 1.25 * MB
        self._hole = 0 if small else 300 * KB
        self._rng = Random(7)  # noqa: S311  (the same home each time)
        self._sessions: list[Path] = []

    def write(self, logs: int) -> int:
        """Write all logs; gives their bytes."""
        counts = {name: round(logs * share) for name, share in _SHARES.items()}
        makers = {
            "claude": self._claude,
            "agents": self._agents,
            "codex": self._codex,
            "gemini": self._gemini,
            "qwen": self._qwen,
        }
        return sum(sum(makers[name](count)) for name, count in counts.items())

    def _claude(self, count: int) -> Iterator[int]:
        originals = self._originals(count)
        for number in range(count):
            folder = self._project(number) / f"{self._uuid()}.jsonl"
            folder.parent.mkdir(parents=True, exist_ok=True)
            original = originals[number % len(originals)]
            os.link(original, folder)
            self._sessions.append(folder)
            yield original.stat().st_size

    def _originals(self, count: int) -> list[Path]:
        """Logs of all sizes, each with a title of its own."""
        source = session(20 * MB, RICH).path.read_bytes().splitlines(keepends=True)
        place = self._home.parent / "originals"
        place.mkdir(parents=True)
        made: list[Path] = []
        for number in range(min(_ORIGINALS, count)):
            wanted = min(self._rng.expovariate(1 / self._mean), 12 * self._mean) + 8 * KB
            start = self._rng.randrange(len(source) // 2)
            lines: list[bytes] = []
            size = 0
            while size < wanted and start + len(lines) < len(source):
                lines.append(source[start + len(lines)])
                size += len(lines[-1])
            title = {"type": "custom-title", "customTitle": f"Order {number} of the till"}
            lines.append(json.dumps({**title, "sessionId": self._uuid()}).encode() + b"\n")
            path = place / f"{number}.jsonl"
            path.write_bytes(b"".join(lines))
            self._date(path)
            made.append(path)
        return made

    def _agents(self, count: int) -> Iterator[int]:
        folder = sample_sessions_dir() / "claude_code" / "demo" / "subagents"
        log = next(folder.glob("*.jsonl"))
        source = log.read_bytes()
        stated = json.loads(source.partition(b"\n")[0])
        for _ in range(count):
            parent = self._rng.choice(self._sessions)
            agent = self._uuid().replace("-", "")[:12]
            text = source.replace(stated["sessionId"].encode(), parent.stem.encode())
            text = text.replace(stated["agentId"].encode(), agent.encode())
            yield self._put(parent.with_suffix("") / "subagents" / f"agent-{agent}.jsonl", text)

    def _codex(self, count: int) -> Iterator[int]:
        source = (sample_sessions_dir() / "codex" / "demo.jsonl").read_bytes()
        for number in range(count):
            own = self._uuid()
            day = Path(".codex/sessions/2026") / f"{number % 11 + 1:02}" / f"{number % 28 + 1:02}"
            name = f"rollout-2026-{number % 11 + 1:02}-{number % 28 + 1:02}T10-00-00-{own}.jsonl"
            text = source.replace(_CODEX_ID, own.encode())
            yield self._put(self._home / day / name, text, hole=self._rng.choice((0, self._hole)))

    def _gemini(self, count: int) -> Iterator[int]:
        source = (sample_sessions_dir() / "gemini_cli" / "demo.jsonl").read_bytes()
        for number in range(count):
            own = self._uuid()
            folder = self._home / ".gemini" / "tmp" / f"{number % _PROJECTS:064x}" / "chats"
            text = source.replace(_GEMINI_ID, own.encode())
            yield self._put(folder / f"session-2026-05-04T09-00-{own}.jsonl", text)

    def _qwen(self, count: int) -> Iterator[int]:
        source = (sample_sessions_dir() / "qwen_code" / "demo.jsonl").read_bytes()
        for number in range(count):
            own = self._uuid()
            folder = self._home / ".qwen" / "projects" / f"-home-dev-{number % _PROJECTS}" / "chats"
            yield self._put(folder / f"{own}.jsonl", source.replace(_QWEN_ID, own.encode()))

    def _project(self, number: int) -> Path:
        return self._home / ".claude" / "projects" / f"-home-dev-project-{number % _PROJECTS}"

    def _put(self, path: Path, text: bytes, hole: int = 0) -> int:
        path.parent.mkdir(parents=True, exist_ok=True)
        middle = text.index(b"\n", len(text) // 2) + 1
        with path.open("wb") as file:
            file.write(text[:middle])
            file.seek(hole, os.SEEK_CUR)
            file.write(b"\n" + text[middle:] if hole else text[middle:])
        self._date(path)
        return path.stat().st_size

    def _date(self, path: Path) -> None:
        moment = _NEWEST - self._rng.random() * _DAYS * _DAY
        os.utime(path, (moment, moment))

    def _uuid(self) -> str:
        return str(uuid.UUID(int=self._rng.getrandbits(128), version=4))


if __name__ == "__main__":
    made = library_home()
    print(f"{made.path}  {made.logs:,} logs  {made.bytes / GB:.1f} GB")
