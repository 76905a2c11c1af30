"""A command that the person gave to the client, with what the client answered."""

from typing import ClassVar

from agentview.domain.activity import Activity, Kind, RowKind
from agentview.domain.events import SlashCommand
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.ui.activity_widget import ActivityWidget
from agentview.ui.render.containers import Cropped, Stack
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.terminal.ansi import ansi_rows
from agentview.ui.render.text_lines import prose_rows

_SUMMARY_ROWS = 8


class CommandEntry(ActivityWidget):
    """A slash command or a shell command of the person."""

    KINDS: ClassVar[tuple[Kind, ...]] = (RowKind.COMMAND,)

    @classmethod
    def body(cls, activity: Activity, level: DetailLevel, space: RenderContext) -> LazyLines | None:
        """Long arguments, the output, and the error."""
        body = activity.body
        if not isinstance(body, SlashCommand):
            return None
        parts: list[LazyLines] = []
        if "\n" in body.args.strip() or len(body.args) > space.width // 2:
            parts.append(prose_rows(body.args.strip("\n"), space, space.palette.text))
        if not _in_title(body, space):
            if body.output and body.output.strip():
                parts.append(ansi_rows(body.output, space))
            if body.error and body.error.strip():
                parts.append(ansi_rows(body.error, space, space.palette.error))
        whole = Stack(parts)
        if level is not DetailLevel.FULL:
            return Cropped(whole, _SUMMARY_ROWS, "lines", space)
        return whole


def _in_title(body: SlashCommand, space: RenderContext) -> bool:
    """Return True if the title has all that was printed: one short line, of an unnamed command."""
    if body.name:
        return False
    printed = [text.strip() for text in (body.output, body.error) if text and text.strip()]
    return len(printed) < 2 and all(
        "\n" not in text and len(text) <= space.width // 2 for text in printed
    )
