"""The arguments of a call, whichever path they came by.

The library keeps them as JSON text or as an object, as the model's service gave them. `args_json`
is that text as recorded, or the bytes of that object in the record. No arguments at all (null, an
empty text) are an empty object, as the library itself has it, and their text is empty.
"""

import json
from collections.abc import Mapping
from typing import cast

import orjson
from msgspec import Raw

from agentview.domain.tools import ToolCall, ToolState
from agentview.normalize.build import tool_call
from agentview.normalize.json_values import call_id_of, fields_of
from agentview.providers._kit.json_recovery import clean
from agentview.providers.pydantic_ai import tools
from agentview.providers.pydantic_ai.record import RunRecord
from agentview.providers.pydantic_ai.schema import Part


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
    """Return a text with halves of characters in it, each replaced by U+FFFD."""
    try:
        return orjson.loads(json.dumps(clean(json.loads(text, parse_constant=_refuse))))
    except (ValueError, RecursionError):
        return None


def call_of(
    record: RunRecord,
    name: str | None,
    call_id: str | None,
    given: object,
    body: Raw,
    path: tuple[str | int, ...],
) -> ToolCall | None:
    """The call in a part that stands at `path`; None for a part that names no tool.

    `given` are its arguments, and `body` is what the part has as such.
    """
    if not name:
        return None
    text = given if isinstance(given, str) else ""
    if given is not None and not isinstance(given, str):
        text = record.exact(body, *path, "args").decode("utf-8", "replace")
    args = fields_of(cast("object", given)) if isinstance(given, dict) else parsed(text)
    return tool_call(
        call_id=call_id_of(call_id, f"{record.name}/{'/'.join(map(str, path))}"),
        name=name,
        arguments=args if args is not None else text,
        raw=text.encode("utf-8", "replace") if args is not None else None,
        spec=tools.find_tool(name, args),
    )


def called(record: RunRecord, part: Part, path: tuple[str | int, ...]) -> ToolCall | None:
    """The call that a part is; None for a part that names no tool."""
    given = record.value_of(part.args)
    return call_of(record, part.tool_name, part.tool_call_id, given, part.args, path)


def begun_call(call_id: str, name: str) -> ToolCall:
    return tool_call(
        call_id=call_id,
        name=name,
        arguments=None,
        spec=tools.find_tool(name, None),
        state=ToolState.INPUT_STREAMING,
    )
