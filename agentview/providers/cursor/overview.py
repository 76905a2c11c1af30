"""What a session is about and what it is doing, from the records at its two ends."""

import time
from collections.abc import Iterator
from dataclasses import replace

from agentview.domain.events import (
    Event,
    Facts,
    Hidden,
    Message,
    Notification,
    Reasoning,
    ToolResult,
    Topic,
    Unparsed,
    User,
)
from agentview.domain.session import LiveState, SessionInfo, SessionRef
from agentview.domain.source import SourceRef
from agentview.domain.tools import ToolCall, ToolKind
from agentview.providers.cursor.decode import decode
from agentview.providers.cursor.plain import begins_plain, split_plain

_TITLE_CHARS = 200
_STALE_AFTER = 1800.0
"""Seconds without a record after which a session that had something to do counts as stale."""


def overview(ref: SessionRef, head: bytes, tail: bytes, tail_start: int) -> SessionInfo:
    """Facts about a session from the bytes of its head and of its tail, which begins anywhere.

    The title is the first prompt. Times are of records, never of the file: a transcript has none.
    """
    found = SessionInfo(ref)
    prompts: list[str] = []
    for event in (*_events(head, 0, ref), *_events(tail.partition(b"\n")[2], tail_start, ref)):
        found = _with(found, event)
        if isinstance(event.body, User) and not prompts and event.body.text.strip():
            prompts.append(event.body.text)
    # Where records have no times, only the file can tell that nothing has come for long.
    heard = found.last_activity if found.last_activity is not None else ref.modified
    silent = heard is not None and time.time() - heard > _STALE_AFTER
    if found.state is LiveState.WORKING and silent:
        found = replace(found, state=LiveState.STALE)
    title = next(iter(prompts), ref.label)
    return replace(found, title=" ".join(title.split())[:_TITLE_CHARS] if title else None)


def _events(block: bytes, start: int, ref: SessionRef) -> Iterator[Event]:
    """Events of the whole records of a block."""
    if begins_plain(block):
        for begin, end in split_plain(block):
            place = SourceRef(ref.path, start + begin, end - begin)
            yield from decode(block[begin:end], place, ref)
        return
    offset = start
    for line in block.split(b"\n"):
        if line.startswith(b"{") and line.rstrip(b"\r").endswith(b"}"):
            yield from decode(line, SourceRef(ref.path, offset, len(line)), ref)
        offset += len(line) + 1


def _with(found: SessionInfo, event: Event) -> SessionInfo:
    facts = event.facts or Facts()
    at = event.time
    times = [each for each in (found.started, at) if each is not None]
    ends = [each for each in (found.last_activity, at) if each is not None]
    return replace(
        found,
        project=found.project or facts.cwd,
        model=facts.model or found.model,
        started=min(times, default=None),
        last_activity=max(ends, default=None),
        state=_state(event) or found.state,
    )


def _state(event: Event) -> LiveState | None:
    body = event.body
    if isinstance(body, Hidden | Unparsed):
        return None
    if isinstance(body, Notification):
        if body.topic is Topic.TURN_END:
            return LiveState.WAITING_INPUT
        return LiveState.INTERRUPTED if body.topic is Topic.INTERRUPT else None
    if isinstance(body, Message) or (isinstance(body, ToolCall) and body.kind is ToolKind.ASK):
        return LiveState.WAITING_INPUT
    working = isinstance(body, User | Reasoning | ToolCall | ToolResult)
    return LiveState.WORKING if working else None
