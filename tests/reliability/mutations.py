"""Mutated records of every provider: decoded, joined, drawn, masked, and every byte in the account.

A batch is some neighbouring records of one sample, most of them mutated, in a log of their own. It
is made from the provider and its number alone, so that one number makes a failure again.
"""

import os
import random
import signal
import tempfile
import traceback
from collections.abc import Iterator
from functools import cache
from multiprocessing import get_context
from pathlib import Path

from agentview.cli.output.activity_text import Renderings
from agentview.domain.record_ref import SourceRef
from agentview.facts.accounting.log_bytes import LogBytes, records_of
from agentview.providers.base import Provider
from agentview.redaction.values import masked_activity
from agentview.settings.values import Settings
from agentview.sources.line_splitter import Line
from agentview.timeline.view.detail_levels import DetailLevel
from tests.mutations import mutated, uncovered
from tests.providers.joined_log import joined
from tests.reliability.outcome import Outcome, Plan
from tests.samples import Sample, all_samples
from tests.ui.hostile import CONTROL

BATCH = 25
"""Mutated records of a batch."""
_WHOLE = 0.2
"""Share of records that stay as they are, so that there is something to join with."""
_PATIENCE = 300
"""Seconds of a batch after which it counts as a hang."""
_LONGEST = 50_000
"""Bytes of a record: longer ones are the business of tests of their own."""

Batch = tuple[str, int]


def run(plan: Plan, root: Path) -> Iterator[Outcome]:
    """One line for all providers."""
    del root
    names = plan.providers or tuple(sorted(_samples()))
    batches = max(1, plan.count // BATCH)
    numbers = range(plan.first, plan.first + batches)
    asked = [(name, number) for number in numbers for name in names]
    done = f"{batches * BATCH:,} mutated records of each of {len(names)} formats"
    outcome = Outcome("mutations", done, unit="records")
    with outcome.timed(), get_context("spawn").Pool(os.cpu_count()) as pool:
        for count, failures in pool.imap_unordered(tried, asked, chunksize=4):
            outcome.count += count
            outcome.failures += failures
    yield outcome


def tried(batch: Batch) -> tuple[int, list[str]]:
    """How many mutated records a batch had, and what failed."""
    signal.signal(signal.SIGALRM, _late)
    signal.alarm(_PATIENCE)
    name, number = batch
    chance = random.Random(f"{name}:{number}")  # noqa: S311
    sample = chance.choice(_samples()[name])
    count, failures = 0, list[str]()
    try:
        with tempfile.TemporaryDirectory(prefix="agentview-mutations-") as folder:
            path = Path(folder) / sample.path.name
            while count < BATCH:
                data, mutants = _log(sample, chance, BATCH - count)
                count += mutants
                path.write_bytes(data)
                failures += [_said(sample, number, said) for said in _faults(sample.provider, path)]
    except Exception:
        failures.append(_said(sample, number, traceback.format_exc(limit=-6)))
    finally:
        signal.alarm(0)
    return count, failures


def _said(sample: Sample, number: int, fault: str) -> str:
    name = sample.provider.name
    again = f"python -m tests.reliability mutations --provider {name} --first {number} --count 1"
    return f"{sample}, batch {number} ({again}): {fault}"


def _late(*_: object) -> None:
    raise TimeoutError(f"no end within {_PATIENCE} s")


@cache
def _samples() -> dict[str, list[Sample]]:
    found: dict[str, list[Sample]] = {}
    for sample in all_samples():
        found.setdefault(sample.provider.name, []).append(sample)
    return found


@cache
def _records(path: Path) -> list[Line]:
    (sample,) = [one for some in _samples().values() for one in some if one.path == path]
    return [line for line in sample.lines() if line.data and line.length <= _LONGEST]


def _log(sample: Sample, chance: random.Random, wanted: int) -> tuple[bytes, int]:
    """A log with so many mutated records, and their number: a document may have fewer."""
    records = _records(sample.path)
    if sample.is_document:
        return _document(sample, chance, wanted)
    at = chance.randrange(max(1, len(records) - BATCH // 2))
    lines: list[bytes] = []
    count = 0
    while count < wanted:
        data = records[at % len(records)].data or b""
        at += 1
        if chance.random() < _WHOLE:
            lines.append(data)
        else:
            lines.append(mutated(data, chance))
            count += 1
    return b"\n".join(lines) + (b"\n" if chance.random() < 0.9 else b""), count


def _document(sample: Sample, chance: random.Random, wanted: int) -> tuple[bytes, int]:
    """The document with mutated records in their places; few are no JSON, as all hold together."""
    data, parts = sample.data, list[bytes]()
    end = count = 0
    of_bytes = 0.5 if chance.random() < 0.1 else 0.0
    for line in _records(sample.path):
        if count == wanted:
            break
        if line.offset < end or chance.random() < _WHOLE:
            continue
        parts += [data[end : line.offset], mutated(line.data or b"", chance, of_bytes=of_bytes)]
        end = line.offset + line.length
        count += 1
    return b"".join([*parts, data[end:]]), count


def _faults(provider: Provider, path: Path) -> Iterator[str]:
    """Look at a log as commands and screens do."""
    yield from _unaccounted(provider, path)
    store = joined(provider, path)
    for row in range(store.first, store.end):
        if not store.shown(row):
            continue
        activity = store.activity(row)
        masked = masked_activity(activity)
        for shown in (activity, masked) if masked != activity else (activity,):
            for view in _views():
                for text in view.lines(store.kind(row), shown):
                    if found := CONTROL.search(text):
                        yield f"control character {found[0]!r} in {text[:80]!r}"


@cache
def _views() -> list[Renderings]:
    """The title of an activity in a wide terminal, and all of it in a narrow one."""
    settings = Settings()
    return [
        Renderings(
            width,
            settings.preferences(level, live=False),
            colour=False,
            ascii_only=False,
            theme=None,
        )
        for width, level in ((100, DetailLevel.TITLE), (60, DetailLevel.FULL))
    ]


def _unaccounted(provider: Provider, path: Path) -> Iterator[str]:
    """Bytes that are in no record, and those of records that no event has."""
    whole = LogBytes()
    ref = provider.discovery.ref(path)
    inside = 0
    for line, _ in records_of(provider, path, whole):
        inside += line.length
        if line.data is None:
            continue
        events = provider.decode(line.data, SourceRef(ref.path, line.offset, line.length), ref)
        if not events:
            yield f"no event of the record at {line.offset}"
        elif left := uncovered(line, events):
            yield f"bytes of the record at {line.offset} are in no event: {left[:40]!r}"
    if whole.separators.other or inside + whole.separators.total != path.stat().st_size:
        yield f"{inside} bytes in records, {whole.separators} between, of {path.stat().st_size}"
