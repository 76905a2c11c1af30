"""Fetching a page: what was asked of it and what it says."""

from collections.abc import Iterator
from typing import ClassVar

from agentview.domain.activity import Activity, Kind
from agentview.domain.tool_inputs import Payload, WebFetchPayload
from agentview.domain.tool_results import WebFetchResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.format_numbers import byte_size
from agentview.ui.render.blocks import blocks_body
from agentview.ui.render.containers import Stack
from agentview.ui.render.input_output import output_without_error
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.markdown.body import markdown_body
from agentview.ui.render.text_lines import Piece, Rows, wrap
from agentview.ui.tool_widget import ToolWidget, shortened

_EXCERPT_ROWS = 6


class WebFetchTool(ToolWidget):
    """A page of the web."""

    KINDS: ClassVar[tuple[Kind, ...]] = (ToolKind.WEB_FETCH,)

    @classmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: RenderContext
    ) -> LazyLines | None:
        """Title, question and text; at full level the whole address too."""
        del activity
        palette, full = space.palette, level is DetailLevel.FULL
        parts: list[LazyLines] = []
        payload, result = call.payload, call.result
        if isinstance(payload, WebFetchPayload):
            if full:
                parts.append(Rows(wrap([(payload.url, palette.link)], space.width), space))
            if payload.prompt:
                asked = wrap([("asked: ", palette.dim), (payload.prompt, palette.dim)], space.width)
                parts.append(shortened(Rows(asked, space), level, "lines", space, rows=2))
        if not isinstance(result, WebFetchResult):
            output = blocks_body(output_without_error(call), space)
            return Stack([*parts, shortened(output, level, "lines", space)])
        if full:
            parts.append(Rows(list(_facts(payload, result, space)), space))
        if result.title:
            parts.append(Rows([[(result.title, palette.heading)]], space))
        if result.text:
            text = markdown_body(result.text, space)
            parts.append(shortened(text, level, "lines", space, rows=_EXCERPT_ROWS))
        return Stack(parts)


def _facts(payload: Payload, result: WebFetchResult, space: RenderContext) -> Iterator[list[Piece]]:
    """Where it led, and what the server said."""
    dim = space.palette.dim
    if result.url and isinstance(payload, WebFetchPayload) and result.url != payload.url:
        yield from wrap(
            [(f"{space.glyphs.arrow} ", dim), (result.url, space.palette.link)], space.width
        )
    said = [str(part) for part in (result.status, result.status_text) if part is not None]
    facts = [" ".join(said)] if said else []
    if result.byte_size is not None:
        facts.append(byte_size(result.byte_size))
    if result.duration is not None:
        facts.append(f"{result.duration:.1f} s")
    if facts:
        yield [(" · ".join(facts), dim)]
