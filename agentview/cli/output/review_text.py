"""A review as text: what is behind each hunk, then its lines."""

from collections.abc import Iterator

from rich.cells import cell_len, set_cell_size

from agentview.reports.review.review import Origin, Review, ReviewedFile, ReviewedHunk
from agentview.reports.review.words import (
    calls_words,
    commands_of,
    file_words,
    origin_mark,
    range_words,
    runs_words,
    summary_words,
    turn_words,
    unknown_words,
)
from agentview.sessions.targets.session_line import short_ids
from agentview.timeline.view.format_numbers import UNKNOWN
from agentview.timeline.view.sanitize import clean, one_line

_BOLD, _CYAN, _RED, _GREEN, _PLAIN = "\x1b[1m", "\x1b[36m", "\x1b[31m", "\x1b[32m", "\x1b[m"
_SIGN_COLORS = {"+": _GREEN, "-": _RED}


class ReviewText:
    """Makes the lines; they are cut at `width`, or whole if it is None."""

    def __init__(self, review: Review, width: int | None, *, colored: bool) -> None:
        self._review = review
        self._width = width
        self._colored = colored
        self._ids = short_ids(origin.session_id for hunk in review.hunks for origin in hunk.origins)

    def lines(self) -> Iterator[str]:
        """The lines without their ends."""
        review = self._review
        yield self._line(f"{one_line(review.range)}  {summary_words(review)}", _BOLD)
        for file in review.files:
            yield ""
            yield from self._file(file)

    def _file(self, file: ReviewedFile) -> Iterator[str]:
        words = file_words(file)
        yield self._line(f"{clean(file.path)}{f'  ({words})' if words else ''}", _BOLD)
        for hunk in file.hunks:
            yield from self._hunk(hunk)

    def _hunk(self, hunk: ReviewedHunk) -> Iterator[str]:
        yield self._line(range_words(hunk), _CYAN)
        for number, origin in enumerate(hunk.origins, 1):
            for line in self._origin(number, origin):
                yield self._line(line)
        if hunk.unknown:
            yield self._line(f"{UNKNOWN} {unknown_words(hunk)}")
        marks = [origin_mark(line) for line in hunk.lines]
        size = max(map(cell_len, marks), default=0)
        for mark, line in zip(marks, hunk.lines, strict=True):
            text = f"{set_cell_size(mark, size)} {line.sign}{clean(line.text)}"
            yield self._line(text, _SIGN_COLORS.get(line.sign, ""))

    def _origin(self, number: int, origin: Origin) -> Iterator[str]:
        session = one_line(self._ids[origin.session_id])
        prompt = one_line(origin.prompt or UNKNOWN)
        yield f"{number} {session} {turn_words(origin)}  {prompt}"
        yield f"    {calls_words(origin)}"
        yield from (f"      {command}" for command in commands_of(origin))
        yield f"    {runs_words(origin)}"
        if origin.runs:
            yield f"      {one_line(origin.runs[-1].command)}"

    def _line(self, text: str, color: str = "") -> str:
        if self._width is not None and cell_len(text) > self._width:
            text = set_cell_size(text, self._width - 1) + "…"
        return f"{color}{text}{_PLAIN}" if color and self._colored else text
