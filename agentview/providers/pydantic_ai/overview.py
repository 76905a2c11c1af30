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
from agentview.domain.session import LiveState, SessionInfo, SessionRef, StreamKind
from agentview.domain.source import SourceRef
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.spans import element_spans
from agentview.providers.pydantic_ai.decode import decode
from agentview.providers.pydantic_ai.probing import begins_list

_TITLE_CHARS = 200
_STALE_AFTER = 1800.0
"""Seconds without a record after which a session that had something to do counts as stale."""


def overview(ref: SessionRef, head: bytes, tail: bytes, tail_start: int) -> SessionInfo:
    """Facts about a session from the bytes of its head and of its tail, which begins anywhere.

    The title is the first prompt. Of a long list of messages only its beginning is told: where a
    message begins cannot be known from its end.
    """
    found = SessionInfo(ref)
    title: str | None = None
    for event in _events(head, tail, tail_start, ref):
        found = _with(found, event)
        if isinstance(event.body, User) and event.body.text.strip():
            title = title or event.body.text
    # Where records have no times, only the file can tell that nothing has come for long.
    heard = found.last_activity if found.last_activity is not None else ref.modified
    silent = heard is not None and time.time() - heard > _STALE_AFTER
    if found.state is LiveState.WORKING and silent:
        found = replace(found, state=LiveState.STALE)
    title = title or ref.label
    return replace(found, title=" ".join(title.split())[:_TITLE_CHARS] if title else None)


def _events(head: bytes, tail: bytes, tail_start: int, ref: SessionRef) -> Iterator[Event]:
    if not begins_list(head):
        yield from _lines(head, 0, ref)
        yield from _lines(tail.partition(b"\n")[2], tail_start, ref)
        return
    # A list that is a member of a document has no other list in front of it.
    for start, end in element_spans(head, head.index(b"[")):
        yield from decode(head[start:end], SourceRef(ref.path, start, end - start), ref)


def _lines(block: bytes, start: int, ref: SessionRef) -> Iterator[Event]:
    """Events of the whole lines of a block."""
    offset = start
    for line in block.split(b"\n"):
        bare = line.rstrip(b"\r")
        if (bare[:1] + bare[-1:]) in (b"{}", b"[]"):
            yield from decode(line, SourceRef(ref.path, offset, len(line)), ref)
        offset += len(line) + 1


def _with(found: SessionInfo, event: Event) -> SessionInfo:
    facts = event.facts or Facts()
    at = event.time
    times = [each for each in (found.started, at) if each is not None]
    ends = [each for each in (found.last_activity, at) if each is not None]
    main = event.stream.kind is StreamKind.MAIN
    return replace(
        found,
        model=(facts.model if main else None) or found.model,
        started=min(times, default=None),
        last_activity=max(ends, default=None),
        state=(_state(event) if main else None) or found.state,
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
