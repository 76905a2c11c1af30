"""A value is what a frozen dataclass with slots is."""

import pickle
from copy import copy, deepcopy
from dataclasses import asdict, field, fields, is_dataclass, replace
from typing import Any, get_type_hints

import pytest

from agentview.domain.value import Value
from agentview.domain.value import replace as replace_fields


class Point(Value):
    """Two required fields and one of its own for each instance."""

    x: int
    y: int = 0
    tags: list[str] = field(default_factory=list[str])


class Sized(Value):
    """The same fields as another class."""

    x: int
    y: int = 0
    tags: list[str] = field(default_factory=list[str])


class Pair(Value):
    """Can be hashed."""

    first: object
    second: object = None

    @property
    def both(self) -> tuple[object, object]:
        """Both of them."""
        return self.first, self.second


class Nothing(Value):
    """No field at all."""


def test_fields_are_given_by_place_name_or_default() -> None:
    assert (Point(1, 2).x, Point(1, y=2).y, Point(1).y) == (1, 2, 0)
    assert Pair(1, second=2).both == (1, 2)
    assert Nothing() == Nothing()


def test_a_factory_makes_a_default_for_each() -> None:
    first, second = Point(1), Point(1)
    first.tags.append("a")
    assert (first.tags, second.tags, Point(1, tags=["b"]).tags) == (["a"], [], ["b"])


@pytest.mark.parametrize("arguments", [{}, {"x": 1, "z": 2}])
def test_wrong_arguments_are_refused_each_time(arguments: dict[str, Any]) -> None:
    for _ in range(2):
        with pytest.raises(TypeError, match=r"Sized\.__init__\(\)"):
            Sized(**arguments)


def test_equal_are_those_of_a_class_with_equal_fields() -> None:
    assert Point(1, 2) == Point(1, 2)
    assert Point(1, 2) != Point(1, 3)
    assert Point(1, 2) != Sized(1, 2)
    assert Pair(1) != (1, None)


def test_the_hash_is_that_of_the_fields() -> None:
    assert len({Pair(1, "a"), Pair(1, "a"), Pair(2, "a")}) == 2
    with pytest.raises(TypeError):
        hash(Point(1))


def test_it_is_shown_as_it_is_made() -> None:
    assert repr(Pair(1, "a")) == "Pair(first=1, second='a')"


def test_patterns_match_by_place_and_name() -> None:
    match Pair(1, "a"):
        case Pair(number, second=text):
            assert (number, text) == (1, "a")
        case _:
            raise AssertionError


def test_there_is_room_for_its_fields_only() -> None:
    pair = Pair(1)
    assert not hasattr(pair, "__dict__")
    with pytest.raises(AttributeError):
        object.__setattr__(pair, "third", 3)


def test_it_is_copied_and_sent() -> None:
    point = Point(1, 2, ["a"])
    assert copy(point) == deepcopy(point) == pickle.loads(pickle.dumps(point)) == point


class Named(Value):
    """Its fields have the names of parameters."""

    value: int
    copy: str = ""


def test_a_copy_has_other_values_for_some_fields() -> None:
    point = Point(1, 2, ["a"])
    assert replace_fields(point, y=3) == Point(1, 3, ["a"])
    assert point == Point(1, 2, ["a"])
    assert replace_fields(Named(1, "x"), value=2) == Named(2, "x")
    with pytest.raises(AttributeError):
        replace_fields(point, z=1)


def test_the_functions_of_dataclasses_take_it() -> None:
    point = Point(1, 2, ["a"])
    assert is_dataclass(point)
    assert replace(point, y=3) == Point(1, 3, ["a"])
    assert [found.name for found in fields(Point)] == ["x", "y", "tags"]
    assert [found.name for found in fields(Pair)] == ["first", "second"]
    assert asdict(Pair(point, 1)) == {"first": {"x": 1, "y": 2, "tags": ["a"]}, "second": 1}
    assert get_type_hints(Point) == {"x": int, "y": int, "tags": list[str]}
