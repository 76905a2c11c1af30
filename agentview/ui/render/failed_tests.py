"""The tests that failed, each with its place and message."""

from collections.abc import Iterator, Sequence

from agentview.domain.suite_result import FailedTest
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.sanitize import clean
from agentview.timeline.view.titles.title import StatusIcon
from agentview.ui.render.file_tree import path_pieces
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.text_lines import Piece, Rows, wrap

_INDENT = "  "


def failed_tests(
    failures: Sequence[FailedTest], cwd: str | None, level: DetailLevel, space: RenderContext
) -> LazyLines:
    """One row for each test; at full level the message on rows of its own."""
    rows = [row for failure in failures for row in _rows(failure, cwd, level, space)]
    return Rows(rows, space)


def _rows(
    failure: FailedTest, cwd: str | None, level: DetailLevel, space: RenderContext
) -> Iterator[list[Piece]]:
    palette = space.palette
    mark = space.glyphs.marks[StatusIcon.FAILED]
    head: list[Piece] = [(f"{mark} ", palette.error), (clean(failure.name), palette.strong)]
    if failure.path is not None:
        head += [("  ", palette.dim), *path_pieces(failure.path, cwd, space)]
    if failure.line is not None:
        head.append((f":{failure.line}", palette.number))
    message: list[Piece] = [(clean(failure.message or ""), palette.text)]
    if not failure.message:
        yield head
    elif level is DetailLevel.FULL:
        yield head
        for row in wrap(message, max(1, space.width - len(_INDENT))):
            yield [(_INDENT, palette.dim), *row]
    else:
        yield [*head, ("  ", palette.dim), *message]
