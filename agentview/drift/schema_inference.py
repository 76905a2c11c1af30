"""The structure of JSON values: types and not values, of one value or of all that were seen.

Shapes form a semilattice: `merge` is commutative, associative and idempotent, and `NOTHING` is its
neutral element. So the shape of many values does not depend on their order or how often they came.
"""

import re
from collections.abc import Mapping
from functools import reduce
from typing import cast

from msgspec import field

from agentview.domain.value import Value
from agentview.facts.accounting.map_keys import is_dynamic

DEEP = "deep"
"""The type of what lies too deep to be looked at."""

_MAX_DEPTH = 60
_TAG_KEY = "type"
_TAG = re.compile(r"[A-Za-z][\w.:/-]{0,47}")

_VARYING = 6
"""Members from which an object is a map, when none is always there and all are alike."""

_MANY = 32
"""Members from which an object is a map, when all are alike."""

_MANY_TAGS = 32
"""Types of the items of a list from which they are data."""


class Field(Value):
    """A member of objects: what it holds, and whether some of the objects do not have it."""

    shape: "Shape"
    optional: bool = False


class Members(Value):
    """The members of objects: by name, and together those whose names are data."""

    fields: Mapping[str, Field]
    rest: "Shape | None" = None


class Shape(Value):
    """Possible values: the union of all that is set; nothing set is a value never seen.

    `scalars` are names of types: null, bool, number, string. The items of a list are one union too,
    but for objects that say their type: of these each type has members of its own, in `tagged`.
    """

    scalars: frozenset[str] = frozenset()
    members: Members | None = None
    items: "Shape | None" = None
    tagged: Mapping[str, Members] = field(default_factory=dict[str, Members])


NOTHING = Shape()

_SCALARS: Mapping[type, Shape] = {
    type(None): Shape(frozenset({"null"})),
    bool: Shape(frozenset({"bool"})),
    int: Shape(frozenset({"number"})),
    float: Shape(frozenset({"number"})),
    str: Shape(frozenset({"string"})),
}
_DEEP = Shape(frozenset({DEEP}))


class TypeReference(Value):
    """Replaces a part of a value whose structure is described elsewhere; `name` is its type."""

    name: str


def shape_of(value: object) -> Shape:
    """The shape of a JSON value, which may hold `TypeReference`s. Never raises."""
    return _shape(value, 0)


def _shape(value: object, depth: int) -> Shape:
    known = _SCALARS.get(type(value))
    if known is not None:
        return known
    if depth > _MAX_DEPTH:
        return _DEEP
    if isinstance(value, dict):
        return Shape(members=_members(cast("dict[str, object]", value), depth))
    if isinstance(value, list):
        return Shape(items=_items(cast("list[object]", value), depth))
    return Shape(frozenset({value.name if isinstance(value, TypeReference) else "string"}))


def _members(value: Mapping[str, object], depth: int) -> Members:
    fields: dict[str, Field] = {}
    rest: Shape | None = None
    for key, item in value.items():
        shape = _shape(item, depth + 1)
        if is_dynamic(key):
            rest = shape if rest is None else merge(rest, shape)
        else:
            fields[key] = Field(shape)
    return Members(fields, rest)


def _items(items: list[object], depth: int) -> Shape:
    merged = NOTHING
    for item in items:
        merged = merge(merged, _item(item, depth + 1))
    return merged


def _item(item: object, depth: int) -> Shape:
    tag = tag_of(item) if depth <= _MAX_DEPTH else None
    if tag is not None:
        return Shape(tagged={tag: _members(cast("dict[str, object]", item), depth)})
    return _shape(item, depth)


def tag_of(item: object) -> str | None:
    """The type that an item of a list says it is of, by which it is distinguished from others."""
    tag = cast("dict[str, object]", item).get(_TAG_KEY) if isinstance(item, dict) else None
    named = isinstance(tag, str) and _TAG.fullmatch(tag) and not is_dynamic(tag)
    return tag if isinstance(tag, str) and named else None


def merge(one: Shape, other: Shape) -> Shape:
    """The shape of all that is of the one or of the other."""
    if one is other or other is NOTHING:
        return one
    if one is NOTHING:
        return other
    tags = {**one.tagged, **other.tagged}
    for tag in one.tagged.keys() & other.tagged.keys():
        tags[tag] = _merge_members(one.tagged[tag], other.tagged[tag])
    return Shape(
        one.scalars | other.scalars,
        _either(one.members, other.members),
        _union(one.items, other.items),
        tags,
    )


def merge_all(*shapes: Shape) -> Shape:
    return reduce(merge, shapes, NOTHING)


def _union(one: Shape | None, other: Shape | None) -> Shape | None:
    if one is None or other is None:
        return one or other
    return merge(one, other)


def _either(one: Members | None, other: Members | None) -> Members | None:
    if one is None or other is None:
        return one or other
    return _merge_members(one, other)


def _merge_members(one: Members, other: Members) -> Members:
    if one is other:
        return one
    fields: dict[str, Field] = {}
    for key, here in one.fields.items():
        there = other.fields.get(key)
        if there is None:
            fields[key] = here if here.optional else Field(here.shape, optional=True)
        else:
            optional = here.optional or there.optional
            fields[key] = Field(merge(here.shape, there.shape), optional)
    for key, there in other.fields.items():
        if key not in fields:
            fields[key] = Field(there.shape, optional=True)
    return Members(fields, _union(one.rest, other.rest))


def fits(shape: Shape, value: object) -> bool:
    return merge(shape, shape_of(value)) == shape


def collapsed(shape: Shape) -> Shape:
    """The shape with objects that turned out to be maps marked as such: their keys are data.

    A map has many members, all alike, and none that is always there; or what is in its members is
    like what is in those whose keys are data by their form. To be taken last, of all that
    was merged: what is merged with it afterwards would have to be collapsed again.
    """
    members = _collapsed_members(shape.members) if shape.members is not None else None
    items = collapsed(shape.items) if shape.items is not None else None
    tagged = {tag: _collapsed_members(each) for tag, each in shape.tagged.items()}
    if len(tagged) > _MANY_TAGS:
        members = _collapsed_members(
            reduce(_merge_members, tagged.values(), members or Members({}))
        )
        tagged = {}
    return Shape(shape.scalars, members, items, tagged)


def _collapsed_members(members: Members) -> Members:
    fields = {
        key: Field(collapsed(each.shape), each.optional) for key, each in members.fields.items()
    }
    rest = collapsed(members.rest) if members.rest is not None else None
    if _is_map(fields) or _are_like(fields, rest):
        return Members(
            {}, collapsed(merge_all(*(each.shape for each in fields.values()), rest or NOTHING))
        )
    return Members(fields, rest)


def _are_like(fields: Mapping[str, Field], rest: Shape | None) -> bool:
    """True if names stand next to data and mean the same, as `Makefile` does next to `src/a.py`."""
    if rest is None or not fields or (rest.members is None and rest.items is None):
        return False
    return all(merge(rest, field.shape) == rest for field in fields.values())


def _is_map(fields: Mapping[str, Field]) -> bool:
    if len(fields) < _VARYING:
        return False
    if len(fields) < _MANY and not all(each.optional for each in fields.values()):
        return False
    first, *others = (each.shape for each in fields.values())
    return all(shape == first for shape in others)
