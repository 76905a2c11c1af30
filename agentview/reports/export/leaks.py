"""Secrets in logs: where each is, and by which rule it is found; never its text."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from agentview.domain.session import SessionRef
from agentview.domain.value import Value
from agentview.errors import AgentViewError
from agentview.providers import load_provider
from agentview.providers.contained import reading
from agentview.redaction.secrets import HOMES_RULE, name_tokens
from agentview.redaction.values import masked_value
from agentview.reports.export.events import IDS_AND_PLACES, Fields
from agentview.reports.export.log_feed import SessionFeed
from agentview.reports.export.records import RecordLines
from agentview.sources.open_file import read_at

_RAW = "raw"
"""The part of a secret that is in a record, and in nothing that was read of it."""
_LONGEST = 4 * 1024 * 1024
"""Bytes of a record whose own text is looked at."""


class Leak(Value):
    """Secrets of one rule in one record."""

    ref: SessionRef
    line: int | None
    """1-based; None where the log has no lines."""
    offset: int
    """Bytes from the start of the log."""
    time: str | None
    """ISO 8601 in UTC; None where the record has none."""
    part: str
    """The part with the secret: the type of an event, or `raw`."""
    rule: str
    count: int


def leaks(ref: SessionRef) -> Iterator[Leak]:
    """The secrets in one log, in its order; names of home directories are none.

    Raises AgentViewError when the log cannot be read.
    """
    with reading(ref):
        yield from _leaks_of(ref)


def _leaks_of(ref: SessionRef) -> Iterator[Leak]:
    provider = load_provider(ref.provider)
    last: Fields | None = None
    rules: set[str] = set()
    for line in SessionFeed(provider, ref, RecordLines(provider), subagents=False).read():
        if last is not None and _place(line) != _place(last):
            yield from _raw(ref, last, rules)
            rules = set()
        last = line
        found = _stated(line)
        rules.update(found)
        yield from _leaks(ref, line, str(line["type"]), found)
    if last is not None:
        yield from _raw(ref, last, rules)


def _stated(line: Fields) -> Counter[str]:
    found = Counter[str]()
    for key, value in line.items():
        if key not in IDS_AND_PLACES:
            masked_value(value, lambda rule: found.update((rule,)))
    del found[HOMES_RULE]
    return found


def _raw(ref: SessionRef, line: Fields, known: set[str]) -> Iterator[Leak]:
    """Tokens in the bytes of a record that are in none of its events."""
    offset, length = _place(line)
    try:
        data = read_at(Path(ref.path), offset, min(length, _LONGEST))
    except AgentViewError:
        # The log was cut or replaced meanwhile.
        return
    tokens = (rule for _, _, rule in name_tokens(data.decode("utf-8", "replace")))
    yield from _leaks(ref, line, _RAW, Counter(rule for rule in tokens if rule not in known))


def _leaks(ref: SessionRef, line: Fields, part: str, found: Counter[str]) -> Iterator[Leak]:
    source = cast("dict[str, object]", line["source"])
    for rule, count in found.items():
        number, time = source["line"], line["time"]
        yield Leak(
            ref,
            number if isinstance(number, int) else None,
            _place(line)[0],
            time if isinstance(time, str) else None,
            part,
            rule,
            count,
        )


def _place(line: Fields) -> tuple[int, int]:
    source = cast("dict[str, int]", line["source"])
    return source["offset"], source["length"]
