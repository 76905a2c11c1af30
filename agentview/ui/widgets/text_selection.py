"""A selection of text that Textual keeps, in cells of rows."""

from collections.abc import Callable

from rich.cells import cell_len
from textual.geometry import Offset
from textual.selection import Selection

from agentview.ui.render.lazy_lines import SelectedCells


def selected_cells(selection: Selection, text: Callable[[int], str]) -> SelectedCells:
    """Return the selection in cells; `text` gives a row of it as it is drawn.

    The reader counts as having begun where the selection begins.
    """

    def cell(place: Offset | None) -> tuple[int, int] | None:
        return None if place is None else (place.y, cell_len(text(place.y)[: place.x]))

    first = cell(selection.start)
    return SelectedCells(first, cell(selection.end), 0 if first is None else first[1])
