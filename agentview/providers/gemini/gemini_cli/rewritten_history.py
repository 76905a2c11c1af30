"""Which messages of a history that is told anew are copies, and where their lines begin."""

from agentview.domain.events import Compaction, Event, Hidden
from agentview.normalize.json_values import Fields, fields_of, items_of, text_of, time_of
from agentview.providers.gemini.shared.event_builder import Frame

_OF_RESPONSE = ("thoughts", "tokens", "toolCalls", "model")
"""Keys that a response has; in a line that is a copy they are there and empty."""

_AT_ONCE = 2.0
"""Seconds between the last copy and the change that has it."""

_SHARE = 0.9
"""Part of the copies' bytes that what they are copies of has at least."""


def copies(frame: Frame, changes: Fields) -> list[bool]:
    """Of each message of a changed history, whether the client made it of what the model is sent.

    That are all where a summary takes the place of what was before it or a session is resumed, and
    those that the client says for the model (0.47 on). Messages that were lines before keep what a
    response has.
    """
    if not _has_room(frame, frame.source.offset):
        return []
    messages = [fields_of(item) for item in items_of(changes.get("messages"))]
    lines = any("thoughts" in each for each in messages)
    if not lines and _made_at_once(changes, messages):
        return [True] * len(messages)
    return [
        text_of(each.get("type")) == "gemini"
        and isinstance(each.get("content"), list)
        and not any(key in each for key in _OF_RESPONSE)
        for each in messages
    ]


def first_copied_line(frame: Frame, changes: Fields, listed: list[Event]) -> str | None:
    """The id of the first message of a changed history that is a line for the second time.

    A client writes all messages again, as lines with new ids, when it masks outputs or somebody
    stops a call (0.47 on). None where it has not, and where there are more of them than of what is
    above, as in a session that begins with a saved chat. `listed` are the events of the messages.
    """
    messages = [fields_of(item) for item in items_of(changes.get("messages"))]
    lines = any("thoughts" in each for each in messages)
    if not lines or not _made_at_once(changes, messages):
        return None
    shown = (event for event in listed if not isinstance(event.body, Hidden | Compaction))
    first = next(shown, None)
    # The copies that are lines stand between what they are copies of and the history.
    room = _has_room(frame, frame.source.offset - len(frame.raw))
    return first.record_id if first is not None and room else None


def _has_room(frame: Frame, above: int) -> bool:
    """Whether the messages of a record can be copies of what stands in so many bytes above."""
    return above >= _SHARE * len(frame.raw)


def _made_at_once(changes: Fields, messages: list[Fields]) -> bool:
    """Whether all messages of a history are made anew, of parts, when it is changed."""
    told = time_of(changes.get("lastUpdated"))
    made = time_of(messages[-1].get("timestamp")) if messages else None
    if told is None or made is None or not 0 <= told - made < _AT_ONCE:
        return False
    parts = all(isinstance(each.get("content"), list) for each in messages)
    return parts and not any(each.get(key) for each in messages for key in _OF_RESPONSE)
