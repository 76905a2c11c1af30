"""A session log that another Python program reads: its joined events, once or while it grows."""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from datetime import datetime
from typing import cast

from agentview.domain.session import SessionInfo, SessionRef, Stream
from agentview.domain.value import Value
from agentview.providers import load_provider
from agentview.reports.export.events import RESET, Fields, Status
from agentview.reports.export.joined import JoinedLines
from agentview.reports.export.log_feed import SessionFeed
from agentview.reports.export.masking import masked_line


class JoinedEvent(Value):
    """One activity with all that the log has of it, as a line of `agentview events`."""

    id: str
    """The same on each run."""
    type: str
    """Such as `user`, `message` or `tool_call`; `reset` voids all earlier ones."""
    session: str
    stream: Stream
    time: float | None
    """Epoch seconds UTC."""
    status: Status
    revision: int
    """1 for an event that is given for the first time; a later one replaces it."""
    fields: Mapping[str, object]
    """All keys of the line by their names; docs/events.md describes them."""


class SessionLog:
    """A session and the agents that it started."""

    def __init__(self, ref: SessionRef, *, subagents: bool = True, mask: bool = False) -> None:
        """With `mask`, secrets in what was said and done are masked."""
        self.ref = ref
        self._provider = load_provider(ref.provider)
        self._subagents = subagents
        self._mask = mask

    @property
    def info(self) -> SessionInfo:
        """Title, project, times and more, from both ends of the log."""
        return self._provider.info(self.ref)

    def events(self, *, every: bool = False) -> Iterator[JoinedEvent]:
        """All events that the logs have now, log after log, the session's own first.

        With `every`, also those that do not count: see `JoinedEvent.status`. Raises AgentViewError
        when the log cannot be read.
        """
        yield from self._made(self._feed(every=every, follow=False).read())

    async def follow(self, *, every: bool = False) -> AsyncIterator[JoinedEvent]:
        """The same, then events as they are written; never ends by itself.

        An event that changes an earlier one has its id and the next revision.
        """
        async for lines in self._feed(every=every, follow=True).follow():
            for event in self._made(lines):
                yield event

    def _feed(self, *, every: bool, follow: bool) -> SessionFeed:
        form = JoinedLines(self._provider, every=every, follow=follow)
        return SessionFeed(self._provider, self.ref, form, subagents=self._subagents)

    def _made(self, lines: Iterable[Fields]) -> Iterator[JoinedEvent]:
        for line in lines:
            yield _event(masked_line(line) if self._mask else line)


def _event(line: Fields) -> JoinedEvent:
    time, is_reset = line["time"], line["type"] == RESET
    return JoinedEvent(
        id=str(line["id"]),
        type=str(line["type"]),
        session=str(line["session"]),
        stream=cast("Stream", line["stream"]),
        time=datetime.fromisoformat(time).timestamp() if isinstance(time, str) else None,
        status=Status.ACTIVE if is_reset else Status(str(line["status"])),
        revision=1 if is_reset else int(str(line["revision"])),
        fields=line,
    )
