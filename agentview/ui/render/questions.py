"""Questions to the person as rows: their options, with the chosen one marked."""

from collections.abc import Iterator, Sequence

from agentview.domain.tool_inputs import ApprovalPayload, AskPayload, AskQuestion
from agentview.domain.tool_results import AskResult
from agentview.domain.tools import ToolCall
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.text_lines import Piece, wrap


def question_rows(call: ToolCall, space: RenderContext) -> list[list[Piece]]:
    """Each question of a call with its options; an answer in the person's own words below them."""
    palette = space.palette
    result = call.result if isinstance(call.result, AskResult) else AskResult()
    answers = {answer.question: answer.answer for answer in result.answers}
    questions = call.payload.questions if isinstance(call.payload, AskPayload) else ()
    rows: list[list[Piece]] = []
    for number, question in enumerate(questions):
        if number:
            rows.append([("", palette.dim)])
        answer = answers.pop(question.text, None)
        if answer is None and len(questions) == 1 and answers:
            answer = answers.popitem()[1]
        rows += _question(question, answer, space)
    for asked, answer in answers.items():
        rows.append([("", palette.dim)])
        rows += wrap([(asked, palette.strong)], space.width) if asked else []
        rows += _own_words(answer, space)
    if isinstance(call.payload, ApprovalPayload) and call.payload.detail:
        for line in call.payload.detail.strip("\n").splitlines():
            rows += wrap([(line, palette.dim)], space.width)
    return rows


def _question(
    question: AskQuestion, answer: str | None, space: RenderContext
) -> Iterator[list[Piece]]:
    palette, glyphs = space.palette, space.glyphs
    head: list[Piece] = [(f"{question.header}  ", palette.dim)] if _adds_header(question) else []
    head.append((question.text, palette.strong))
    if question.multiple:
        head.append(("  several may be chosen", palette.dim))
    yield from wrap(head, space.width)
    chosen, words = _chosen(answer, [option.label for option in question.options])
    for option in question.options:
        taken = option.label in chosen
        mark, style = (glyphs.chosen, palette.success) if taken else (glyphs.open, palette.dim)
        pieces: list[Piece] = [(option.label, palette.strong if taken else palette.text)]
        if option.description:
            pieces.append((f"  {option.description}", palette.dim))
        for number, row in enumerate(wrap(pieces, max(8, space.width - 4))):
            yield [("    " if number else f"  {mark} ", style), *row]
    if words:
        yield from _own_words(words, space)


def _adds_header(question: AskQuestion) -> bool:
    return bool(question.header) and question.header.strip() != question.text.strip()


def _own_words(answer: str, space: RenderContext) -> Iterator[list[Piece]]:
    """An answer that none of the options says."""
    palette = space.palette
    rows = wrap([(answer, palette.strong)], max(8, space.width - 4))
    for number, row in enumerate(rows):
        yield [("    " if number else f"  {space.glyphs.arrow} ", palette.success), *row]


def _chosen(answer: str | None, labels: Sequence[str]) -> tuple[set[str], str]:
    """Labels that an answer names, whole or between commas, and what else it says."""
    if not answer:
        return set(), ""
    if answer in labels:
        return {answer}, ""
    parts = [part.strip() for part in answer.split(",")]
    taken = {part for part in parts if part in labels}
    rest = ", ".join(part for part in parts if part not in taken) if taken else answer
    return taken, rest
