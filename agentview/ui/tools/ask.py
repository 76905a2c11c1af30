"""Questions to the person: their options, with the chosen one marked."""

from collections.abc import Iterator
from typing import ClassVar

from agentview.domain.activity import Activity, Kind
from agentview.domain.payloads import AskPayload, AskQuestion
from agentview.domain.results import AskResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.levels import DetailLevel
from agentview.ui.render.blocks import blocks_body
from agentview.ui.render.body import Body, Space
from agentview.ui.render.lines import Piece, Rows, wrap
from agentview.ui.render.stack import Stack
from agentview.ui.tool_widget import ToolWidget, shortened


class AskTool(ToolWidget):
    """Questions and answers."""

    KINDS: ClassVar[tuple[Kind, ...]] = (ToolKind.ASK,)

    @classmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: Space
    ) -> Body | None:
        """Each question with its options; an answer in the person's own words below them."""
        del activity
        result = call.result if isinstance(call.result, AskResult) else AskResult()
        answers = {answer.question: answer.answer for answer in result.answers}
        questions = call.payload.questions if isinstance(call.payload, AskPayload) else ()
        rows: list[list[Piece]] = []
        for number, question in enumerate(questions):
            if number:
                rows.append([("", space.palette.dim)])
            alone = len(questions) == 1
            answer = answers.pop(question.text, None)
            if answer is None and alone and answers:
                answer = answers.popitem()[1]
            rows += _question(question, answer, space)
        parts: list[Body] = [shortened(Rows(rows, space), level, "lines", space)]
        if not result.answers and call.output and not call.error:
            parts.append(shortened(blocks_body(call.output, space), level, "lines", space))
        return Stack(parts)


def _question(question: AskQuestion, answer: str | None, space: Space) -> Iterator[list[Piece]]:
    palette, glyphs = space.palette, space.glyphs
    head: list[Piece] = [(f"{question.header}  ", palette.dim)] if question.header else []
    if question.multiple:
        head.append(("several may be chosen  ", palette.dim))
    yield from wrap([*head, (question.text, palette.strong)], space.width)
    labels = {option.label for option in question.options}
    chosen = _chosen(answer, labels)
    for option in question.options:
        taken = option.label in chosen
        mark, style = (glyphs.chosen, palette.success) if taken else (glyphs.open, palette.dim)
        pieces: list[Piece] = [(option.label, palette.strong if taken else palette.text)]
        if option.description:
            pieces.append((f"  {option.description}", palette.dim))
        for number, row in enumerate(wrap(pieces, max(8, space.width - 4))):
            yield [("    " if number else f"  {mark} ", style), *row]
    if answer and not chosen:
        for number, row in enumerate(wrap([(answer, palette.strong)], max(8, space.width - 4))):
            yield [("    " if number else f"  {glyphs.chosen} ", palette.success), *row]


def _chosen(answer: str | None, labels: set[str]) -> set[str]:
    """Labels that an answer names: the whole of it, or parts between commas."""
    if answer is None:
        return set()
    if answer in labels:
        return {answer}
    parts = {part.strip() for part in answer.split(",")}
    return parts if parts <= labels else set()
