"""A row of tab names, one of them chosen."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.message import Message

from agentview.ui.widgets.responsive_bar import Bar, Part, part


class TabBar(Bar):
    """Names of the tabs; a click on one chooses it."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"bar--tab", "bar--chosen"}

    DEFAULT_CSS = """
    TabBar {
        background: $background;
        .bar--tab { color: $text-muted; }
        .bar--chosen { color: $accent; text-style: bold underline; }
    }
    """

    @dataclass
    class Chosen(Message):
        """The person wants another tab."""

        index: int

    def __init__(self, names: Sequence[str], *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._names = tuple(names)
        self._chosen = 0

    @property
    def chosen(self) -> int:
        """Which tab is chosen, from 0."""
        return self._chosen

    def choose(self, index: int) -> None:
        """Mark another tab as the chosen one."""
        self._chosen = index % len(self._names)
        self.refresh()

    def parts(self) -> Sequence[Part]:
        return [
            part(
                name,
                "bar--chosen" if index == self._chosen else "bar--tab",
                90 if index == self._chosen else 50 - index,
            )
            for index, name in enumerate(self._names)
        ]

    def on_click(self, event: events.Click) -> None:
        """Choose the name that was clicked on."""
        form = self.form_at(event)
        for index, tab in enumerate(self.parts()):
            if form in tab.forms:
                self.post_message(self.Chosen(index))
