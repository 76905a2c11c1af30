"""The record that is being decoded, and the one place where its events are made."""

from collections.abc import Sequence
from copy import copy
from functools import lru_cache
from typing import Self, TypeVar, cast

from msgspec.structs import replace

from agentview.domain.activity import RowKind
from agentview.domain.events import (
    Body,
    Event,
    Facts,
    Hidden,
    Message,
    Reset,
    Rewind,
    TokenUsage,
    Unparsed,
)
from agentview.domain.index_entry import CALLS, KIND_CODES, NO_ROW, EventFact
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, Stream
from agentview.domain.session_times import row_code
from agentview.normalize.raw_span import value_text
from agentview.normalize.session_state import SAID

_EXCERPT_CHARS = 200
_MESSAGE, _RESULT = KIND_CODES[RowKind.MESSAGE], KIND_CODES[RowKind.RESULT]
_Made = TypeVar("_Made", bound=Event | EventFact)
_UNPLACED = (KIND_CODES[RowKind.HIDDEN], NO_ROW)
"""Kinds of what has no place among what is shown."""


def excerpt(raw: bytes) -> str:
    return raw[: _EXCERPT_CHARS * 4].decode("utf-8", "replace")[:_EXCERPT_CHARS]


@lru_cache(maxsize=256)
def model_facts(model: str) -> Facts:
    return Facts(model=model)


def whole_response(events: Sequence[_Made]) -> list[_Made]:
    """The events of a record that has a whole response of the model: its last text ends the turn.

    With a call in it, it does not: the model is asked again with the result. For clients that
    record a response once it is complete, and ask the model again for no other reason. The body of
    a light text is made of its words and its blocks.
    """
    kinds = [each.kind if isinstance(each, EventFact) else row_code(each.body) for each in events]
    last = max((at for at, kind in enumerate(kinds) if kind == _MESSAGE), default=-1)
    calls = not CALLS.isdisjoint(kinds)
    return [
        _ending(each, ends=at == last and not calls) if kind == _MESSAGE else each
        for at, (each, kind) in enumerate(zip(events, kinds, strict=True))
    ]


def _ending(text: _Made, *, ends: bool) -> _Made:
    """A text of the model, which ends the turn or does not."""
    if isinstance(text, EventFact):
        text.args, text.signal = (*text.args, ends), SAID[ends]
        return text
    return replace(text, body=replace(cast("Message", text.body), ends_turn=ends))


class EventMaker:
    """A record, and what all its events have in common."""

    __slots__ = ()

    raw: bytes
    """The text of the record, or of the value that the record is a part of."""
    source: SourceRef
    session: SessionRef
    session_id: str
    stream: Stream
    path: tuple[str | int, ...]
    """Where in `raw` the fields are."""
    time: float | None
    """Epoch seconds."""
    record_id: str | None
    parent_id: str | None
    response_id: str | None
    facts: Facts | None
    copied_id: str | None
    """The id of a record that the client repeats, in this log or another: the first counts."""
    rewritten_id: str | None
    """The id of a record that the client writes again with other contents: the last counts."""
    keeps_place: bool
    """Whether such a record is shown where it stood first; its provider has linked events."""
    suffix_end: str
    """Added to the suffix of each event."""

    @property
    def name(self) -> str:
        """Name of the record, unique in its log."""
        return self.record_id or f"@{self.source.offset}"

    @property
    def ending(self) -> str:
        return self.suffix_end

    def own_keys(
        self, suffix: str, kind: int, path: str = "", *, usage: bool
    ) -> tuple[str | None, str | None, bool]:
        """The keys of an event of a record that the client repeats or writes again, by its id.

        They are what it has in common with its copies, what it has with the row whose place it
        takes, and whether it amends that row. Results and tokens of a record that is written again
        need none, as ids join them, and calls only where they keep their place.
        """
        if self.copied_id is not None:
            return f"{self.copied_id}:{suffix}", None, False
        is_call = kind in CALLS
        if self.rewritten_id is None or kind == _RESULT or usage or (is_call and path):
            return None, None, False
        key = f"{self.rewritten_id}#{suffix}"
        if is_call and not self.keeps_place:
            return key, None, False
        return None, key, self.keeps_place and kind not in _UNPLACED

    def event(  # noqa: PLR0913  (each is a field of the event)
        self,
        suffix: str,
        body: Body,
        *,
        time: float | None = None,
        stream: Stream | None = None,
        response_id: str | None = None,
        dedupe_key: str | None = None,
        replaces: str | None = None,
        resets: Reset | None = None,
        rewinds: Rewind | None = None,
        run: str | None = None,
        whole: bool = False,
        amends: bool = False,
        child: Stream | None = None,
        facts: Facts | None = None,
        path: str = "",
    ) -> Event:
        """An event of this record; what is not given is as the record has it.

        Without a key or a `run` of its own, it gets its `own_keys`.
        """
        if dedupe_key is None and replaces is None and run is None:
            usage = isinstance(body, TokenUsage)
            dedupe_key, replaces, again = self.own_keys(suffix, row_code(body), path, usage=usage)
            amends = amends or again
        return Event(
            suffix + self.ending,
            self.session_id,
            self.source,
            body,
            stream or self.stream,
            self.time if time is None else time,
            self.record_id,
            self.parent_id,
            response_id or self.response_id,
            dedupe_key,
            replaces,
            resets,
            rewinds,
            run,
            whole,
            amends,
            child,
            facts or self.facts,
            path,
        )

    def hidden(
        self,
        reason: str,
        record_type: str,
        *,
        suffix: str = "hidden",
        run: str | None = None,
        facts: Facts | None = None,
    ) -> Event:
        """The record, or a part of it, is accounted for, and nothing of it is shown."""
        return self.event(suffix, Hidden(reason, record_type), run=run, facts=facts)

    def unknown(self, record_type: str, suffix: str = "unknown") -> Event:
        """The record, or a part of it, has a form that is not known."""
        reason = f"unknown record type {record_type}"
        return self.event(suffix, Unparsed(reason, excerpt(self.raw), record_type, malformed=False))

    def unreadable(self, reason: str) -> Event:
        """The record cannot be read."""
        return self.event("unparsed", Unparsed(reason, excerpt(self.raw)))

    def text_at(self, *path: str | int) -> bytes | None:
        """Return the exact text of a value of the record; None if the value is missing."""
        return value_text(self.raw, (*self.path, *path))

    def copy(self) -> Self:
        return copy(self)
