"""Finds the JSON-RPC message in a record: bare, behind a prefix of a client's log, or wrapped."""

import re
from collections.abc import Iterable
from functools import lru_cache

from agentview.domain.value import Value
from agentview.normalize.json_fields import Fields, as_text, mapping
from agentview.normalize.json_values import time_of

AGENT = "agent"
CLIENT = "client"

RECORD_START = re.compile(r'\{\s*"[A-Za-z_]+"\s*:')

_SIDE = re.compile(
    r"\b(client|agent|server|stdin|stdout|sent|send|out|outgoing|received|recv|in)\b"
)
_SENDER = {
    "client": CLIENT,
    "stdin": CLIENT,
    "sent": CLIENT,
    "send": CLIENT,
    "out": CLIENT,
    "outgoing": CLIENT,
}
"""Who wrote a message, by the first word that shows it; all others are the agent."""

_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SHORT = {"c2a": CLIENT, "c2s": CLIENT, "a2c": AGENT, "s2c": AGENT}

_STAMP = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?")
_TIMES = ("t", "ts", "time", "timestamp", "created_at")
"""Keys of a frame that say when, the first that is there."""
_SIDES_KEPT = 256
"""Texts of a frame's side of which it is remembered what they say."""
_SIDES = ("dir", "direction", "from", "sender", "source", "side", "type")
FRAME_KEYS = frozenset((*_TIMES, *_SIDES))

_UPDATED = "sessionUpdate"


class Envelope(Value):
    """A message with what its frame says: who sent it, when, and where in the record it stands."""

    message: Fields
    sender: str | None
    """Who sent it, as the frame states it."""
    time: float | None
    at: tuple[str, ...]
    """Keys that lead to the message in the JSON value."""
    lacking: int = 0
    """How many of the outer keys of the message the value has not: some log updates alone."""


def is_message(fields: Fields) -> bool:
    """Return True if an object is a request, a notification or a response."""
    if isinstance(fields.get("method"), str):
        return "jsonrpc" in fields or "params" in fields
    return "id" in fields and ("result" in fields or "error" in fields)


def envelope(fields: Fields, prefix: str) -> Envelope | None:
    """The message in an object behind a `prefix`; None where there is none."""
    if is_message(fields):
        # Some log a message with keys of their own added to it.
        sender = sender_of(prefix) if prefix else _sender(fields)
        return Envelope(fields, sender, stamp(prefix) or _moment(fields), ())
    for key, value in fields.items():
        inner = mapping(value)
        if inner and is_message(inner):
            return Envelope(inner, _sender(fields), _moment(fields), (key,))
    return _alone(fields)


def _alone(fields: Fields) -> Envelope | None:
    """An update without the message around it, as clients that keep only those log it."""
    found = _updated(fields, (), _moment(fields))
    if found is not None:
        return found
    for key, value in fields.items():
        inner = mapping(value)
        found = _updated(inner, (key,), _moment(fields) or _moment(inner))
        if found is not None and not isinstance(value, str):
            return found
    return None


def _updated(fields: Fields, at: tuple[str, ...], time: float | None) -> Envelope | None:
    """The update that `fields` are, or hold next to the session that it is of."""
    if isinstance(mapping(fields.get("update")).get(_UPDATED), str):
        params, lacking = fields, 1
    elif isinstance(fields.get(_UPDATED), str):
        params, lacking = {"update": fields}, 2
    else:
        return None
    message = {"method": "session/update", "params": params}
    return Envelope(message, None, time, at, lacking)


def _sender(fields: Fields) -> str | None:
    return sender_in(map(fields.get, _SIDES))


def _moment(fields: Fields) -> float | None:
    return moment_of(map(fields.get, _TIMES))


def sender_in(stated: Iterable[object]) -> str | None:
    """Who sent a message, by the first of what its frame states of that."""
    for each in stated:
        if each is not None and (words := as_text(each)):
            return _stated(words)
    return None


def moment_of(stated: Iterable[object]) -> float | None:
    """The time that a frame states first."""
    for each in stated:
        if each is not None:
            return time_of(each)
    return None


@lru_cache(_SIDES_KEPT)
def _stated(side: str) -> str | None:
    return sender_of(_apart(side))


def _apart(side: str) -> str:
    """The words that a frame has for its side, one by one, and who is only its goal left out."""
    words = _HUMP.sub(" ", side).replace("_", " ").replace("-", " ").lower()
    words = _SHORT.get(words, words)
    if words.startswith("to "):
        return {"to client": AGENT, "to agent": CLIENT}.get(words, "")
    return words


@lru_cache(_SIDES_KEPT)
def sender_of(words: str) -> str | None:
    """Who sent a message, by the words of its frame; None where they do not say it."""
    match = _SIDE.search(words.lower())
    if match is not None:
        return _SENDER.get(match[1], AGENT)
    arrows = {">>": CLIENT, "->": CLIENT, "→": CLIENT, "<<": AGENT, "<-": AGENT, "←": AGENT}
    return next((side for arrow, side in arrows.items() if arrow in words), None)


def stamp(prefix: str) -> float | None:
    """The time in what stands before a message on its line."""
    found = _STAMP.search(prefix)
    return time_of(found[0].replace(",", ".")) if found is not None else None
