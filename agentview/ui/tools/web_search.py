"""Searching the web: what was found, with address and excerpt."""

from collections.abc import Iterator
from typing import ClassVar

from agentview.domain.activity import Activity, Kind
from agentview.domain.tool_inputs import WebSearchPayload
from agentview.domain.tool_results import WebHit, WebSearchResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.titles.search import shown_url
from agentview.ui.render.containers import Stack
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.markdown.body import markdown_body
from agentview.ui.render.text_lines import Piece, Rows, wrap
from agentview.ui.tool_widget import ToolWidget, shortened, untyped


class WebSearchTool(ToolWidget):
    """Results of a search of the web."""

    KINDS: ClassVar[tuple[Kind, ...]] = (ToolKind.WEB_SEARCH,)

    @classmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: RenderContext
    ) -> LazyLines | None:
        """One row a result; at full level with excerpts, then what the tool said around them."""
        del activity
        result = call.result
        if not isinstance(result, WebSearchResult):
            return untyped(call, level, space)
        full = level is DetailLevel.FULL
        lay_out = _whole if full else _short
        digits = len(str(len(result.hits)))
        rows: list[list[Piece]] = list(_asked(call, space)) if full else []
        for rank, hit in enumerate(result.hits, 1):
            rows += [[("", space.palette.dim)]] if rows and full else []
            rows += lay_out(hit, f"{rank:>{digits}}  ", space)
        parts: list[LazyLines] = [shortened(Rows(rows, space), level, "results", space)]
        if result.text and (full or not result.hits):
            parts += [Rows([[("", space.palette.dim)]], space)] if rows else []
            parts.append(shortened(markdown_body(result.text, space), level, "lines", space))
        return Stack(parts)


def _asked(call: ToolCall, space: RenderContext) -> Iterator[list[Piece]]:
    """Return the parts that the title has no room for: several queries, and which sites count."""
    dim, payload = space.palette.dim, call.payload
    if not isinstance(payload, WebSearchPayload):
        return
    if "\n" in payload.query:
        yield from wrap([(payload.query, space.palette.text)], space.width)
    for word, domains in (("only", payload.allowed_domains), ("not", payload.blocked_domains)):
        if domains:
            yield from wrap([(f"{word} {', '.join(domains)}", dim)], space.width)


def _short(hit: WebHit, rank: str, space: RenderContext) -> Iterator[list[Piece]]:
    palette = space.palette
    address = shown_url(hit.url)
    named: list[Piece] = [(hit.title, palette.text), (f"  {address}", palette.dim)]
    yield [(rank, palette.number), *(named if hit.title else [(address, palette.text)])]


def _whole(hit: WebHit, rank: str, space: RenderContext) -> Iterator[list[Piece]]:
    palette = space.palette
    room = max(8, space.width - len(rank))
    rows = wrap([(hit.title, palette.strong)], room) if hit.title else []
    rows += wrap([(hit.url, palette.link)], room)
    if hit.excerpt:
        rows += wrap([(hit.excerpt, palette.text)], room)
    for number, row in enumerate(rows):
        yield [(" " * len(rank) if number else rank, palette.number), *row]
