"""Sources of an activity: the places of its records, bytes as text, values as JSON lines."""

import json
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum, StrEnum
from typing import cast
from uuid import UUID

from agentview.domain.activity import Activity
from agentview.domain.events import Event
from agentview.domain.record_ref import SourceRef
from agentview.domain.value import Value
from agentview.timeline.view.sanitize import clean, escaped_json, printable

_CONTROLS = {code: 0x2400 + code for code in range(0x20)} | {0x7F: 0x2421}


class RawRecord(Value):
    """A record of the log, and the events of the activity that came out of it."""

    source: SourceRef
    events: tuple[Event, ...]


def raw_records(activity: Activity) -> tuple[RawRecord, ...]:
    """The records behind an activity, each once, in the order of its events."""
    found: dict[tuple[str, int, int], list[Event]] = {}
    for event in activity.events:
        source = event.source
        found.setdefault((source.path, source.offset, source.length), []).append(event)
    return tuple(RawRecord(events[0].source, tuple(events)) for events in found.values())


def written(data: bytes) -> str:
    """Bytes as text, each control byte shown as its picture and each byte of no character as `�`.

    Takes no more cells than there are bytes.
    """
    text = data.decode("utf-8", "replace")
    if text.isascii() and text.isprintable():
        return text
    return printable(text.translate(_CONTROLS), "\ufffd")


class Token(StrEnum):
    """Sort of value on a JSON line."""

    STRING = "string"
    NUMBER = "number"
    LITERAL = "literal"
    BRACKET = "bracket"


class JsonLine(Value):
    """One line of indented JSON: indentation, `key` with its quotes, value, and a comma or not."""

    indent: int
    key: str
    value: str
    token: Token
    comma: bool
    unused: bool
    """The key stands under a pointer that was marked."""

    @property
    def text(self) -> str:
        """The whole line."""
        colon = ": " if self.key else ""
        return f"{' ' * self.indent}{self.key}{colon}{self.value}{',' if self.comma else ''}"


_STEP = 2
_Frame = tuple[Iterator[tuple[str, object, bool]], str, int, str, bool]


def json_lines(value: object, unused: Sequence[str] = ()) -> list[JsonLine]:
    """A value as lines of indented JSON, without recursion: depth is the log's choice.

    `unused` are JSON pointers of keys to be marked, with all that is below them. Dataclasses are
    objects with their fields that are known, the name of their class under `type`.
    """
    marked = frozenset(unused)
    lines: list[JsonLine] = []
    opened = _open(lines, value, "", 0, comma=False, unused=False)
    stack: list[_Frame] = [] if opened is None else [(opened, "", 0, _closing(value), False)]
    ends: list[bool] = [False] * len(stack)
    while stack:
        members, pointer, indent, closing, under = stack[-1]
        member = next(members, None)
        if member is None:
            stack.pop()
            comma = ends.pop()
            lines.append(JsonLine(indent, "", closing, Token.BRACKET, comma, under))
            continue
        key, item, last = member
        place = f"{pointer}/{_escaped(key)}" if marked else ""
        is_unused = under or place in marked
        shown = _string(key) if closing == "}" else ""
        inner = indent + _STEP
        opened = _open(lines, item, shown, inner, comma=not last, unused=is_unused)
        if opened is not None:
            stack.append((opened, place, inner, _closing(item), is_unused))
            ends.append(not last)
    return lines


def _open(
    lines: list[JsonLine],
    value: object,
    key: str,
    indent: int,
    *,
    comma: bool,
    unused: bool,
) -> Iterator[tuple[str, object, bool]] | None:
    """Write the line of a value; gives the members of a container that has any."""
    members = _members(value)
    if members:
        bracket = "{" if _closing(value) == "}" else "["
        lines.append(JsonLine(indent, key, bracket, Token.BRACKET, False, unused))
        last = len(members) - 1
        return ((name, item, index == last) for index, (name, item) in enumerate(members))
    text, token = _scalar(value)
    lines.append(JsonLine(indent, key, text, token, comma, unused))
    return None


def _members(value: object) -> list[tuple[str, object]]:
    if isinstance(value, Value):
        known = [(name, getattr(value, name)) for name in value.__struct_fields__]
        named: list[tuple[str, object]] = [("type", type(value).__name__)]
        return named + [(name, item) for name, item in known if item is not None and item != ()]
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value)
        return [(str(name), item) for name, item in pairs.items()]
    if isinstance(value, list | tuple):
        items = cast("Sequence[object]", value)
        return [(str(index), item) for index, item in enumerate(items)]
    return []


def _closing(value: object) -> str:
    return "]" if isinstance(value, list | tuple) else "}"


def _scalar(value: object) -> tuple[str, Token]:
    match value:
        case None:
            return "null", Token.LITERAL
        case bool():
            return "true" if value else "false", Token.LITERAL
        case Enum():
            return _string(str(value.value)), Token.STRING
        case str():
            return _string(value), Token.STRING
        case UUID():
            return _string(str(value)), Token.STRING
        case int() | float():
            return repr(value), Token.NUMBER
        case list() | tuple():
            return "[]", Token.BRACKET
        case Mapping():
            return "{}", Token.BRACKET
        case _:
            return _string(str(value)), Token.STRING


def _string(text: str) -> str:
    """A JSON string in which every character can be seen."""
    return clean(escaped_json(json.dumps(text, ensure_ascii=False)))


def _escaped(key: str) -> str:
    """A key as a part of a JSON pointer (RFC 6901)."""
    return key.replace("~", "~0").replace("/", "~1")
