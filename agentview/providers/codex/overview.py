"""What a session is about and what it is doing, from the records at its two ends."""

import json
import re
from collections.abc import Iterator

from agentview.domain.events import Event, User
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionInfo, SessionRef
from agentview.normalize.json_values import fields_of
from agentview.providers._kit import session_info as events_overview
from agentview.providers.codex.decode import decode
from agentview.providers.codex.legacy_json import is_document, items_at_ends, members_in
from agentview.providers.codex.response_item import ADDRESS
from agentview.providers.codex.user_prompt import REVIEWER

_TELLING = re.compile(
    rb'"type"\s*:\s*"(?:session_meta|turn_context|thread_settings_applied|thread_name_updated'
    rb'|user_message|UserMessage|thread\.started)"'
    rb'|"role"\s*:\s*"user"'
)
"""Records that tell the directory, the model, the name, or a prompt."""


def overview(
    ref: SessionRef, head: bytes, tail: bytes, tail_start: int, name: str | None
) -> SessionInfo:
    """Facts about a session from the bytes of its head and of its tail, which begins anywhere.

    The title is the name that was given to the session, else its first prompt; what an agent was
    asked may be encrypted, and what the client's reviewer is asked is the same each time: then it
    goes by its own name.
    """
    if is_document(head):
        return events_overview.overview(ref, _of_document(head, tail, ref), name=name)
    events = events_overview.end_lines(head, tail, tail_start, ref, decode, _TELLING.search)
    told = (event for event in events if not (_is_address(event) or _is_review(event)))
    return events_overview.overview(ref, told, name=name)


def _of_document(head: bytes, tail: bytes, ref: SessionRef) -> Iterator[Event]:
    session = fields_of(members_in(head).get("session"))
    for value in ({**session, "instructions": None}, *items_at_ends(head, tail)):
        raw = json.dumps(value).encode()
        yield from decode(raw, SourceRef(ref.path, 0, len(raw)), ref)


def _is_review(event: Event) -> bool:
    """Whether a prompt is a call to be judged, with what was said before it."""
    return isinstance(event.body, User) and event.body.via == REVIEWER


def _is_address(event: Event) -> bool:
    """Whether a prompt is only the lines in front of a message that cannot be read."""
    body = event.body
    return isinstance(body, User) and body.via is not None and body.text.startswith(ADDRESS)
