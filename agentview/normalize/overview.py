"""What a session is about and what it is doing, from its events alone."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from agentview.domain.events import (
    Event,
    Facts,
    Hidden,
    Message,
    Notification,
    Reasoning,
    Title,
    ToolResult,
    Topic,
    Unparsed,
    User,
)
from agentview.domain.session import LiveState, SessionInfo, SessionRef
from agentview.domain.tools import ToolCall, ToolKind

_TITLE_CHARS = 200
_STALE_AFTER = 1800.0
"""Seconds without a record after which a session that had something to do counts as stale."""


@dataclass(slots=True)
class _Seen:
    facts: Facts = field(default_factory=Facts)
    times: list[float] = field(default_factory=list[float])
    title: str | None = None
    prompt: str | None = None
    state: LiveState = LiveState.UNKNOWN


def overview(ref: SessionRef, events: Iterable[Event]) -> SessionInfo:
    """Facts about a session from events of its head and its tail, in file order.

    The title is the last that was given, else the first prompt. Times are those of records.
    """
    seen = _Seen()
    for event in events:
        _take(seen, event)
    last = max(seen.times, default=None)
    if seen.state is LiveState.WORKING and last is not None and time.time() - last > _STALE_AFTER:
        seen.state = LiveState.STALE
    title = seen.title or seen.prompt or ref.label
    return SessionInfo(
        ref,
        title=" ".join(title.split())[:_TITLE_CHARS] if title else None,
        project=seen.facts.cwd,
        branch=seen.facts.branch,
        model=seen.facts.model,
        client_version=seen.facts.client_version,
        started=min(seen.times, default=None),
        last_activity=last,
        state=seen.state,
    )


def _take(seen: _Seen, event: Event) -> None:
    facts = event.facts
    if facts is not None:
        seen.facts = Facts(
            cwd=seen.facts.cwd or facts.cwd,
            branch=facts.branch or seen.facts.branch,
            model=facts.model or seen.facts.model,
            client_version=facts.client_version or seen.facts.client_version,
        )
    if event.time is not None:
        seen.times.append(event.time)
    body = event.body
    if isinstance(body, User):
        seen.prompt = seen.prompt or body.text.strip() or None
    elif isinstance(body, Title):
        seen.title = body.text
    if not isinstance(body, Hidden | Unparsed):
        seen.state = _state(event) or seen.state


def _state(event: Event) -> LiveState | None:
    body = event.body
    if isinstance(body, Notification):
        if body.topic is Topic.TURN_END:
            return LiveState.WAITING_INPUT
        return LiveState.INTERRUPTED if body.topic is Topic.INTERRUPT else None
    if isinstance(body, Message):
        return LiveState.WAITING_INPUT
    if isinstance(body, ToolCall) and body.kind is ToolKind.ASK:
        return LiveState.WAITING_APPROVAL
    working = isinstance(body, User | Reasoning | ToolCall | ToolResult)
    return LiveState.WORKING if working else None
