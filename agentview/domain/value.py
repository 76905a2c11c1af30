"""`Value`, the base of all nouns."""

from typing import dataclass_transform

from msgspec import Struct, field


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Value(Struct, frozen=True, gc=False, array_like=True):
    """Equal to another of its class with equal fields, hashed by them, matched by their order.

    msgspec writes one as the array of its fields, without their names: what is kept in a file needs
    the version of its form there.

    The garbage collector does not look into it, so it must not be part of a cycle: a class with a
    field for a function, a widget or other objects with state says `gc=True`.
    """
