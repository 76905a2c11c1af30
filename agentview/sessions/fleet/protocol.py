"""Messages between agentview here and agentview on another machine.

The machine begins with a line of JSON, `Hello`. Then comes one request, then answers until `Done`,
`Failed`, or the end of the connection. Each is 4 bytes of length and a MessagePack array.
"""

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from hashlib import blake2b
from typing import cast

import msgspec

from agentview.domain.session import SessionInfo
from agentview.domain.value import Value
from agentview.errors import AgentViewError
from agentview.facts.usage.report import UsageSums
from agentview.sessions.library.session_record import SessionTotals
from agentview.sessions.targets.session_search import SearchRequest

HELLO = b'{"agentview":'
"""Begins the line of JSON: a login may print other lines before."""
HEADER = 4
"""Bytes of the length before each message."""
LARGEST = 16 * 1024 * 1024
"""Bytes of a message at most."""
TICK = 2.0
"""Seconds without an answer after which `Waiting` is sent."""


class ProtocolError(AgentViewError):
    """The other side sent no valid message."""


class Hello(msgspec.Struct):
    """Version of agentview on the other machine. Any version of agentview can read it."""

    agentview: str
    """Its version."""
    protocol: str
    """The digest of all its messages."""
    requests: dict[str, str] = {}
    """The digest of each request with its answers; versions before 0.3 have none."""


class SessionsRequest(Value, tag="sessions"):
    """Asks for all sessions as they are now."""

    provider: str | None = None
    totals: bool = False
    """With current totals of those that are live or were indexed before."""
    starting: bool = False
    """With clients that have no log yet."""


class FollowRequest(Value, tag="follow"):
    """Asks for all sessions, and then for each that changes, until the connection ends."""

    provider: str | None = None


class UsageRequest(Value, tag="usage"):
    """Asks what sessions used."""

    provider: str | None = None
    project: str | None = None
    after: float | None = None
    before: float | None = None
    agents: bool = True
    """With what agents used."""


class TurnRequest(Value, tag="turn"):
    """Asks for the end of a session."""

    provider: str
    path: bytes


class Turn(Value, tag="records"):
    """Records with their offsets, and of these the places of the activities that are shown.

    `cut`: see `LastTurn`.
    """

    records: tuple[tuple[int, bytes], ...]
    rows: tuple[tuple[int, int], ...]
    cut: bool


class Sessions(Value, tag="found"):
    """Sessions that are new or have changed, as `scan.messages.pack_found` packs them."""

    found: bytes


class Scanned(Value, tag="scanned"):
    """All sessions that there are have been sent once."""


class Used(Value, tag="used"):
    """Usage of a session. The paths in its values are empty: `path` has the bytes of it."""

    path: bytes
    info: SessionInfo
    usage: UsageSums | None
    is_agent: bool
    trouble: str | None


class WireHit(Value):
    """A match at one place of a session; see `Hit` and `Snippet` of `facts.search`."""

    place: tuple[int, int] | None
    kind: str
    time: float | None
    text: str
    ranges: tuple[tuple[int, int], ...]
    column: int


class Matches(Value, tag="matches"):
    """The matches in a session, which is packed as in `Sessions`; see `Group`."""

    found: bytes
    hits: tuple[WireHit, ...]
    more: int
    least: bool


class Searched(Value, tag="searched"):
    """How a search went; see `Outcome` and `Account`."""

    sessions: int
    undecided: int
    logs: int
    unreadable: int
    too_long: int
    undecided_records: int
    late: int
    damaged: bool


class Waiting(Value, tag="waiting"):
    """Nothing has changed, and the machine is there."""


class Failed(Value, tag="failed"):
    """The request cannot be answered."""

    message: str
    hint: str | None = None


class Done(Value, tag="done"):
    """The request is answered."""


Request = SessionsRequest | FollowRequest | UsageRequest | SearchRequest | TurnRequest
Answer = Matches | Searched | Sessions | Scanned | Turn | Used | Waiting | Failed | Done

