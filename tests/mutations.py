"""Damage to one record: other values, other keys, other types, cut and flipped bytes."""

import json
from collections.abc import Callable, Iterable
from random import Random
from typing import Any, cast

from agentview.domain.events import Event
from agentview.sources.line_splitter import Line

ODD: tuple[Any, ...] = (
    None, True, -1, 1e308, 2**70, "", "\x00", "\ud800", "../../x", "a" * 400, "x\x00y", [], {},
    [["x"]], {"type": ["x"]}, {"": {}}, [None, 1, "x", {}], {"type": {"type": []}},
)  # fmt: skip
"""Values where a client never writes them."""

HOSTILE = (
    "\x1b]0;t\x07\x1b[2J", "\x9b31m\x90q\x9c", "\u202eright\u2066to\u2069left", "[bold]x[/] [/]",
    "\ud83d\udc00", "\r\rover\x08\x08", "e" + "\u0301" * 40,
)  # fmt: skip
"""Texts that act on a terminal where they are printed as they are."""

NUMBERS = (10**400, -(10**30), 2**63, 1e-300, 10**17, float("inf"), float("nan"))

Place = tuple[Any, ...]


def places(value: Any, above: Place = ()) -> list[Place]:
    """The path of each value in a record: keys of objects, and the first three of a list."""
    items: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
    elif isinstance(value, list):
        items = enumerate(cast("list[Any]", value)[:3])
    found: list[Place] = []
    for key, item in items:
        found.append(place := (*above, key))
        if isinstance(item, (dict, list)):
            found += places(item, place)
    return found


def put(record: Any, place: Place, value: Any) -> Any:
    """A copy of the record with another value at a place."""
    copy = json.loads(json.dumps(record))
    _holder(copy, place)[place[-1]] = value
    return copy


def _holder(record: Any, place: Place) -> Any:
    for key in place[:-1]:
        record = record[key]
    return record


def _dropped(record: Any, place: Place, _chance: Random) -> Any:
    del _holder(record, place)[place[-1]]
    return record


def _renamed(record: Any, place: Place, chance: Random) -> Any:
    holder = _holder(record, place)
    if isinstance(holder, dict):
        members = cast("dict[str, Any]", holder)
        members[chance.choice((f"{place[-1]}_", "type", "", "\ud800", "id"))] = members.pop(
            place[-1]
        )
    return record


def _swapped(record: Any, place: Place, chance: Random) -> Any:
    value = _holder(record, place)[place[-1]]
    forms = ([value], {"type": value}, str(value), json.dumps(value), not value, 7)
    return put(record, place, chance.choice(forms))


def _odd(record: Any, place: Place, chance: Random) -> Any:
    return put(record, place, chance.choice((*ODD, *HOSTILE)))


def _numbered(record: Any, place: Place, chance: Random) -> Any:
    return put(record, place, chance.choice(NUMBERS))


def _nested(record: Any, place: Place, chance: Random) -> Any:
    value: Any = _holder(record, place)[place[-1]]
    for _ in range(chance.choice((3, 40, 300))):
        value = [value] if chance.random() < 0.5 else {"content": value}
    return put(record, place, value)


def _moved(record: Any, place: Place, chance: Random) -> Any:
    other = chance.choice(places(record))
    return put(record, place, json.loads(json.dumps(_holder(record, other)[other[-1]])))


_OF_VALUES: tuple[Callable[[Any, Place, Random], Any], ...] = (
    _dropped, _dropped, _renamed, _renamed, _swapped, _swapped, _odd, _odd, _odd, _numbered,
    _nested, _moved,
)  # fmt: skip


def mutated(record: bytes, chance: Random, *, of_bytes: float = 0.25) -> bytes:
    """The record with one to three faults, on one line; `of_bytes` is the share of torn ones."""
    if chance.random() < of_bytes:
        return _damaged(record, chance)
    try:
        value: Any = json.loads(record)
        for _ in range(chance.choice((1, 1, 2, 3))):
            there = places(value)
            if there:
                value = chance.choice(_OF_VALUES)(value, chance.choice(there), chance)
        return json.dumps(value, ensure_ascii=chance.random() < 0.5).encode("utf-8", "replace")
    except (ValueError, RecursionError):
        return _damaged(record, chance)


def _damaged(record: bytes, chance: Random) -> bytes:
    """Bytes flipped, cut off, taken out or doubled; no newline, so that it stays one record."""
    data, size = bytearray(record), max(1, len(record))
    at = chance.randrange(size)
    way = chance.randrange(4)
    if way == 0:
        for _ in range(chance.choice((1, 3, 30))):
            if data:
                data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    elif way == 1:
        del data[at:]
    elif way == 2:
        del data[at : at + chance.choice((1, 10, 1000))]
    else:
        data[at:at] = data[at : at + 50] or b"\x00"
    return bytes(data).replace(b"\n", b" ")


def uncovered(line: Line, events: Iterable[Event]) -> bytes:
    """Bytes of a record that belong to none of its events, without what may stand between values.

    Raises AssertionError when an event is said to be where the record is not.
    """
    assert line.data is not None
    covered = bytearray(line.length)
    for event in events:
        start = event.source.offset - line.offset
        assert 0 <= start <= start + event.source.length <= line.length
        covered[start : start + event.source.length] = b"\x01" * event.source.length
    if 0 not in covered:
        return b""
    left = bytes(byte for byte, flag in zip(line.data, covered, strict=True) if not flag)
    return left.strip(b" \t\r\n\x00,\x1e")
