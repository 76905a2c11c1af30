"""Pydantic models of the facts and of the lines of `agentview events`, and their JSON Schema.

They are made of the classes of the facts, which alone say what there is. pydantic is slow to
import, so this module is imported late.
"""

import ast
import inspect
from collections.abc import Callable, Iterator, Mapping
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
    Discriminator,
    Field,
    GetCoreSchemaHandler,
    PositiveInt,
    Tag,
    TypeAdapter,
    create_model,
)
from pydantic_core import CoreSchema

from agentview.domain.events import Facts, Message, Reset, Rewind
from agentview.domain.session import Stream
from agentview.domain.tools import ToolCall
from agentview.domain.value import Value
from agentview.reports.export.encoding import TAGS
from agentview.reports.export.events import (
    CURSOR,
    OUTCOME,
    REQUEST,
    RESET,
    TOOL,
    TOPIC,
    TYPES,
    VERSION,
    Status,
    renamed,
)

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]
Line = dict[str, object]


class _AsModel:
    """In an annotation: a value is described by a model of its fields."""

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return handler.generate_schema(_with_models(source))


def _with_models(form: Any) -> Any:
    """The type with a model in the place of each value, which pydantic does not know."""
    if inspect.isclass(form) and issubclass(form, Value):
        return model_of(form)
    origin, parts = get_origin(form), get_args(form)
    if origin is None or origin is Literal:
        return form
    if origin is not UnionType:
        return origin[tuple(map(_with_models, parts))]
    tagged = {TAGS[part]: model_of(part) for part in parts if part in TAGS}
    others = [_with_models(part) for part in parts if part not in TAGS]
    return Union[*others, *([_one_of(tagged, _type_of)] if tagged else ())]


def _one_of(models: Mapping[str, Any], name_of: Callable[[Any], str | None]) -> Any:
    """The model whose name `name_of` gives for what is validated."""
    if len(models) == 1:
        return next(iter(models.values()))
    named: list[Any] = [Annotated[model, Tag(name)] for name, model in models.items()]
    union: Any = Union[tuple(named)]  # noqa: UP007
    by_name = Discriminator(
        name_of,
        custom_error_type="unknown_type",
        custom_error_message="Input should be an object with a known `type`",
    )
    return Annotated[union, by_name]


def _type_of(fact: object) -> str | None:
    return str(cast("Line", fact).get("type")) if isinstance(fact, dict) else None


@cache
def model_of(cls: type[Value]) -> type[BaseModel]:
    """The model of a class of facts, as `to_json_line` writes them: no key may be missing."""
    tag: dict[str, Any] = {"type": (Literal[TAGS[cls]], ...)} if cls in TAGS else {}
    fields = {**tag, **_fields_of(cls)}
    # Built when it is used: a value may have fields of its own class.
    form = ConfigDict(extra="forbid", defer_build=True)
    return create_model(cls.__name__, __config__=form, __doc__=cls.__doc__, **fields)


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
    """Keys of every line."""

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
    """New facts about the session."""
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
    """The report on the end of its task or agent in the background."""
    ended: AwareDatetime | None
    duration: float | None
    """Seconds from the call to its last result."""


class Contradicted(BaseModel):
    """A fact of the log that contradicts words of an agent."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    says: str
    """The sentence that says that tests pass; how it is meant is inferred."""
    evidence: UUID
    """The line of the test run that failed, or of the change since which none ran."""
    fact: str
    """The evidence of the log, in words."""
    failed: int | None
    """Tests that failed or could not run; at least, where the output was cut. Null: none ran."""


class JoinedMessage(Joined):
    """A message of the agent."""

    contradicted: Contradicted | None = None
    """Of the last words of a turn that say that tests pass, where the log shows otherwise."""


class Record(Common):
    """A line of `--records`: one fact as its record says it."""

    source: Source
    """The bytes that it was made of."""
    rewinds: Annotated[Rewind | None, _AsModel()] = None
    """The part that it takes back: the conversation continues from before that."""
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


def validate_line(line: str | bytes) -> BaseModel:
    """The model of a line of either form, whose attributes are the keys.

    Raises pydantic.ValidationError, which says what is wrong at which place.
    """
    return _lines().validate_json(line, strict=True)


@cache
def _lines() -> TypeAdapter[BaseModel]:
    types = [*TYPES.items(), (ToolCall, REQUEST), (ToolCall, TOPIC)]
    models: dict[str, type[BaseModel]] = {
        **{name: _joined(cls, name) for cls, name in types},
        **{f"{name}{_RECORD}": _record(cls, name) for cls, name in types},
        RESET: ResetLine,
        CURSOR: CursorLine,
    }
    return TypeAdapter(_one_of(models, _form_of))


def _form_of(line: object) -> str | None:
    """The type of a line, with a word more for one of `--records`."""
    form = _type_of(line)
    if form in (None, RESET, CURSOR) or "records" in cast("Line", line):
        return form
    return f"{form}{_RECORD}"


_RECORD = " record"


def line_schema() -> Schema:
    return {
        "$schema": _DIALECT,
        "title": "A line of agentview events",
        "description": f"Version {VERSION}. `type` says which of these it is. Lines of the default "
        "form have `records`, those of `--records` have `source`.",
        **_lines().json_schema(),
    }


_JOINED: Mapping[type[Value], type[BaseModel]] = {ToolCall: JoinedCall, Message: JoinedMessage}


def _joined(cls: type[Value], name: str) -> type[BaseModel]:
    return _model(f"{_camel(name)}Line", _JOINED.get(cls, Joined), cls, name)


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
