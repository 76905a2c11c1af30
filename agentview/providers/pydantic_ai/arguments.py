"""The arguments of a call, whichever path they came by.

The library keeps them as JSON text or as an object, as the model's service gave them. `args_json`
is that text as recorded, or the bytes of that object in the record. No arguments at all (null, an
empty text) are an empty object, as the library itself has it, and their text is empty.
"""

import json
from collections.abc import Mapping
from typing import cast

import orjson

from agentview.domain.tools import ToolCall, ToolState
from agentview.normalize.build import tool_call
from agentview.normalize.json_values import Fields, call_id_of, fields_of, text_of
from agentview.normalize.raw_span import value_span
from agentview.providers._kit.json_recovery import clean
from agentview.providers.pydantic_ai import tools
from agentview.providers.pydantic_ai.event_builder import RunRecord


def _refuse(constant: str) -> object:
    raise ValueError(constant)


def parsed(text: str) -> Mapping[str, object] | None:
    """The object that a JSON text holds; None for a text that holds none."""
    if not text.strip():
        return {}
    try:
        value: object = orjson.loads(text)
    except ValueError:
        value = _mended(text)
    return cast("dict[str, object]", value) if isinstance(value, dict) else None


def _mended(text: str) -> object:
    """Return what a text holds that has halves of characters in it, each replaced by U+FFFD."""
    try:
        return orjson.loads(json.dumps(clean(json.loads(text, parse_constant=_refuse))))
    except (ValueError, RecursionError):
        return None


def recorded(record: RunRecord, given: object, path: tuple[str | int, ...]) -> str:
    """The text of arguments that stand at `path` of a record."""
    if isinstance(given, str):
        return given
    span = value_span(record.raw, (*record.path, *path))
    if given is None or span is None:
        return ""
    return record.raw[slice(*span)].decode("utf-8", "replace")


def call_of(record: RunRecord, part: Fields, path: tuple[str | int, ...]) -> ToolCall | None:
    """The call in a part that stands at `path`; None for a part that names no tool."""
    name = text_of(part.get("tool_name"))
    if name is None:
        return None
    call_id = call_id_of(part.get("tool_call_id"), f"{record.name}/{'/'.join(map(str, path))}")
    given = part.get("args")
    text = recorded(record, given, (*path, "args"))
    args = fields_of(cast("object", given)) if isinstance(given, dict) else parsed(text)
    return tool_call(
        call_id=call_id,
        name=name,
        arguments=args if args is not None else text,
        raw=text.encode("utf-8", "replace") if args is not None else None,
        spec=tools.find_tool(name, args),
    )


def begun_call(call_id: str, name: str) -> ToolCall:
    """A call of which no argument has come yet."""
    return tool_call(
        call_id=call_id,
        name=name,
        arguments=None,
        spec=tools.find_tool(name, None),
        state=ToolState.INPUT_STREAMING,
    )
