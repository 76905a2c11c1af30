"""What a session is about and what it is doing, from the records at its two ends."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

from agentview.domain.events import (
    Body,
    Event,
    Facts,
    Hidden,
    Message,
    Notification,
    Reasoning,
    Title,
    TitleSource,
    ToolResult,
    Topic,
    Unparsed,
    User,
)
from agentview.domain.session import LiveState, SessionInfo, SessionRef
from agentview.domain.source import SourceRef
from agentview.domain.tools import ToolCall, ToolKind
from agentview.providers.qwen_code.decode import decode

_TITLE_CHARS = 200
_STALE_AFTER = 1800.0
"""Seconds without a record after which a session that had something to do counts as stale."""


@dataclass(slots=True)
class _Overview:
    cwd: str | None = None
    branch: str | None = None
    model: str | None = None
    version: str | None = None
    started: float | None = None
    last: float | None = None
    given: str | None = None
    made: str | None = None
    prompt: str | None = None
    state: LiveState = LiveState.UNKNOWN


def overview(ref: SessionRef, head: bytes, tail: bytes, tail_start: int) -> SessionInfo:
    """Facts about a session from the bytes of its head and of its tail, which begins anywhere.

    The title is the one the person gave, else the one the client made, else the first prompt.
    Times are of records, never of the file.
    """
    found = _Overview()
    for event in _events(head, 0, ref):
        _take(found, event)
    for event in _events(tail.partition(b"\n")[2], tail_start, ref):
        _take(found, event)
    silent = time.time() - found.last if found.last is not None else 0.0
    if found.state is LiveState.WORKING and silent > _STALE_AFTER:
        found.state = LiveState.STALE
    title = found.given or found.made or ref.label or found.prompt
    return SessionInfo(
        ref,
        title=" ".join(title.split())[:_TITLE_CHARS] if title else None,
        project=found.cwd,
        branch=found.branch,
        model=found.model,
        client_version=found.version,
        started=found.started,
        last_activity=found.last,
        state=found.state,
    )


def _events(block: bytes, start: int, ref: SessionRef) -> Iterator[Event]:
    """Events of the whole lines of a block."""
    offset = start
    for line in block.split(b"\n"):
        if line.startswith(b"{") and line.rstrip(b"\r").endswith(b"}"):
            yield from decode(line, SourceRef(ref.path, offset, len(line)), ref)
        offset += len(line) + 1


def _take(found: _Overview, event: Event) -> None:
    if event.facts is not None:
        _take_facts(found, event.facts)
    if event.time is not None:
        found.started = event.time if found.started is None else min(found.started, event.time)
        found.last = event.time if found.last is None else max(found.last, event.time)
    body = event.body
    if isinstance(body, User):
        found.prompt = found.prompt or body.text.strip() or None
    elif isinstance(body, Title) and body.source is TitleSource.CUSTOM:
        found.given = body.text
    elif isinstance(body, Title):
        found.made = body.text
    if not isinstance(body, Hidden | Unparsed | Title):
        found.state = _state(body) or found.state


def _take_facts(found: _Overview, facts: Facts) -> None:
    # The session is resumed from where it began, wherever it went later.
    found.cwd = found.cwd or facts.cwd
    found.branch = facts.branch or found.branch
    found.model = facts.model or found.model
    found.version = facts.client_version or found.version


def _state(body: Body) -> LiveState | None:
    if isinstance(body, Notification):
        return LiveState.WAITING_INPUT if body.topic is Topic.TURN_END else None
    if isinstance(body, Message):
        return LiveState.WAITING_INPUT
    if isinstance(body, ToolCall) and body.kind is ToolKind.ASK:
        return LiveState.WAITING_INPUT
    working = isinstance(body, User | Reasoning | ToolCall | ToolResult)
    return LiveState.WORKING if working else None
