"""Shapes as JSON, to be kept in files and compared, and as few words.

A type is its name; an object is an object of its keys, `key?` for one that is not always there and
`*` for all that are data; a list is a list of what its items are, where an object whose items say
their type is `{"<type>": {...}}`; several of these are `{"|": [...]}`. Keys that look like one of
these signs have a backslash in front.
"""

from collections.abc import Iterator, Mapping
from typing import cast

from agentview.drift.schema_inference import NOTHING, Field, Members, Shape, merge

_NAMED = 3
"""Types of items that are named in few words."""


def to_form(shape: Shape) -> object:
    """The shape as JSON: equal shapes give equal text, keys in their order."""
    forms = list(_alternatives(shape))
    return forms[0] if len(forms) == 1 else {"|": forms}


def _alternatives(shape: Shape) -> Iterator[object]:
    yield from sorted(shape.scalars)
    if shape.members is not None:
        yield _members_form(shape.members)
    if shape.items is not None:
        yield list(_alternatives(shape.items))
    for tag in sorted(shape.tagged):
        yield {f"<{tag}>": _members_form(shape.tagged[tag])}


def _members_form(members: Members) -> dict[str, object]:
    form: dict[str, object] = {}
    for key in sorted(members.fields):
        field = members.fields[key]
        form[key + ("?" if field.optional else "")] = to_form(field.shape)
    if members.rest is not None:
        form["*"] = to_form(members.rest)
    return form


def from_form(form: object) -> Shape:
    """The shape that `to_form` gave this for. Raises ValueError for anything else."""
    if isinstance(form, str):
        return Shape(frozenset({form}))
    if isinstance(form, list):
        return Shape(items=_union(cast("list[object]", form)))
    if not isinstance(form, dict):
        raise ValueError(f"not a shape: {type(form).__name__}")
    fields = cast("dict[str, object]", form)
    if len(fields) == 1:
        key, inner = next(iter(fields.items()))
        if key == "|" and isinstance(inner, list):
            return _union(cast("list[object]", inner))
        if key.startswith("<") and key.endswith(">"):
            return Shape(tagged={key[1:-1]: _members_of(inner)})
    return Shape(members=_members_of(fields))


def _union(forms: list[object]) -> Shape:
    union = Shape()
    for form in forms:
        union = merge(union, from_form(form))
    return union


def _members_of(form: object) -> Members:
    if not isinstance(form, Mapping):
        raise ValueError("members of a shape are no object")
    fields: dict[str, Field] = {}
    rest: Shape | None = None
    for key, inner in cast("Mapping[str, object]", form).items():
        if key == "*":
            rest = from_form(inner)
            continue
        fields[key.removesuffix("?")] = Field(from_form(inner), optional=key.endswith("?"))
    return Members(fields, rest)


def in_words(shape: Shape) -> str:
    """The shape in few words, without what is inside: `null | list<string>`, `object`."""
    words = [*sorted(shape.scalars)]
    if shape.members is not None:
        words.append("object" if shape.members.fields or shape.members.rest is None else "map")
    words += sorted(shape.tagged)[:_NAMED]
    if len(shape.tagged) > _NAMED:
        words.append("…")
    if shape.items is not None:
        inner = in_words(shape.items)
        words.append(f"list<{inner}>" if shape.items != NOTHING else "list")
    return " | ".join(words) or "nothing"
