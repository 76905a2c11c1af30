"""`agentview demo`: a sample session, written record by record as if an agent were at work."""

import argparse
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agentview.cli.launch_ui import require_terminal, show
from agentview.domain.record_ref import SourceRef
from agentview.errors import NotFound
from agentview.export.encoding import iso_time
from agentview.paths import sample_sessions_dir
from agentview.providers import load_provider
from agentview.providers.base import Provider
from agentview.settings import LaunchOptions, Screen
from agentview.targets.log_file import chosen_providers

SECONDS = 40.0
"""How long the sample takes to play."""

FIRST_RECORDS = 3
"""What is there when the screen comes up, so that it does not begin empty."""

_NAME = "demo"
_LONGEST_GAP = 20.0
_SHORTEST_GAP = 0.4


@dataclass(frozen=True, slots=True)
class Step:
    """One record of the sample: the file it belongs to, its bytes, and its time if it has one."""

    path: Path
    record: bytes
    time: float | None


def run(options: argparse.Namespace) -> int:
    """Play the sample in a temporary directory, which is deleted at the end."""
    require_terminal()
    source = _sample(options.provider)
    provider = load_provider(source.parent.name)
    steps = read_steps(provider, source)
    with tempfile.TemporaryDirectory(prefix="agentview-demo-") as directory:
        main = Path(directory) / source.name
        for step in steps[:FIRST_RECORDS]:
            write_step(Path(directory), step)
        ended = threading.Event()
        player = threading.Thread(
            target=play,
            args=(Path(directory), steps[FIRST_RECORDS:], SECONDS / options.speed, ended),
            daemon=True,
        )
        player.start()
        start = LaunchOptions(Screen.SESSION, provider.discovery.ref(main), live=True, demo=True)
        try:
            return show(start, options)
        finally:
            ended.set()
            player.join()


def _sample(provider: str | None) -> Path:
    """The demo of a provider; without one, rather one in which agents have logs of their own."""
    places = [sample_sessions_dir() / name for name in chosen_providers(provider)]
    found = [path for place in places if (path := place / f"{_NAME}.jsonl").is_file()]
    if not found:
        raise NotFound("No sample session is installed.", "Install agentview again.")
    return min(found, key=lambda path: not path.with_suffix("").is_dir())


def read_steps(provider: Provider, source: Path) -> list[Step]:
    """All records of the sample in the order of their times.

    Logs of agents that the session started are in a folder of the sample's name next to it. What
    belongs to a log but is none comes whole, before its first record.
    """
    timed: list[tuple[float, Step]] = []
    folder = source.with_suffix("")
    others = [path for path in sorted(folder.rglob("*.*")) if path.suffix != source.suffix]
    for log in (source, *sorted(folder.rglob(f"*{source.suffix}"))):
        steps = [
            Step(log.relative_to(source.parent), line, _time(provider, source, line))
            for line in log.read_bytes().splitlines(keepends=True)
        ]
        moment = next((step.time for step in steps if step.time is not None), 0.0)
        for path in others:
            if path.name.startswith(f"{log.stem}."):
                whole = Step(path.relative_to(source.parent), path.read_bytes(), None)
                timed.append((moment, whole))
        for step in steps:
            moment = moment if step.time is None else max(moment, step.time)
            timed.append((moment, step))
    return [step for _, step in sorted(timed, key=lambda pair: pair[0])]


def _time(provider: Provider, source: Path, line: bytes) -> float | None:
    ref = provider.discovery.ref(source)
    events = provider.decode(line.rstrip(b"\r\n"), SourceRef(ref.path, 0, len(line)), ref)
    return next((event.time for event in events if event.time is not None), None)


def gaps(steps: Sequence[Step], seconds: float) -> list[float]:
    """Seconds to wait before each step: as recorded, evened out, scaled to `seconds` in all."""
    waits: list[float] = []
    last: float | None = None
    for step in steps:
        passed = 0.0 if step.time is None or last is None else step.time - last
        waits.append(min(_LONGEST_GAP, max(_SHORTEST_GAP, passed)) if step.time else 0.0)
        last = step.time or last
    total = sum(waits)
    return [wait * seconds / total for wait in waits] if total else waits


def play(directory: Path, steps: Sequence[Step], seconds: float, ended: threading.Event) -> None:
    """Write the steps in `seconds`, or until `ended` is set."""
    for step, wait in zip(steps, gaps(steps, seconds), strict=True):
        if ended.wait(wait):
            return
        write_step(directory, step)


def write_step(directory: Path, step: Step) -> None:
    """Append the record to its file, with this moment in the place of the recorded one."""
    record = step.record
    recorded, now = iso_time(step.time), iso_time(time.time())
    if recorded is not None and now is not None:
        record = record.replace(recorded.encode(), now.encode())
    path = directory / step.path
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        file.write(record)
