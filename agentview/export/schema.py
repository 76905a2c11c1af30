"""The JSON Schema of a line of `agentview events`, generated from pydantic models of the facts."""

import ast
import inspect
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from textwrap import dedent
from types import UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin, get_type_hints
from uuid import UUID

from pydantic import (
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    PositiveInt,
    create_model,
)
from pydantic.json_schema import models_json_schema
from pydantic_core import CoreSchema

from agentview.domain.events import Facts, Reset, Rewind
from agentview.domain.session import Stream
from agentview.domain.tools import ToolCall
from agentview.domain.value import Value
from agentview.export.encoding import TAGS
from agentview.export.events import OUTCOME, REQUEST, TOOL, TYPES, VERSION, Status, renamed

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]


class _AsModel:
    """In an annotation: a value is described by a model of its fields."""

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Give the schema of the model."""
        return handler.generate_schema(_with_models(source))


def _with_models(form: Any) -> Any:
    """The type with a model in the place of each value, which pydantic does not know."""
    if inspect.isclass(form) and issubclass(form, Value):
        return _model_of(form)
    origin: Any = get_origin(form)
    if origin is None or origin is Literal:
        return form
    parts = tuple(map(_with_models, get_args(form)))
    return Union[parts] if origin is UnionType else origin[parts]  # noqa: UP007


@cache
def _model_of(cls: type[Value]) -> type[BaseModel]:
    # Built when it is used: a value may have fields of its own class.
    later = ConfigDict(defer_build=True)
    return create_model(cls.__name__, __config__=later, __doc__=cls.__doc__, **_fields_of(cls))


def _fields_of(cls: type[Value]) -> dict[str, Any]:
    """The definition of each field: its type, and what its docstring says."""
    said = dict(_docstrings(cls))
    hints = get_type_hints(cls)
    return {
        name: (Annotated[hints[name], _AsModel()], Field(description=said.get(name)))
        for name in cls.__struct_fields__
    }


def _docstrings(cls: type) -> Iterator[tuple[str, str]]:
    try:
        (tree,) = ast.parse(dedent(inspect.getsource(cls))).body
    except OSError:
        return
    for field, said in pairwise(cast("ast.ClassDef", tree).body):
        match field, said:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                yield name, inspect.cleandoc(text)
            case _:
                pass


class Source(BaseModel):
    """A place in a log: `length` bytes at `offset` of `file`."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    file: str
    line: int | None
    """1-based; null where it is not known."""
    offset: int
    length: int
    pointer: str = ""


class Common(BaseModel):
    """What every line has."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    v: Literal[2]
    id: UUID
    session: str
    provider: str
    stream: Annotated[Stream, _AsModel()]
    time: AwareDatetime | None
    record_id: str | None = None
    """The provider's own id of the record."""
    parent_id: str | None = None
    """The provider's id of the record before it in its chain."""
    response_id: str | None = None
    """Id of the model response that it is a part of."""
    parent_call: str | None = None
    """The call that started the agent whose log this is."""
    child: Annotated[Stream | None, _AsModel()] = None
    """The stream that this event started or reports on."""
    facts: Annotated[Facts | None, _AsModel()] = None
    """What became known about the session."""
    resets: Annotated[Reset | None, _AsModel()] = None


class Joined(Common):
    """A line of the default form: all that the records of one activity say together."""

    revision: PositiveInt
    """1 when it is printed for the first time; a later line of the same id replaces it."""
    status: Status
    replaced_by: UUID | None = None
    """The line that counts instead."""
    records: Annotated[list[Source], Field(min_length=1)]
    """The records that it was made of, in the order of the log."""


class JoinedCall(Joined):
    """A call with its outcome."""

    progress: str | None
    """Output so far of a call that has no result yet."""
    reported: str | None
    """What the end of its task or agent in the background was reported with."""
    ended: AwareDatetime | None
    duration: float | None
    """Seconds from the call to its last result."""


class Record(Common):
    """A line of `--records`: one fact as its record says it."""

    source: Source
    """The bytes that it was made of."""
    rewinds: Annotated[Rewind | None, _AsModel()] = None
    """What it takes back: the conversation continues from before that."""
    twin_of: UUID | None = None
    """The event that said the same before."""
    takes_place_of: UUID | None = None
    """The event that this one replaces."""
    amends: UUID | None = None
    """The event of the same call that this one adds to."""
    run: str | None = None
    """Neighbouring events of a stream with the same run are pieces of one text; empty: of none."""
    whole: bool = False
    """It says all of its run again and replaces the pieces before it."""


class ResetLine(Common):
    """All earlier lines of the same file are void; it is read again from its start."""

    type: Literal["reset"]
    source: Source
    reason: str


class CursorLine(BaseModel):
    """A place in the stream of all sessions: `--since` continues behind it."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    v: Literal[2]
    type: Literal["cursor"]
    cursor: str


def line_schema() -> Schema:
    """The schema that every line of both forms validates against."""
    types = [*TYPES.items(), (ToolCall, REQUEST)]
    joined = [_joined(cls, name) for cls, name in types]
    records = [_record(cls, name) for cls, name in types]
    models = [*joined, *records, ResetLine, CursorLine]
    references, schema = models_json_schema([(model, "serialization") for model in models])
    _tag_unions(schema["$defs"])
    return {
        "$schema": _DIALECT,
        "title": "A line of agentview events",
        "description": f"Version {VERSION}. `type` says which of these it is. Lines of the default "
        "form have `records`, those of `--records` have `source`.",
        "oneOf": [references[model, "serialization"] for model in models],
        **schema,
    }


def _joined(cls: type[Value], name: str) -> type[BaseModel]:
    return _model(f"{_camel(name)}Line", JoinedCall if cls is ToolCall else Joined, cls, name)


def _record(cls: type[Value], name: str) -> type[BaseModel]:
    return _model(f"{_camel(name)}RecordLine", Record, cls, name)


def _camel(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


def _model(title: str, base: type[BaseModel], cls: type[Value], name: str) -> type[BaseModel]:
    """The model of the lines of one type: what all have, and all fields of the event."""
    fields = _fields_of(ToolCall if name == "tool_result" else cls)
    if name == "tool_result":
        own: dict[str, Any] = {field: (fields[field][0] | None, ...) for field in TOOL} | {
            field: fields[field] for field in (*OUTCOME, "call_id", "state")
        }
    else:
        own = {renamed(cls, field): known for field, known in fields.items()}
    definitions: dict[str, Any] = {"type": (Literal[name], ...), **own}
    return create_model(title, __base__=base, __doc__=cls.__doc__, **definitions)


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
