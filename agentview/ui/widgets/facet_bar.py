"""Facets of matches, as counts in rows; one that is pressed narrows the search."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from agentview.domain.value import Value
from agentview.ui.render.style.glyphs import plain_cells
from agentview.ui.widgets.responsive_bar import GAP, PLAIN, fit

_LABEL = 9
_NAME = 24
_WIDE = 60
"""Cells of a group of facets from which a row has room for two."""
_MOVE = Binding.Group("Facets")


class Facet(Value):
    """Matches that have something in common. `term` is what a query has to say for them."""

    name: str
    count: int
    term: str
    least: bool = False
    """There are more than were counted."""
    chosen: bool = False
    """The query has the term."""

    @property
    def count_text(self) -> str:
        return f"{self.count:,}{'+' if self.least else ''}"


class FacetGroup(Value):
    """Facets of one kind, those with most matches first."""

    label: str
    facets: tuple[Facet, ...]


class _Chip(Value):
    x: int
    y: int
    cells: int
    facet: Facet


class FacetBar(Widget, can_focus=True):
    """Facets in at most so many rows; each can be reached by arrows and pressed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l", "step(1)", "facet", key_display="←/→", id="facets.next", group=_MOVE,
                tooltip="Next facet"),
        Binding("left,h", "step(-1)", "previous", show=False, id="facets.previous", group=_MOVE,
                tooltip="Previous facet"),
        Binding("down,j", "row(1)", "row down", show=False, id="facets.down", group=_MOVE,
                tooltip="Next row of facets"),
        Binding("up,k", "row(-1)", "row up", show=False, id="facets.up", group=_MOVE,
                tooltip="Previous row of facets"),
        Binding("enter,space", "press", "narrow", key_display="⏎", id="facets.press", group=_MOVE,
                tooltip="Toggle the term of the facet in the query"),
        Binding("escape,f", "leave", "matches", key_display="esc", id="facets.leave", group=_MOVE,
                tooltip="Back to the matches"),
    ]  # fmt: skip

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "facet--label", "facet--name", "facet--count", "facet--chosen", "facet--cursor",
    }  # fmt: skip

    DEFAULT_CSS = """
    FacetBar {
        height: 0;
        padding: 0 1;
        background: $surface;
        .facet--label { color: $text-muted; }
        .facet--name { color: $foreground; }
        .facet--count { color: $text-muted; }
        .facet--chosen { color: $accent; text-style: bold underline; }
        .facet--cursor { background: $block-cursor-background; }
    }
    """

    @dataclass
    class Pressed(Message):
        """The person pressed a facet."""

        facet: Facet

    class Left(Message):
        """The person wants to go back to the matches."""

    def __init__(self) -> None:
        super().__init__()
        self._groups: Sequence[FacetGroup] = ()
        self._rows = 0
        self._cursor = ""
        """The term of the facet under the cursor."""

    def show(self, groups: Sequence[FacetGroup], rows: int) -> None:
        """Show groups with facets in at most so many rows."""
        groups = [group for group in groups if group.facets]
        if (groups, rows) != (self._groups, self._rows):
            self._groups, self._rows = groups, rows
            self.styles.height = len(self._lines())
            self.refresh()

    def _lines(self) -> list[Sequence[FacetGroup]]:
        """The groups of each row."""
        groups = self._groups
        per_row = 1
        if len(groups) > self._rows and self.app.size.width >= _WIDE:  # pyright: ignore[reportUnknownMemberType]
            per_row = 2
        lines = [groups[at : at + per_row] for at in range(0, len(groups), per_row)]
        return lines[: self._rows]

    def _chips(self) -> Iterator[_Chip]:
        for y, groups in enumerate(self._lines()):
            room = self.content_size.width // len(groups)
            for column, group in enumerate(groups):
                x = column * room + _LABEL
                end = (column + 1) * room - (GAP if column + 1 < len(groups) else 0)
                for facet in group.facets:
                    name = fit(facet.name, _NAME)
                    cells = cell_len(name) + 1 + len(facet.count_text)
                    if x + cells > end:
                        break
                    yield _Chip(x, y, cells, facet)
                    x += cells + GAP

    def _labels(self, y: int) -> list[tuple[int, str]]:
        groups = self._lines()[y]
        room = self.content_size.width // len(groups)
        return [(column * room, group.label) for column, group in enumerate(groups)]

    def _current(self, chips: Sequence[_Chip]) -> int:
        terms = [chip.facet.term for chip in chips]
        return terms.index(self._cursor) if self._cursor in terms else 0

    def render_line(self, y: int) -> Strip:
        """A row of facets."""
        width = self.content_size.width
        if width <= 0 or not 0 <= y < len(self._lines()):
            return Strip.blank(max(0, width), self.rich_style)
        chips = list(self._chips())
        current = chips[self._current(chips)] if chips and self.has_focus else None
        pieces: list[tuple[int, list[tuple[str, list[str]]]]] = [
            (x, [(label, ["facet--label"])]) for x, label in self._labels(y)
        ]
        for chip in chips:
            if chip.y == y:
                over = ["facet--cursor"] if chip is current else []
                named = "facet--chosen" if chip.facet.chosen else "facet--name"
                name = fit(chip.facet.name, _NAME)
                count = f" {chip.facet.count_text}"
                pieces.append((chip.x, [(name, [named, *over]), (count, ["facet--count", *over])]))
        pieces.sort(key=lambda piece: piece[0])
        return self._strip(pieces, width)

    def _strip(self, pieces: list[tuple[int, list[tuple[str, list[str]]]]], width: int) -> Strip:
        base = self.rich_style
        plain = self.app.has_class(PLAIN)  # pyright: ignore[reportUnknownMemberType]
        segments: list[Segment] = []
        at = 0
        for x, texts in pieces:
            segments.append(Segment(" " * (x - at), base))
            at = x
            for text, names in texts:
                shown = plain_cells(text) if plain else text
                style = base
                for name in names:
                    style += self.get_component_rich_style(name, partial=True)
                segments.append(Segment(shown, style))
                at += cell_len(shown)
        return Strip(segments).adjust_cell_length(width, base)

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Press the facet that was clicked on."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        for chip in self._chips():
            if chip.y == offset.y and chip.x <= offset.x < chip.x + chip.cells:
                self._cursor = chip.facet.term
                self.post_message(self.Pressed(chip.facet))

    def action_step(self, step: int) -> None:
        """Go to the next facet, or to the previous one."""
        chips = list(self._chips())
        if chips:
            self._cursor = chips[(self._current(chips) + step) % len(chips)].facet.term
            self.refresh()

    def action_row(self, step: int) -> None:
        """Go to the nearest facet of the next row, or of the previous one."""
        chips = list(self._chips())
        if not chips:
            return
        current = chips[self._current(chips)]
        there = [chip for chip in chips if chip.y == current.y + step]
        if there:
            nearest = min(there, key=lambda chip: abs(chip.x - current.x))
            self._cursor = nearest.facet.term
            self.refresh()
        else:
            self.action_leave()

    def action_press(self) -> None:
        """Narrow the search to the facet under the cursor, or take that back."""
        chips = list(self._chips())
        if chips:
            self.post_message(self.Pressed(chips[self._current(chips)].facet))

    def action_leave(self) -> None:
        self.post_message(self.Left())
