"""A message to a person, a channel or another session."""

from collections.abc import Iterator
from typing import ClassVar

from agentview.domain.activity import Activity, Kind
from agentview.domain.tool_inputs import SendMessagePayload
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.ui.render.containers import Stack, labelled
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.markdown.body import markdown_body
from agentview.ui.tool_widget import ToolWidget, shortened, untyped


class SendMessageTool(ToolWidget):
    """Something that was said to somebody."""

    KINDS: ClassVar[tuple[Kind, ...]] = (ToolKind.SEND_MESSAGE,)

    @classmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: RenderContext
    ) -> LazyLines | None:
        """The message; at full level who gets it, and the answer."""
        del activity
        payload, full = call.payload, level is DetailLevel.FULL
        if not isinstance(payload, SendMessagePayload):
            return untyped(call, level, space)
        parts = list(_facts(payload, space)) if full else []
        if payload.text:
            said = markdown_body(payload.text, space)
            parts.append(shortened(said, level, "lines", space))
        answer = untyped(call, level, space) if full or not payload.text else None
        return Stack(parts if answer is None else [*parts, answer])


def _facts(payload: SendMessagePayload, space: RenderContext) -> Iterator[LazyLines]:
    facts = (
        ("to", payload.to),
        ("channel", payload.channel),
        ("subject", payload.subject),
        *(("with", each) for each in payload.attachments),
    )
    for label, text in facts:
        if text:
            yield labelled(label, text, space)
