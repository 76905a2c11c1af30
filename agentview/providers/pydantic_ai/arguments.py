"""The one form of a call's arguments, whichever path they came by.

The library keeps them as JSON text or as an object, as the model's service gave them, and one call
may reach us both ways. So `args_json` is canonical: the object as compact JSON, its keys in the
order recorded, characters as they are, numbers as exact as they were. Text that is no JSON object
stays as it is. No arguments at all (null, an empty text) are the empty object, as the library
itself has it. The text exactly as recorded is in the record.
"""

import json
from collections.abc import Mapping
from typing import cast

import orjson

from agentview.domain.tools import ToolCall, ToolState
from agentview.normalize.calls import tool_call
from agentview.normalize.pieces import clean
from agentview.normalize.spans import value_span
from agentview.normalize.values import Fields, text_of
from agentview.providers.pydantic_ai import tools
from agentview.providers.pydantic_ai.frame import Frame, Path


def _refuse(constant: str) -> object:
    raise ValueError(constant)


def canonical(text: str) -> tuple[Mapping[str, object] | None, str]:
    """The object that a JSON text holds and its canonical text; None and the text for no object."""
    if not text.strip():
        return {}, "{}"
    try:
        value: object = clean(json.loads(text, parse_constant=_refuse))
        if not isinstance(value, dict):
            return None, text
        exact = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        # Numbers of more than 64 bits are exact in the text alone, as in all other records.
        return cast("dict[str, object]", orjson.loads(exact)), exact
    except (ValueError, RecursionError):
        return None, text


def recorded(frame: Frame, given: object, path: Path) -> str:
    """The text of arguments that stand at `path` of a record."""
    if isinstance(given, str):
        return given
    span = value_span(frame.raw, (*frame.base, *path))
    if given is None or span is None:
        return ""
    return frame.raw[slice(*span)].decode("utf-8", "replace")


def call_of(frame: Frame, part: Fields, path: Path) -> ToolCall | None:
    """The call in a part that stands at `path`; None for a part that names no tool."""
    name = text_of(part.get("tool_name"))
    if name is None:
        return None
    call_id = text_of(part.get("tool_call_id")) or f"{frame.name}/{'/'.join(map(str, path))}"
    args, text = canonical(recorded(frame, part.get("args"), (*path, "args")))
    return made(call_id, name, args, text)


def made(call_id: str, name: str, args: Mapping[str, object] | None, text: str) -> ToolCall:
    """The call with arguments in canonical form; `args` is None for text that is no object."""
    return tool_call(
        call_id=call_id,
        name=name,
        arguments=args if args is not None else text,
        raw=text.encode("utf-8", "replace") if args is not None else None,
        spec=tools.spec_for(name, args),
    )


def begun_call(call_id: str, name: str) -> ToolCall:
    """A call of which no argument has come yet."""
    return tool_call(
        call_id=call_id,
        name=name,
        arguments=None,
        spec=tools.spec_for(name, None),
        state=ToolState.INPUT_STREAMING,
    )
