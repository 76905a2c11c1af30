"""Names of columns above a list that is laid out by its own columns."""

from collections.abc import Callable, Iterable
from typing import ClassVar

from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget

from agentview.ui.render.strip import strip_of
from agentview.ui.widgets.lists.session_cells import padded
from agentview.ui.widgets.lists.session_columns import GAP

ColumnName = tuple[str, int, bool]
"""A name, the cells of its column, 0 for one that is left out, and whether it is at the right."""


class ColumnNames(Widget):
    """The names, each where its column is."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"heading--name"}

    DEFAULT_CSS = """
    ColumnNames {
        height: 1;
        padding: 0 2 0 1;
        background: $background;
        .heading--name { color: $text-muted; }
    }
    """

    def __init__(self, names: Callable[[], Iterable[ColumnName]]) -> None:
        """`names` gives them as the list is laid out now."""
        super().__init__()
        self._names = names

    def render_line(self, y: int) -> Strip:
        """The line of names."""
        width = self.content_size.width
        if y or width <= 0:
            return Strip.blank(max(0, width), self.rich_style)
        parts = [padded(name, size, right=right) for name, size, right in self._names() if size]
        line = Segment((" " * GAP).join(parts), self.get_component_rich_style("heading--name"))
        return strip_of([line]).adjust_cell_length(width, self.rich_style)
