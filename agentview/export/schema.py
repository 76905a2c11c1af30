"""The JSON Schema of a line of `agentview events`, generated from pydantic models of the facts."""

from collections.abc import Mapping
from typing import Any, Literal, get_type_hints
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, create_model
from pydantic.json_schema import models_json_schema

from agentview.domain.events import Facts, Reset
from agentview.domain.session import Stream
from agentview.domain.tools import ToolCall
from agentview.export.encoding import TAGS, field_names
from agentview.export.events import OUTCOME, TOOL, TYPES, VERSION, renamed

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]


class Source(BaseModel):
    """The bytes that the event was made of: `length` bytes at `offset` of `file`."""

    model_config = ConfigDict(extra="forbid")

    file: str
    line: int | None
    """1-based; null where it is not known."""
    offset: int
    length: int
    pointer: str = ""


class Envelope(BaseModel):
    """What every line has."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    v: Literal[1]
    id: UUID
    session: str
    provider: str
    stream: Stream
    time: AwareDatetime | None
    source: Source
    record_id: str | None = None
    """The provider's own id of the record."""
    parent_id: str | None = None
    """The provider's id of the record before it in its chain."""
    response_id: str | None = None
    """Id of the model response that it is a part of."""
    parent_call: str | None = None
    """The call that started the agent whose log this is."""
    child: Stream | None = None
    """The stream that this event started or reports on."""
    facts: Facts | None = None
    """What became known about the session."""
    twin_of: UUID | None = None
    """The event that said the same before."""
    takes_place_of: UUID | None = None
    """The event that this one makes void."""
    resets: Reset | None = None
    run: str | None = None
    """Neighbouring events of a stream with the same run are pieces of one text; empty: of none."""
    whole: bool = False
    """It says all of its run again and takes the place of the pieces before it."""
    amends: bool = False
    """What it does not say of its call, other events of the same call do."""


class ResetLine(Envelope):
    """All earlier lines of the same file are void; it is read anew from its start."""

    type: Literal["reset"]
    reason: str


def line_schema() -> Schema:
    """The schema that every line validates against."""
    models = [*(_model(cls, name) for cls, name in TYPES.items()), ResetLine]
    references, schema = models_json_schema([(model, "serialization") for model in models])
    _tag_unions(schema["$defs"])
    return {
        "$schema": _DIALECT,
        "title": "A line of agentview events",
        "description": f"Version {VERSION}; `type` says which of these it is.",
        "oneOf": [references[model, "serialization"] for model in models],
        **schema,
    }


def _model(cls: type, name: str) -> type[BaseModel]:
    """The model of the lines of one type: the envelope and all fields of the event."""
    hints: Mapping[str, Any] = get_type_hints(ToolCall if name == "tool_result" else cls)
    if name == "tool_result":
        known: dict[str, Any] = {
            field: (hints[field], ...) for field in (*OUTCOME, "call_id", "state")
        }
        own: dict[str, Any] = {field: (hints[field] | None, ...) for field in TOOL} | known
    else:
        own = {renamed(cls, field): (hints[field], ...) for field in field_names(cls)}
    definitions: dict[str, Any] = {"type": (Literal[name], ...), **own}
    return create_model(
        f"{cls.__name__}Line", __base__=Envelope, __doc__=cls.__doc__, **definitions
    )


def _tag_unions(definitions: Mapping[str, Schema]) -> None:
    """Make each fact an object with all its fields, and with its `type` where it has one."""
    tags = {cls.__name__: tag for cls, tag in TAGS.items()}
    for name, definition in definitions.items():
        if name.endswith("Line") or name == Source.__name__ or "properties" not in definition:
            continue
        if name in tags:
            tag = {"const": tags[name], "type": "string"}
            definition["properties"] = {"type": tag, **definition["properties"]}
        definition["required"] = list(definition["properties"])
        definition["additionalProperties"] = False
