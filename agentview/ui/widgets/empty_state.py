"""A calm word in the middle of a screen that has nothing else to show."""

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from agentview.timeline.view.sanitize import one_line
from agentview.ui.render.strip import strip_of
from agentview.ui.render.style.glyphs import plain_signs
from agentview.ui.render.text_lines import wrap
from agentview.ui.widgets.responsive_bar import PLAIN, fit


class EmptyState(Widget):
    """A sentence and, dimmer, the lines that explain it."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"notice--mark", "notice--sentence", "notice--detail"}

    DEFAULT_CSS = """
    EmptyState {
        width: 1fr;
        height: 1fr;
        background: $background;
        .notice--mark { color: $accent; }
        .notice--sentence { color: $foreground; }
        .notice--detail { color: $text-muted; }
    }
    """

    def __init__(
        self,
        sentence: str = "",
        details: Sequence[str] = (),
        mark: str = "◌",
        *,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self._said = (mark, sentence, tuple(details))

    def say(self, sentence: str, details: Sequence[str] = (), mark: str = "◌") -> None:
        """Say something else."""
        said = (mark, sentence, tuple(details))
        if said != self._said:
            self._said = said
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """One row; what is said stands a little above the middle."""
        width, height = self.size
        mark, sentence, details = self._said
        lines = [(f"{mark} {one_line(sentence)}", "notice--sentence")]
        if details and height > 4:
            lines.append(("", "notice--detail"))
        for detail in details:
            rows = wrap([(one_line(detail), Style.null())], max(1, width - 2))
            lines += [("".join(text for text, _ in row), "notice--detail") for row in rows]
        index = y - max(0, (height - len(lines)) * 2 // 5)
        if not 0 <= index < len(lines):
            return Strip.blank(width, self.rich_style)
        said = lines[index][0]
        if self.app.has_class(PLAIN):  # pyright: ignore[reportUnknownMemberType]
            said = plain_signs(said)
        text = fit(said, max(0, width - 2))
        style = self.get_component_rich_style(lines[index][1])
        left = max(0, (width - cell_len(text)) // 2)
        segments = [Segment(" " * left, self.rich_style)]
        if index == 0:
            segments += [
                Segment(text[:1], self.get_component_rich_style("notice--mark")),
                Segment(text[1:], style),
            ]
        else:
            segments.append(Segment(text, style))
        return strip_of(segments).adjust_cell_length(width, self.rich_style)
