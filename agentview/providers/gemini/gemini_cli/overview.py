"""What a session is about and what it is doing, from the records at its two ends."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain

from agentview.domain.events import Event, Hidden, User
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionInfo, SessionRef, StreamKind
from agentview.normalize.json_document import items_in
from agentview.normalize.json_values import Fields, fields_of, items_of, text_of
from agentview.normalize.partial_json import begun
from agentview.providers._kit import session_info as events_overview
from agentview.providers.gemini.gemini_cli.decode import decode
from agentview.providers.gemini.gemini_cli.documents import (
    LISTS,
    console_bytes,
    is_document,
    is_on_screen,
)
from agentview.providers.gemini.gemini_cli.messages import TYPES

_ITEM = re.compile(r'\{\s*"(?:id|content)"\s*:')
_OBJECTIVE = re.compile(r"<objective>\s*(.+?)\s*</objective>", re.DOTALL)


def overview(
    ref: SessionRef, head: bytes, tail: bytes, tail_start: int, root: str | None
) -> SessionInfo:
    """Facts about a session from the bytes of its head and of its tail, which begins anywhere.

    `root` is the directory of its project, where that is known from elsewhere.
    """
    if is_document(head):
        members, messages = _begun(head)
        types = TYPES.union(filter(None, (text_of(item.get("type")) for item in messages)))
        # The messages that stand whole in the tail.
        values = (members, *messages, *items_in(tail, _ITEM, types))
        events: Iterable[Event] = chain.from_iterable(_of_value(value, ref) for value in values)
    else:
        events = events_overview.end_lines(head, tail, tail_start, ref, decode)
    return events_overview.overview(ref, map(_bare, _standing(events)), project=root)


def says_something(log: bytes, ref: SessionRef) -> bool:
    """Whether a whole log of lines has more than what is hidden."""
    events = events_overview.whole_lines(log, 0, ref, decode)
    return any(not isinstance(event.body, Hidden) for event in events)


def _standing(events: Iterable[Event]) -> list[Event]:
    """The events without prompts that were taken back or written again later."""
    found: list[Event] = []
    for event in events:
        back = event.rewinds.key if event.rewinds is not None else None
        gone = _place(found, back)
        if gone is not None:
            found[gone:] = [each for each in found[gone:] if not isinstance(each.body, User)]
        again = _place(found, event.replaces) if isinstance(event.body, User) else None
        if again is None:
            found.append(event)
        else:
            found[again] = event
    return found


def _place(events: list[Event], key: str | None) -> int | None:
    """Where the last event with a key stands."""
    if key is None:
        return None
    places = range(len(events) - 1, -1, -1)
    return next((place for place in places if events[place].replaces == key), None)


def _bare(event: Event) -> Event:
    """The same event; the prompt of an agent without the form that its objective was put into."""
    body = event.body
    if not isinstance(body, User) or event.stream.kind is StreamKind.MAIN:
        return event
    found = _OBJECTIVE.search(body.text)
    return replace(event, body=replace(body, text=found[1])) if found is not None else event


def _begun(head: bytes) -> tuple[Fields, list[Fields]]:
    """What the beginning of a document says of the session, and the messages in it."""
    text = head[console_bytes(head) :].decode("utf-8", "replace")
    members = dict(begun('{"messages":' + text if text.lstrip().startswith("[") else text) or {})
    lists = [items_of(members.pop(key, None)) for key in LISTS]
    first: Sequence[object] = next((listed for listed in lists if listed), ())
    listed = map(fields_of, first)
    return members, [_as_message(item) for item in listed if item]


def _as_message(item: Fields) -> Fields:
    """An item of a list as a message; one of the screen has its words in a member of its own."""
    if not is_on_screen(item):
        return item
    return {"type": text_of(item.get("type")) or "", "content": text_of(item.get("text")) or ""}


def _of_value(value: Fields, ref: SessionRef) -> list[Event]:
    raw = json.dumps(value).encode()
    return decode(raw, SourceRef(ref.path, 0, len(raw)), ref) if value else []
