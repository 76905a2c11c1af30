"""What clients have in common whose tools take plain arguments."""

from collections.abc import Callable, Mapping
from typing import Any

from tests.live.client import Answer, Request, ToolCall

Answers = tuple[Callable[[Request], Answer], ...]

OPTIONS = ("Red", "Blue")
"""The options of the question."""
OPTION_SHOWN = "Blue"
"""What is on the screen while the question is."""


def call(name: str, arguments: Mapping[str, Any]) -> Answers:
    """The one call of a tool."""
    return (lambda _: ToolCall(name, arguments),)


def labelled_options() -> list[dict[str, str]]:
    """The options with a description each."""
    return [{"label": name, "description": name} for name in OPTIONS]
