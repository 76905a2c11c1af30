"""A record of these clients, or a part of one."""

import re
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from msgspec import Struct

from agentview.domain.events import TokenUsage, ToolResult
from agentview.domain.index_entry import EventFact, EventLinks
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.domain.tools import ToolCall
from agentview.domain.usage import Usage
from agentview.normalize.tools.specs import KnownCall
from agentview.providers._kit.typed_records import LightEvent, TypedBuilder

RECORD_START = re.compile(
    r'\{\s*"(?:uuid|sessionId|\$set|\$rewindTo|(?:id|type)"\s*:\s*"[^"]*"\s*,\s*"timestamp)"\s*:'
)
"""How records of these clients begin; what is inside of them begins otherwise."""
_NO_TIE = EventLinks()

_Record = TypeVar("_Record", bound=Struct)


def owner_of(session: SessionRef) -> str | None:
    """Prefix for the names of records that have no id: they count in all of a session."""
    return session.session_id if session.stream.kind is StreamKind.MAIN else session.stream.id


class GeminiBuilder(TypedBuilder[_Record], Generic[_Record], gc=False):
    """A record whose frequent events are light."""

    def used(self, response: str, usage: Usage, model: str | None) -> EventFact:
        return self.usage_part(TokenUsage(response, usage, model))

    def call(
        self,
        suffix: str,
        call_id: str,
        known: KnownCall | None,
        make: Callable[..., ToolCall],
        args: tuple[Any, ...],
        tie: EventLinks = _NO_TIE,
        **joined: Any,
    ) -> LightEvent:
        """A call; `known` is None where its arguments have a say in what it is.

        `joined` are `replaces`, `child` and `path` of the event.
        """
        if known is None:
            run, amends = tie.run, tie.amends
            return self.event(suffix, make(*args), run=run, amends=amends, **joined)
        path = joined.pop("path", "")
        light = self.call_part(suffix, call_id, known, make, args, **joined)
        light.path, light.tie = path, None if tie is _NO_TIE else tie
        return light

    def result(  # noqa: PLR0913  (each is a field of the event)
        self,
        suffix: str,
        call_id: str,
        ok: bool | None,
        make: Callable[..., ToolResult],
        args: tuple[Any, ...],
        *,
        time: float | None = None,
        key: str | None = None,
        child: Stream | None = None,
        path: str = "",
    ) -> LightEvent:
        """The result of a call; `ok` is None where only the whole of it says how that ended."""
        if ok is None:
            body = make(*args)
            return self.event(suffix, body, time=time, dedupe_key=key, child=child, path=path)
        light = self.result_part(suffix, call_id, make, args, failed=not ok, child=child)
        light.dedupe, light.path = key, path
        if time is not None:
            light.time = time
        return light
