"""What a shape is: the keys of a JSON object that something reads."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import get_args

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from agentview.normalize.json_values import Fields, fields_of, items_of


class Shape(BaseModel):
    """Keys of an object that are read; a field typed `object` is read whole, whatever it holds.

    Every key may be missing or of another type: shapes name keys, they do not judge values.
    """

    model_config = ConfigDict(extra="allow")

    @classmethod
    def narrow(cls, value: Fields) -> "type[Shape]":
        """The shape of this very value, where its kind decides."""
        _ = value
        return cls

    @classmethod
    def parts(cls, value: Fields) -> "Mapping[str, type[Shape] | None]":
        """Keys of the shape, with the shape of what is under them; None for what is read whole."""
        _ = value
        return _parts(cls)


class CamelShape(Shape):
    """A shape whose keys are written in camel case, as the client writes its own."""

    model_config = ConfigDict(extra="allow", alias_generator=to_camel)


@cache
def _parts(shape: type[Shape]) -> dict[str, type[Shape] | None]:
    found: dict[str, type[Shape] | None] = {}
    for name, field in shape.model_fields.items():
        found[field.alias or name] = _inner(field.annotation)
    return found


def _inner(annotation: object) -> type[Shape] | None:
    """The shape named anywhere in an annotation."""
    if isinstance(annotation, type) and not get_args(annotation):
        return annotation if issubclass(annotation, Shape) else None
    return next((shape for part in get_args(annotation) if (shape := _inner(part))), None)


def unread(value: object, shape: type[Shape], pointer: str = "") -> Iterator[str]:
    """JSON pointers of the keys of a value that its shape does not have; not of what is below."""
    for index, item in enumerate(items_of(value)):
        yield from unread(item, shape, f"{pointer}/{index}")
    fields = fields_of(value)
    if not fields:
        return
    parts = shape.narrow(fields).parts(fields)
    for key, item in fields.items():
        place = f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"
        if key not in parts:
            yield place
        elif (inner := parts[key]) is not None:
            yield from unread(item, inner, place)
