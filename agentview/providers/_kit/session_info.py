"""What a session is about and what it is doing, from its events alone."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from agentview.domain.events import (
    Event,
    Facts,
    Hidden,
    Message,
    Notification,
    Title,
    TitleSource,
    TokenUsage,
    ToolProgress,
    ToolResult,
    User,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import LiveState, SessionInfo, SessionRef, StreamKind
from agentview.domain.tools import ToolCall
from agentview.normalize.session_state import signal_of, state_of

_TITLE_CHARS = 200

_EDGE = 24
"""Lines at each end of a block that tell what is said first and what is going on."""
_BOM = b"\xef\xbb\xbf"
"""May stand in front of the first line of a log."""
_TOLD_WITHIN = 400
"""Bytes of a line that say what sort of record it is."""

Decode = Callable[[bytes, SourceRef, SessionRef], list[Event]]
Telling = Callable[[bytes, int, int], object]
"""As `search` of a pattern: finds something in a line, from one byte to another, or None."""


@dataclass(slots=True)
class _Seen:
    facts: Facts = field(default_factory=Facts)
    times: list[float] = field(default_factory=list[float])
    given: str | None = None
    made: str | None = None
    prompt: str | None = None
    answer: str = ""
    answering: str | None = None
    """The run of which the answer is, as long as more of it may come."""
    state: LiveState = LiveState.UNKNOWN
    calls: set[str] = field(default_factory=set[str])
    """Ids of the calls so far."""


def overview(
    ref: SessionRef,
    events: Iterable[Event],
    *,
    name: str | None = None,
    project: str | None = None,
) -> SessionInfo:
    """Facts about a session from events of its head and its tail, in file order.

    The title is the `name` that stands beside the log, else the last one that the person gave, else
    the last that the client made, else the first prompt, else, where no prompt is recorded, the
    first words of the agent. `project` is its directory where no record tells. Times are those of
    records. The state is what the records say; see `state_after` for what silence makes of it.
    """
    seen = _Seen()
    for event in events:
        _take(seen, event, ref)
    last = max(seen.times, default=None)
    if seen.state is LiveState.WAITING_INPUT and ref.stream.kind is not StreamKind.MAIN:
        # An agent waits for nobody: what it said last is what it came to.
        seen.state = LiveState.ENDED
    title = name or seen.given or seen.made or seen.prompt or ref.label
    title = title or seen.answer.partition("\n")[0]
    return SessionInfo(
        ref,
        title=" ".join(title.split())[:_TITLE_CHARS] if title else None,
        project=seen.facts.cwd or project,
        branch=seen.facts.branch,
        model=seen.facts.model,
        client_version=seen.facts.client_version,
        started=min(seen.times, default=None),
        last_activity=last,
        state=seen.state,
    )


def whole_lines(
    block: bytes, start: int, ref: SessionRef, decode: Decode, telling: Telling | None = None
) -> Iterator[Event]:
    """Events of the lines of a block that hold a whole JSON object or list each.

    The block begins `start` bytes into the log; its first and its last line may be cut. With
    `telling`, lines that are neither of the first nor of the last ones are left out unless it
    finds in their beginnings that they tell something of the session.
    """
    whole = block.removeprefix(_BOM) if start == 0 else block
    offset = start + len(block) - len(whole)
    lines = whole.split(b"\n")
    for number, line in enumerate(lines):
        bare = line.strip(b" \t\r\x00")
        amidst = _EDGE <= number < len(lines) - _EDGE
        silent = amidst and telling is not None and telling(line, 0, _TOLD_WITHIN) is None
        if not silent and (bare[:1] + bare[-1:]) in (b"{}", b"[]"):
            yield from decode(line, SourceRef(ref.path, offset, len(line)), ref)
        offset += len(line) + 1


def end_lines(
    head: bytes,
    tail: bytes,
    tail_start: int,
    ref: SessionRef,
    decode: Decode,
    telling: Telling | None = None,
) -> Iterator[Event]:
    """Events of the whole lines of the head of a log and of its tail, which begins anywhere."""
    yield from whole_lines(head, 0, ref, decode, telling)
    cut, _, rest = tail.partition(b"\n")
    yield from whole_lines(rest, tail_start + len(cut) + 1, ref, decode, telling)


def _take(seen: _Seen, event: Event, ref: SessionRef) -> None:
    if event.time is not None:
        seen.times.append(event.time)
    if event.stream.kind is not StreamKind.MAIN and event.stream != ref.stream:
        return
    if event.facts is not None:
        seen.facts = _later(seen.facts, event.facts)
    body = event.body
    if isinstance(body, User):
        seen.prompt = seen.prompt or body.text.strip() or None
    elif isinstance(body, Title) and body.source is TitleSource.CUSTOM:
        seen.given = body.text
    elif isinstance(body, Title) and not _is_outcome(body, ref):
        seen.made = body.text
    if isinstance(body, Message):
        _answer(seen, event, body.text)
    elif not isinstance(body, Hidden | TokenUsage | ToolProgress | ToolResult):
        seen.answering = None
    _follow(seen, event)


def _follow(seen: _Seen, event: Event) -> None:
    """Take what an event says about who has to act next."""
    body, signal = event.body, signal_of(event)
    late = isinstance(body, ToolResult) or (isinstance(body, Notification) and body.failed)
    if isinstance(body, ToolCall):
        late = body.call_id in seen.calls
        seen.calls.add(body.call_id)
    # What still comes of a call or a request that somebody stopped changes nothing.
    if signal and (seen.state is not LiveState.INTERRUPTED or not late):
        seen.state = state_of(signal)


def _answer(seen: _Seen, event: Event, text: str) -> None:
    """Take the first words of the agent, which may come in pieces."""
    if not seen.answer:
        seen.answer, seen.answering = text.lstrip(), event.run or None
    elif seen.answering is not None and event.run == seen.answering:
        seen.answer = text if event.whole else (seen.answer + text)[:_TITLE_CHARS]
    else:
        seen.answering = None


def _is_outcome(title: Title, ref: SessionRef) -> bool:
    """Whether a summary is what an agent gave back, rather than what it was about."""
    return title.source is TitleSource.SUMMARY and ref.stream.kind is not StreamKind.MAIN


def _later(before: Facts, facts: Facts) -> Facts:
    return Facts(
        # The session is resumed from where it began, wherever it went later.
        cwd=before.cwd or facts.cwd,
        branch=facts.branch or before.branch,
        model=facts.model or before.model,
        client_version=facts.client_version or before.client_version,
    )
