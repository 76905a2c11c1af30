"""A JSON value as a schema declares it: what does not fit is set aside."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, TypeVar, cast

import msgspec
from msgspec import Raw, Struct
from msgspec.inspect import (
    AnyType,
    CustomType,
    DictType,
    ListType,
    RawType,
    StructType,
    TupleType,
    Type,
    UnionType,
)

from agentview.domain.value import Value
from agentview.normalize.json_values import Fields, fields_of, items_of
from agentview.providers._kit.json_line import escaped, json_kind

_MOST_FAULTS = 50
"""Fields of a record that are set aside one by one; beyond, all of its values are."""
_PATH = re.compile(r" - at `(?:key` in `)?\$(.*)`$")
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]")

_Record = TypeVar("_Record", bound=Struct)


class FieldFault(Value):
    """A value that is not of the type which the format declares."""

    pointer: str
    """Where it is: a JSON pointer."""
    found: str
    """Its type, in a word."""


def read_as(value: object, schema: type[_Record]) -> _Record:
    """The typed form of a JSON object, without the values that do not fit; else an empty one.

    For results, and parts of a record that are read when somebody looks at them.
    """
    fields = fields_of(value)
    if not fields:
        return schema()
    if type(cast("object", fields)) is dict and not _notes_inside(fields):
        try:
            return _convert(fields, schema)
        except msgspec.ValidationError:
            pass
    found, faults = fitting(fields, schema)
    for fault in faults:
        _refuse(fields, fault.pointer)
    return found


_convert = msgspec.convert
_PLAIN = frozenset({str, int, float, bool, type(None), dict})


def _notes_inside(fields: Fields) -> bool:
    """True if a value, or the first of a list, notes which of its keys are looked at."""
    for value in fields.values():
        if type(value) in _PLAIN:
            # Nearly all are.
            continue
        head = next(iter(items_of(value)), value)
        if isinstance(head, dict) and type(cast("object", head)) is not dict:
            return True
    return False


def _refuse(fields: Fields, pointer: str) -> None:
    """Let a value that does not fit count as one that nobody read, if that is noted."""
    *steps, last = pointer.split("/")[1:]
    holder: object = fields
    for step in steps:
        holder = next((each for _, each in _at(holder, step)), None)
    noted = getattr(holder, "noted", None)
    if noted is not None:
        noted.discard(last)


def fitting(value: Fields, schema: type[_Record]) -> tuple[_Record, tuple[FieldFault, ...]]:
    """The typed record of a JSON object, without the values that do not fit, and what those are.

    Fields of the type `object` have the same values. Raises ValueError where nothing fits, and
    RecursionError for a body that is nested too deeply.
    """
    own = _declared(value, _type_info(schema))
    faults: list[FieldFault] = []
    while True:
        try:
            return msgspec.convert(own, schema), tuple(faults)
        except msgspec.ValidationError as error:
            found = _PATH.search(str(error))
            steps = _STEP.findall(found[1]) if found is not None else []
            if not steps:
                raise
            if len(faults) >= _MOST_FAULTS:
                steps = steps[:1]
            names = [key or at for key, at in steps]
            # A key may have a dot in it, as no step has: then it is what holds it.
            ends = range(len(names), 0, -1)
            tried = (list(_set_aside(own, names[:end], str(error))) for end in ends)
            aside = next(filter(None, tried), None)
            if aside is None:
                raise
            known = {fault.pointer for fault in faults}
            faults.extend(fault for fault in aside if fault.pointer not in known)


_type_info = lru_cache(maxsize=64)(msgspec.inspect.type_info)


def _declared(value: Any, declared: Type) -> Any:
    """Of a value what a type declares: bodies as their text, and other containers empty."""
    if isinstance(declared, RawType):
        return Raw(msgspec.json.encode(value))
    if isinstance(declared, CustomType | AnyType) or not isinstance(value, list | dict):
        return value
    types = declared.types if isinstance(declared, UnionType) else (declared,)
    if isinstance(value, list):
        listed = cast("list[Any]", value)
        kinds = next((kind for each in types if (kind := _item_types(each, listed))), ())
        return [_declared(item, kind) for item, kind in zip(listed, kinds, strict=False)]
    fields = cast("Fields", value)
    for each in types:
        if isinstance(each, StructType):
            named = ((own.encode_name, own.type) for own in each.fields)
            return {key: _declared(fields[key], kind) for key, kind in named if key in fields}
        if isinstance(each, DictType):
            return {key: _declared(item, each.value_type) for key, item in fields.items()}
    return {}


def _item_types(declared: Type, items: Sequence[object]) -> Sequence[Type]:
    """The types of the items of a list, if a type declares them."""
    if isinstance(declared, TupleType):
        return declared.item_types
    return [declared.item_type] * len(items) if isinstance(declared, ListType) else ()


def _set_aside(value: Any, steps: list[str], error: str) -> Iterator[FieldFault]:
    """Put null in place of what is at the end of a path, or nothing where null does not fit.

    `...` stands for any key of an object.
    """
    holders: list[tuple[Any, str]] = [(value, "")]
    for step in steps[:-1]:
        holders = [
            (inner, f"{at}/{key}") for holder, at in holders for key, inner in _at(holder, step)
        ]
    last = steps[-1]
    found = re.search(r"got `([a-z]+)`", error)
    for holder, at in holders:
        for key, item in list(_at(holder, last)):
            if last == "..." and found is not None and json_kind(item) != _KINDS.get(found[1]):
                continue
            if item is None:
                del holder[key]
            else:
                holder[key] = None
            yield FieldFault(f"{at}/{escaped(str(key))}", json_kind(item))


_KINDS = {
    "array": "list", "object": "object", "str": "text", "bool": "truth value",
    "int": "number", "float": "number", "null": "null",
}  # fmt: skip


def _at(holder: Any, step: str) -> Iterator[tuple[Any, Any]]:
    if isinstance(holder, list):
        items = cast("list[Any]", holder)
        if step.isdigit() and int(step) < len(items):
            yield int(step), items[int(step)]
    elif isinstance(holder, dict):
        fields = cast("dict[str, Any]", holder)
        if step == "...":
            yield from fields.items()
        elif step in fields:
            yield step, fields[step]
