"""Searching the web: what was found, with address and excerpt."""

from collections.abc import Iterator
from typing import ClassVar

from agentview.domain.activity import Activity, Kind
from agentview.domain.results import WebHit, WebSearchResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.levels import DetailLevel
from agentview.timeline.title_searches import shown_url
from agentview.ui.render.body import Body, Space
from agentview.ui.render.lines import Piece, Rows, wrap
from agentview.ui.render.markdown import markdown_body
from agentview.ui.render.stack import Stack
from agentview.ui.tool_widget import ToolWidget, shortened, untyped


class WebSearchTool(ToolWidget):
    """Results of a search of the web."""

    KINDS: ClassVar[tuple[Kind, ...]] = (ToolKind.WEB_SEARCH,)

    @classmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: Space
    ) -> Body | None:
        """One row a result; at full level with excerpts, then what the tool said around them."""
        del activity
        result = call.result
        if not isinstance(result, WebSearchResult):
            return untyped(call, level, space)
        full = level is DetailLevel.FULL
        lay_out = _whole if full else _short
        gap: list[Piece] = [("", space.palette.dim)]
        rows: list[list[Piece]] = []
        for hit in result.hits:
            rows += [gap] if rows and full else []
            rows += lay_out(hit, space)
        parts: list[Body] = [shortened(Rows(rows, space), level, "results", space)]
        if result.text and (full or not result.hits):
            parts.append(shortened(markdown_body(result.text, space), level, "lines", space))
        return Stack(parts)


def _short(hit: WebHit, space: Space) -> Iterator[list[Piece]]:
    palette = space.palette
    yield [(hit.title or hit.url, palette.text), (f"  {shown_url(hit.url)}", palette.dim)]


def _whole(hit: WebHit, space: Space) -> Iterator[list[Piece]]:
    palette = space.palette
    yield from wrap([(hit.title or hit.url, palette.strong)], space.width)
    yield from wrap([(hit.url, palette.link)], space.width)
    if hit.excerpt:
        yield from wrap([(hit.excerpt, palette.text)], space.width)
