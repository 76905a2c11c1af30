"""The end of a session next to the list: facts about it, then its last turn in short."""

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.strip import Strip
from textual.widget import Widget

from agentview.domain.value import Value
from agentview.timeline.view.sanitize import one_line
from agentview.ui.render.lazy_lines import LazyLines
from agentview.ui.render.strip import strip_of
from agentview.ui.render.style.glyphs import plain_cells
from agentview.ui.widgets.responsive_bar import PLAIN, fit

_LABEL = 8
_WHEEL = 3
"""Rows that a turn of the wheel scrolls."""


class PreviewContent(Value, gc=True):
    """Content of a preview: a title, labelled facts, activities laid out for its width."""

    title: str = ""
    facts: Sequence[tuple[str, str]] = ()
    views: Sequence[LazyLines] = ()
    note: str = ""
    """Why there is nothing, or not all."""


class Preview(Widget):
    """Rows are drawn where they are seen. It takes no focus: the keys are the list's.

    It scrolls by itself: a size for Textual to scroll would be a layout of the whole screen for
    each session that the cursor comes by.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "preview--title",
        "preview--label",
        "preview--fact",
        "preview--note",
    }

    DEFAULT_CSS = """
    Preview {
        background: $background;
        .preview--title { color: $foreground; text-style: bold; }
        .preview--label { color: $text-muted; }
        .preview--fact { color: $text-muted; }
        .preview--note { color: $text-muted; text-style: italic; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._content = PreviewContent()
        self._top = 0

    @property
    def room(self) -> int:
        return self.content_size.width

    def show(self, content: PreviewContent) -> None:
        """Show another session, or the same one again."""
        same = content.title == self._content.title and content.facts[:2] == self._content.facts[:2]
        self._content = content
        self._top = min(self._top, self._last_top()) if same else 0
        self.refresh()

    def scroll_rows(self, rows: int) -> None:
        """Scroll by rows."""
        top = max(0, min(self._top + rows, self._last_top()))
        if top != self._top:
            self._top = top
            self.refresh()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll down."""
        event.stop()
        self.scroll_rows(_WHEEL)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll up."""
        event.stop()
        self.scroll_rows(-_WHEEL)

    def _last_top(self) -> int:
        return max(0, self._height() - self.content_size.height)

    def _height(self) -> int:
        content = self._content
        head = bool(content.title) + len(content.facts)
        views = sum(view.height + 1 for view in content.views)
        return head + views + (2 if content.note else 0)

    def render_line(self, y: int) -> Strip:
        """One row of title, facts, activities or note, or how many more there are."""
        width = self.room
        blank = Strip.blank(max(0, width), self.visual_style.rich_style)
        if width <= 0:
            return blank
        rest = self._height() - self._top - self.content_size.height
        if rest > 0 and y == self.content_size.height - 1:
            return self._text(((f"… {rest + 1:,} more rows", "preview--note"),), width)
        at = y + self._top
        content = self._content
        if content.title:
            if at == 0:
                return self._text(((content.title, "preview--title"),), width)
            at -= 1
        if at < len(content.facts):
            label, fact = content.facts[at]
            parts = ((label, "preview--label"), (fact, "preview--fact"))
            return self._text(parts, width, first=_LABEL)
        at -= len(content.facts)
        for view in content.views:
            if at <= view.height:
                return blank if at == 0 else self._view_row(view, at - 1, width)
            at -= view.height + 1
        if content.note and at == 1:
            return self._text(((content.note, "preview--note"),), width)
        return blank

    def _view_row(self, view: LazyLines, row: int, width: int) -> Strip:
        strips = view.strips(row, row + 1)
        strip = strips[0] if strips else Strip.blank(width)
        return strip.apply_style(self.visual_style.rich_style).adjust_cell_length(
            width, self.visual_style.rich_style
        )

    def _text(self, parts: Sequence[tuple[str, str]], width: int, first: int = 0) -> Strip:
        """Parts one after the other, the first of them at least so many cells wide."""
        segments: list[Segment] = []
        left = width
        for text, style in parts:
            shown = one_line(text)
            if not segments:
                shown += " " * (first - cell_len(shown))
            shown = fit(shown, left)
            if self.app.has_class(PLAIN):  # pyright: ignore[reportUnknownMemberType]
                shown = plain_cells(shown)
            segments.append(Segment(shown, self.get_component_rich_style(style)))
            left -= cell_len(shown)
        return strip_of(segments).adjust_cell_length(width, self.visual_style.rich_style)
