"""The names of the panel's tabs in one row, as much of each as there is room for."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget


class TabNames(Widget):
    """One of the names is chosen; a click on another one asks for it."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"names--other", "names--chosen"}

    DEFAULT_CSS = """
    TabNames {
        height: 1;
        width: 1fr;
        background: $background;
        .names--other { color: $text-muted; }
        .names--chosen { color: $accent; text-style: bold underline; }
    }
    """

    @dataclass
    class Chosen(Message):
        """The person wants another tab."""

        index: int

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self._names = tuple(names)
        self._chosen = 0

    def choose(self, index: int) -> None:
        """Mark another name as the chosen one."""
        self._chosen = index
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """The names, with a blank before each where there is room for it."""
        width = self.content_size.width
        if y or width <= 0:
            return Strip.blank(max(0, width), self.rich_style)
        segments: list[Segment] = []
        end = 0
        for index, start, name in self._laid_out(width):
            segments.append(Segment(" " * (start - end), self.rich_style))
            style = "names--chosen" if index == self._chosen else "names--other"
            segments.append(Segment(name, self.get_component_rich_style(style)))
            end = start + len(name)
        return Strip(segments).adjust_cell_length(width, self.rich_style)

    def _laid_out(self, width: int) -> Iterator[tuple[int, int, str]]:
        """Index, first cell and text of each name: those that are not chosen are cut first."""
        chosen, names = self._chosen, self._names
        longest = max(map(len, names))
        forms = [(2, longest), *((1, size) for size in range(longest, 0, -1))]
        for gap, size in forms:
            cut = [name if at == chosen else name[:size] for at, name in enumerate(names)]
            if sum(map(len, cut)) + gap * len(cut) <= width:
                break
        else:
            gap, cut = 0, [names[at] if at == chosen else "" for at in range(len(names))]
        start = 0
        for index, name in enumerate(cut):
            start += gap
            yield index, start, name
            start += len(name)

    def on_click(self, event: events.Click) -> None:
        """Choose the name that was clicked on."""
        event.stop()
        for index, start, name in self._laid_out(self.content_size.width):
            if start <= event.x < start + len(name):
                self.post_message(self.Chosen(index))
