"""Meters of budgets: a row with a bar for each."""

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget

from agentview.timeline.view.limit_text import Meter
from agentview.timeline.view.sparkline import bar
from agentview.ui.render.strip import strip_of
from agentview.ui.widgets.responsive_bar import GAP, PLAIN, fit

_BAR = 20
_LEAST_BAR = 6
_MOST = 6
"""Rows at most; of more budgets, those of which most is used."""


class BudgetMeters(Widget):
    """A row for each budget; no row where there is none."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"meter--text", "meter--bar", "meter--near"}

    DEFAULT_CSS = """
    BudgetMeters {
        height: 0;
        padding: 0 1;
        background: $background;
        .meter--text { color: $text-muted; }
        .meter--bar { color: $accent; }
        .meter--near { color: $text-warning; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._meters: Sequence[Meter] = ()

    def show(self, meters: Sequence[Meter]) -> None:
        """Show these."""
        kept = sorted(meters, key=lambda meter: -meter.used)[:_MOST]
        self._meters = [meter for meter in meters if meter in kept]
        self.styles.height = len(self._meters)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One of them."""
        width = self.content_size.width
        if not 0 <= y < len(self._meters) or width <= 0:
            return Strip.blank(max(0, width), self.rich_style)
        meter = self._meters[y]
        labels = max(cell_len(each.label) for each in self._meters)
        texts = max(cell_len(each.text) for each in self._meters)
        room = min(_BAR, width - labels - texts - 2 * GAP)
        label = set_cell_size(meter.label, labels)
        style = self.get_component_rich_style("meter--near" if meter.near else "meter--bar")
        quiet = self.get_component_rich_style("meter--text")
        if room < _LEAST_BAR:
            line = fit(f"{meter.label}{' ' * GAP}{meter.text}", width)
            parts = [Segment(line, style if meter.near else quiet)]
        else:
            unicode = not self.app.has_class(PLAIN)  # pyright: ignore[reportUnknownMemberType]
            plot = bar(meter.used, 1.0, room, unicode=unicode).ljust(room)
            gap = Segment(" " * GAP, quiet)
            text = Segment(meter.text, style if meter.near else quiet)
            parts = [Segment(label, quiet), gap, Segment(plot, style), gap, text]
        return strip_of(parts).adjust_cell_length(width, self.rich_style)
