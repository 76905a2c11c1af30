"""What all values have in common."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from enum import Enum
from importlib import import_module
from inspect import isclass
from pathlib import Path
from pkgutil import walk_packages
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from msgspec import Struct
from rich.style import Style

import agentview
from agentview.domain.value import Value

_HELD_BY_NONE = (str, int, float, bytes, Enum, Path, re.Pattern, Style, type(None))
"""Classes that hold no other objects. What is annotated as `object` is JSON."""


class Pair(Value):
    """Two fields."""

    first: object
    second: object = None


class Other(Value):
    """The same fields as another class."""

    first: object
    second: object = None


def test_equal_are_those_of_a_class_with_equal_fields() -> None:
    assert Pair(1, 2) == Pair(1, 2)
    assert Pair(1, 2) != Pair(1, 3)
    assert Pair(1, 2) != Other(1, 2)
    assert len({Pair(1, "a"), Pair(1, "a"), Pair(2, "a")}) == 2


def test_nobody_assigns_to_a_field() -> None:
    with pytest.raises(AttributeError):
        Pair(1).first = 2  # pyright: ignore[reportAttributeAccessIssue]


def _classes(base: type[Value]) -> Iterator[type[Value]]:
    for cls in base.__subclasses__():
        if cls.__module__.startswith("agentview."):
            yield cls
            yield from _classes(cls)


def _types(cls: type[Any]) -> Iterable[Any]:
    """The types of the fields; `array` takes no arguments before Python 3.12."""
    return get_type_hints(cls, localns={"array": list}).values()


def _may_hold_anything(form: Any) -> bool:
    """Whether an object of this type may hold one that was made after it."""
    origin = get_origin(form)
    if origin in (Union, UnionType):
        return any(map(_may_hold_anything, get_args(form)))
    if origin in (Literal, type) or form in (object, ...):
        return False
    if origin is None:
        if not isclass(form):
            return True
        if issubclass(form, Struct):
            return form.__struct_config__.gc
        if hasattr(form, "_fields"):
            return any(map(_may_hold_anything, _types(form)))
        return not issubclass(form, _HELD_BY_NONE)
    if issubclass(origin, re.Pattern):
        return False
    return not issubclass(origin, Collection) or any(map(_may_hold_anything, get_args(form)))


def test_values_that_may_be_part_of_a_cycle_are_collected() -> None:
    """The collector does not see a cycle through a class without `gc=True`: it would stay."""
    for module in walk_packages(agentview.__path__, "agentview."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    wrong = [
        f"{cls.__module__}.{cls.__qualname__}"
        for cls in _classes(Value)
        if cls.__struct_config__.gc != any(map(_may_hold_anything, _types(cls)))
    ]
    assert not wrong, f"add or remove gc=True: {', '.join(wrong)}"


@pytest.mark.parametrize(
    "form", [Callable[[], int], list[Callable[[], int]], int | Callable[[], int], list]
)
def test_what_may_be_part_of_a_cycle_is_seen(form: object) -> None:
    assert _may_hold_anything(form)
