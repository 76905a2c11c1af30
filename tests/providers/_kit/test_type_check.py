"""Values compared with the types that annotations state."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from agentview.domain.events import Message, Reasoning
from agentview.domain.tools import ToolKind
from agentview.providers._kit.type_check import fault_of


@pytest.mark.parametrize(
    ("value", "form"),
    [
        (1, Any),
        ({"a": object()}, Mapping[str, Any]),
        (None, None),
        (None, str | None),
        (ToolKind.READ, str | None),
        (3, float | None),
        (True, bool),
        (("a", "b"), tuple[str, ...]),
        ([Message("a")], Sequence[Message | Reasoning]),
        ({"a": [1, None]}, object),
    ],
)
def test_a_value_of_its_form_has_no_fault(value: object, form: object) -> None:
    assert fault_of(value, form, "it") is None


@pytest.mark.parametrize(
    ("value", "form", "fault"),
    [
        (1, None, "it is int, not None"),
        ("\ud800", str, "it is str, not str"),
        (True, int, "it is bool, not int"),
        (True, float, "it is bool, not float"),
        ("a", float | None, "it is str, not float or NoneType"),
        (("a", 1), tuple[str, ...], "it[1] is int, not str"),
        ({"a": 1}, Mapping[str, str], "it[a] is int, not str"),
        ({"a": {1}}, object, "it is dict, not JSON"),
        (Message(text=1), Message | Reasoning, "it.text is int, not str"),  # pyright: ignore[reportArgumentType]
        ([Message("a", blocks=("b",))], list[Message], None),  # pyright: ignore[reportArgumentType]
    ],
)
def test_a_fault_is_named_by_its_place(value: object, form: object, fault: str | None) -> None:
    found = fault_of(value, form, "it")
    assert found is not None
    assert fault is None or found == fault