_encode = msgspec.msgpack.Encoder().encode
_decode_request = cast("Callable[[bytes], Request]", msgspec.msgpack.Decoder(Request).decode)
_decode_answer = cast("Callable[[bytes], Answer]", msgspec.msgpack.Decoder(Answer).decode)


_ANSWERS: Mapping[type[Request], Sequence[object]] = {
    SessionsRequest: (Sessions, SessionInfo, SessionTotals),
    FollowRequest: (Sessions, Scanned, SessionInfo, SessionTotals),
    UsageRequest: (Used,),
    TurnRequest: (Turn,),
    SearchRequest: (Matches, Searched, SessionInfo, SessionTotals),
}
"""The messages that answer each request, and what is packed in them."""
_ALWAYS = (Waiting, Failed, Done)


def protocol() -> str:
    """A digest of the forms of all messages, so that another form is another protocol."""
    return _digest((Request, Answer, SessionInfo, SessionTotals))


def protocols() -> dict[str, str]:
    """The digest of each request by its name: what one does not need may differ."""
    return {name_of(kind): _digest((kind, *_ANSWERS[kind], *_ALWAYS)) for kind in _ANSWERS}


def name_of(kind: type[Request]) -> str:
    return str(kind.__struct_config__.tag)


def is_understood(hello: Hello, request: Request) -> bool:
    """True if both sides have the same forms of a request and its answers."""
    if not hello.requests:
        return hello.protocol == protocol()
    name = name_of(type(request))
    return hello.requests.get(name) == protocols()[name]


@cache
def _digest(kinds: Sequence[object]) -> str:
    forms = _without_texts(msgspec.json.schema_components(kinds))
    return blake2b(json.dumps(forms, sort_keys=True).encode(), digest_size=8).hexdigest()


def _without_texts(schema: object) -> object:
    """A schema without the docstrings of its classes."""
    if isinstance(schema, dict):
        parts = cast("dict[str, object]", schema).items()
        return {
            key: _without_texts(part)
            for key, part in parts
            if key != "description" or not isinstance(part, str)
        }
    if isinstance(schema, list | tuple):
        return list(map(_without_texts, cast("Iterable[object]", schema)))
    return schema


def packed(message: Request | Answer) -> bytes:
    """A message with its length. Raises ValueError for one that is too large."""
    try:
        body = _encode(message)
    except UnicodeEncodeError:
        body = _encode(_plain(msgspec.to_builtins(message, builtin_types=(bytes,))))
    if len(body) > LARGEST:
        raise ValueError(f"a message of {len(body)} bytes")
    return len(body).to_bytes(HEADER) + body


def _plain(value: object) -> object:
    """A value without halves of characters, which UTF-8 does not have."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        items = cast("dict[object, object]", value).items()
        return {_plain(key): _plain(each) for key, each in items}
    if isinstance(value, list | tuple):
        return list(map(_plain, cast("Iterable[object]", value)))
    return value


def length_of(header: bytes) -> int:
    """Return the bytes of the message after a header. Raises ProtocolError if they are too many."""
    length = int.from_bytes(header)
    if length > LARGEST:
        raise ProtocolError("It sent a message that is too large.")
    return length


def unpacked_request(body: bytes) -> Request:
    """The request of a body. Raises ProtocolError."""
    try:
        return _decode_request(body)
    except (ValueError, RecursionError) as error:
        raise ProtocolError("The request cannot be read.") from error


def unpacked_answer(body: bytes) -> Answer:
    """The answer of a body. Raises ProtocolError."""
    try:
        return _decode_answer(body)
    except (ValueError, RecursionError) as error:
        raise ProtocolError("Its answer cannot be read.") from error


def is_finite(value: object) -> bool:
    """Return False if a number in plain lists and mappings is infinite or not a number."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(map(is_finite, cast("dict[object, object]", value).values()))
    return not isinstance(value, list | tuple) or all(
        map(is_finite, cast("Iterable[object]", value))
    )
