"""Normalized facts as JSON: every value an object, those of a union distinguished by `type`."""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache, lru_cache
from operator import attrgetter
from typing import Any, cast, get_args

import orjson
from msgspec.structs import asdict

from agentview.domain.content import Block
from agentview.domain.session_state import SessionStatus
from agentview.domain.tool_inputs import Payload
from agentview.domain.tool_results import Result
from agentview.domain.usage_limit import UsageLimit, UsageLimits, current
from agentview.domain.value import Value
from agentview.timeline.view.cost import Cost
from agentview.timeline.view.sanitize import escaped_json, is_printable

_OPTIONS = orjson.OPT_APPEND_NEWLINE
_SURROGATE = re.compile("[\ud800-\udfff]")
_DEEPEST = 200
_TOO_DEEP = f"… nested deeper than {_DEEPEST} levels"
_WORD_START = re.compile(r"(?<!^)(?=[A-Z])")


def _tag(cls: type, suffix: str) -> str:
    return _WORD_START.sub("_", cls.__name__.removesuffix(suffix)).lower()


TAGS: Mapping[type, str] = {
    **{cls: _tag(cls, "Block") for cls in get_args(Block)},
    **{cls: _tag(cls, "Payload") for cls in get_args(Payload)},
    **{cls: _tag(cls, "Result") for cls in get_args(Result)},
}
"""The `type` of each class that is a member of a union: of blocks, of payloads, of results."""
_HARMLESS = bytes(range(0x7F))
"""ASCII, without DEL."""

Object = dict[str, object]


def field_names(cls: type) -> tuple[str, ...]:
    return cast("tuple[str, ...]", cast("Any", cls).__match_args__)


def getter(names: Sequence[str]) -> Callable[[object], tuple[object, ...]]:
    """Return a function that gets the attributes of that name from an object, all at once."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: tuple(getattr(value, name) for name in names)


def to_json_line(value: object) -> bytes:
    """The value as one line of JSON with its newline.

    A lone surrogate becomes U+FFFD and a number that JSON does not have becomes null, so that any
    reader takes the line. Characters that act on a terminal are escaped. What is nested deeper than
    200 levels becomes a text that says so.
    """
    try:
        return _escaped(orjson.dumps(value, _as_object, _OPTIONS))
    except TypeError:
        # Lone surrogates and numbers above 64 bits are more than orjson writes.
        text = json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":"))
        return _escaped(f"{text}\n".encode())


def to_json_document(value: object) -> bytes:
    """The value as indented JSON with a newline at its end, with the care of `to_json_line`."""
    try:
        return _escaped(orjson.dumps(value, _as_object, _OPTIONS | orjson.OPT_INDENT_2))
    except TypeError:
        text = json.dumps(_plain(value), ensure_ascii=False, indent=2)
        return _escaped(f"{text}\n".encode())


def _escaped(line: bytes) -> bytes:
    # Of a long line only a few characters may need it.
    rest = line.translate(None, _HARMLESS)
    if not rest or is_printable(rest.decode()):
        return line
    return escaped_json(line.decode()).encode()


def _as_object(value: object) -> Object:
    return _maker(value.__class__)(value)


@cache
def _maker(cls: type[object]) -> Callable[[object], Object]:
    """Return a function from values of this class to objects. Raises TypeError without one."""
    if issubclass(cls, Mapping):
        return lambda value: dict(cast("Mapping[str, object]", value))
    if not issubclass(cls, Value):
        raise TypeError(cls.__name__)
    tag = TAGS.get(cls)
    made = cast("Callable[[object], Object]", asdict)
    return made if tag is None else lambda value: {"type": tag, **made(value)}


def _plain(value: object, depth: int = 0) -> object:
    """The value in the types that the standard library writes, as `to_json_line` has it."""
    if depth > _DEEPEST:
        return _TOO_DEEP
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list | tuple):
        return [_plain(item, depth + 1) for item in cast("list[object]", value)]
    found = _as_object(value).items()
    return {_plain(str(key)): _plain(item, depth + 1) for key, item in found}


@lru_cache(maxsize=256)
def iso_time(moment: float | None) -> str | None:
    """Epoch seconds as ISO 8601 in UTC, to the millisecond; None where no calendar has it."""
    if moment is None:
        return None
    try:
        text = datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError, OSError):
        return None
    return text.replace("+00:00", "Z")


def status_fields(status: SessionStatus) -> Object:
    """The state of a session and how it is known; times in ISO 8601."""
    return {
        "state": status.state.value,
        "since": iso_time(status.since),
        "evidence": status.evidence,
        "certain": status.certain,
        "about": status.about,
        "agent": status.agent,
        "requests": status.requests,
        "until": iso_time(status.until),
    }


def limit_fields(limits: UsageLimits, now: float) -> list[Object] | None:
    """The limits that hold at the time `now`, None where none is known; times in ISO 8601."""
    found = current(limits, now)
    return [_limit(limit) for limit in found] or None


def _limit(limit: UsageLimit) -> Object:
    return {
        "limit": limit.group,
        "name": limit.name,
        "window": limit.window,
        "used": limit.used,
        "left": None if limit.left is None else round(limit.left, 4),
        "resets": iso_time(limit.resets),
        "full_at": iso_time(limit.full_at),
        "at": iso_time(limit.at),
    }


def cost_fields(cost: Cost) -> Object:
    """The cost that is shown with its source, then the figures of both sources."""
    return {**shown_cost_fields(cost), "client_cost": cost.client, "cost_estimate": cost.estimate}


def shown_cost_fields(cost: Cost) -> Object:
    """The cost that is shown, its source, and whether it is complete."""
    whole = cost.whole if cost.shown is not None else None
    return {"cost": cost.shown, "cost_source": cost.source, "cost_whole": whole}
