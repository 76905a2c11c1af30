"""The raw view of an activity: bytes of its records, the same as JSON, the events made of them."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path, PurePath

import orjson
from msgspec.structs import replace
from rich.style import Style
from textual.strip import Strip

from agentview.domain.activity import Activity
from agentview.domain.events import Event
from agentview.domain.record_ref import SourceRef
from agentview.domain.value import Value
from agentview.errors import AgentViewError
from agentview.redaction.secrets import masked, masked_bytes
from agentview.redaction.values import masked_value
from agentview.sources.open_file import read_at
from agentview.timeline.view.activity.raw_record import (
    JsonLine,
    RawRecord,
    Token,
    json_lines,
    raw_records,
    written,
)
from agentview.timeline.view.format_numbers import UNKNOWN, byte_size, counted
from agentview.ui.render.containers import Stack
from agentview.ui.render.lazy_lines import LazyLines, RenderContext, RowText, row_text
from agentview.ui.render.strip import strip_of
from agentview.ui.render.style.palette import Palette
from agentview.ui.render.text_lines import LineRows, Piece, Rows, text_rows

UnusedKeys = Callable[[bytes, SourceRef], Sequence[str]]
"""JSON pointers of the keys of a record that nothing read, by its bytes and its place."""

WHOLE = 2_000_000
"""Bytes up to which a record is parsed here; a longer one is shown as written, page by page."""

SPLIT_CELLS = 110
"""Cells from which the events stand next to the record instead of below it."""

_PAGE = 1 << 20
_MASKED_PAGE = 1 << 16
_AROUND = 1 << 13
_COUNTED = 64 * _PAGE
"""Bytes from the start of a file within which lines are counted when their number is not known."""

_MARK = "•"


def raw_body(
    activity: Activity, unused_keys: UnusedKeys, space: RenderContext, *, masking: bool = False
) -> LazyLines:
    """All records of an activity, each with its place, its JSON, its events and its bytes.

    With `masking`, secrets in what is read from the log are masked; the activity is as it is given.
    """
    records = raw_records(activity)
    take = _Taking(unused_keys, masking)
    return Stack(
        [
            part
            for number, record in enumerate(records, 1)
            for part in _record(record, f"record {number} of {len(records)}", take, space)
        ]
    )


def json_body(value: object, space: RenderContext, unused: Sequence[str] = ()) -> LazyLines:
    """A value as indented JSON, folded at the width; keys under `unused` pointers are marked."""
    lines = json_lines(value, unused)
    palette = space.palette

    def prefix(index: int, first: bool) -> list[Piece]:
        mark = _MARK if first and lines[index].unused else " "
        return [(f"{mark} ", palette.warning)]

    return LineRows(
        len(lines),
        lambda index: lines[index].text,
        lambda index: _painted(lines[index], palette),
        space,
        prefix=prefix if unused else None,
        prefix_width=2 if unused else 0,
    )


def events_body(activity: Activity, space: RenderContext, *, masking: bool = False) -> LazyLines:
    return Stack([_event_body(event, space, masking=masking) for event in activity.events])


def _event_body(event: Event, space: RenderContext, *, masking: bool) -> LazyLines:
    source = event.source
    # An activity without secrets still has the path that leads to its bytes.
    shown = replace(event, source=replace(source, path=masked(source.path))) if masking else event
    return json_body(shown, space)


class _Taking(Value, gc=True):
    """How a record is taken from the log."""

    unused_keys: UnusedKeys
    masking: bool


class FileBytes:
    """Bytes of a file as text, read a page at a time when they are seen: one row per `width` bytes.

    A character of several bytes is in the row in which it begins.
    """

    def __init__(self, source: SourceRef, space: RenderContext, *, masking: bool = False) -> None:
        self._source = source
        self._space = space
        self._masking = masking
        self._width = max(1, space.width)
        self._page_start = -1
        self._page = b""

    @property
    def height(self) -> int:
        return max(1, -(-self._source.length // self._width))

    def strips(self, start: int, stop: int) -> Sequence[Strip]:
        """Rows `start` to `stop`, or the reason why the bytes cannot be read."""
        rows = range(max(0, start), min(stop, self.height))
        try:
            texts = [written(self._row_bytes(row)) for row in rows]
        except AgentViewError as error:
            reason = [[(str(error), self._space.palette.warning)]]
            return [*Rows(reason, self._space).strips(0, 1), *[strip_of([], 0)] * (len(rows) - 1)]
        return Rows([[(text, self._space.palette.dim)] for text in texts], self._space).strips(
            0, len(texts)
        )

    def row_text(self, row: int, cell: int) -> RowText:
        """The whole row, joined to the one above."""
        del cell
        return RowText(joint="" if row else "\n")

    def _row_bytes(self, row: int) -> bytes:
        begin = row * self._width
        end = min(begin + self._width, self._source.length)
        # Up to three more bytes belong to the last character.
        data = self._read(begin, min(end + 3, self._source.length))
        first, last = 0, end - begin
        while row and first < last and data[first] & 0xC0 == 0x80:
            first += 1
        while last < len(data) and data[last] & 0xC0 == 0x80:
            last += 1
        return data[first:last]

    def _read(self, begin: int, end: int) -> bytes:
        inside = self._page_start <= begin and end <= self._page_start + len(self._page)
        if self._page_start < 0 or not inside:
            self._page = self._masked_page(begin, end) if self._masking else self._pure(begin, end)
            self._page_start = begin
        return self._page[begin - self._page_start : end - self._page_start]

    def _pure(self, begin: int, end: int) -> bytes:
        length = min(max(_PAGE, end - begin), self._source.length - begin)
        return read_at(Path(self._source.path), self._source.offset + begin, length)

    def _masked_page(self, begin: int, end: int) -> bytes:
        """A page with what stands around it, so that no secret is cut in two."""
        stop = min(max(begin + _MASKED_PAGE, end), self._source.length)
        first = max(0, begin - _AROUND)
        last = min(stop + _AROUND, self._source.length)
        data = read_at(Path(self._source.path), self._source.offset + first, last - first)
        return masked_bytes(data)[begin - first : stop - first]


class _SideBySide:
    """Two bodies side by side with a quiet line between them."""

    def __init__(
        self, left: LazyLines, right: LazyLines, left_width: int, space: RenderContext
    ) -> None:
        self._left = left
        self._right = right
        self._width = left_width
        self._space = space

    @property
    def height(self) -> int:
        return max(self._left.height, self._right.height)

    def strips(self, start: int, stop: int) -> Sequence[Strip]:
        start, stop = max(0, start), min(stop, self.height)
        rule = Rows([[(f" {self._space.glyphs.column} ", self._space.palette.border)]], self._space)
        between = rule.strips(0, 1)[0]
        left = list(self._left.strips(start, stop))
        right = list(self._right.strips(start, stop))
        blank = strip_of([], 0)
        count = max(0, stop - start)
        left += [blank] * (count - len(left))
        right += [blank] * (count - len(right))
        return [
            Strip.join([one.adjust_cell_length(self._width), between, other])
            for one, other in zip(left, right, strict=True)
        ]

    def row_text(self, row: int, cell: int) -> RowText | None:
        """Text of the side that `cell` is on; None where it has no row."""
        right = cell > self._width
        body, before = (self._right, self._width + 3) if right else (self._left, 0)
        text = row_text(body, row, max(0, cell - before)) if row < body.height else None
        if text is None or right:
            return text and text.behind(before)
        return RowText(text.start, self._width, text.joint)


def _record(
    record: RawRecord, title: str, take: _Taking, space: RenderContext
) -> Sequence[LazyLines]:
    source, palette = record.source, space.palette
    heading = Rows([_heading(source, title, palette)], space)
    try:
        parsed = _parsed(source, record, take, space)
    except AgentViewError as error:
        return (heading, text_rows(str(error), space, palette.warning), _gap(space))
    label = Rows([[("as written", palette.dim)]], space)
    return (heading, parsed, label, FileBytes(source, space, masking=take.masking), _gap(space))


def _parsed(source: SourceRef, record: RawRecord, take: _Taking, space: RenderContext) -> LazyLines:
    """The record as JSON with its events next to it or below it. Raises AgentViewError."""
    split = space.width >= SPLIT_CELLS
    left_width = (space.width - 3) * 11 // 20 if split else space.width
    left = _record_json(source, take, _narrowed(space, left_width))
    right_space = _narrowed(space, space.width - left_width - 3 if split else space.width)
    events = Stack(
        [_event_body(event, right_space, masking=take.masking) for event in record.events]
    )
    if split:
        label = Rows([[("event", space.palette.dim)]], right_space)
        return _SideBySide(left, Stack([label, events]), left_width, space)
    return Stack([left, Rows([[("event", space.palette.dim)]], space), events])


def _record_json(source: SourceRef, take: _Taking, space: RenderContext) -> LazyLines:
    palette = space.palette
    if source.length > WHOLE:
        size = byte_size(source.length)
        return text_rows(f"{size} is too long to be parsed here", space, palette.dim)
    data = read_at(Path(source.path), source.offset, source.length)
    try:
        value: object = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        return text_rows(f"not valid JSON: {error}", space, palette.warning)
    unused = take.unused_keys(data, source)
    value = masked_value(value) if take.masking else value
    count = f"record  {_MARK} {counted(len(unused), 'key')} not used" if unused else "record"
    label = Rows([[(count, palette.warning if unused else palette.dim)]], space)
    return Stack([label, json_body(value, space, unused)])


def line_number(source: SourceRef) -> int | None:
    """Line of a record, 1-based: as recorded, else counted; None far behind the start of a file.

    Raises NotFound or Unreadable as reading does.
    """
    if source.line is not None or source.offset > _COUNTED:
        return source.line
    whole, rest = divmod(source.offset, _PAGE)
    path = Path(source.path)
    file_id = path.stat().st_ino if path.exists() else 0
    before = sum(_line_ends(path, file_id, page) for page in range(whole))
    return before + read_at(path, whole * _PAGE, rest).count(b"\n") + 1


@lru_cache(maxsize=4096)
def _line_ends(path: Path, _file_id: int, page: int) -> int:
    """Line ends in a page of a file; what lies before a record is not written again."""
    return read_at(path, page * _PAGE, _PAGE).count(b"\n")


def _heading(source: SourceRef, title: str, palette: Palette) -> list[Piece]:
    number = _line_or_none(source)
    line = UNKNOWN if number is None else f"{number:,}"
    facts = (
        ("line", line),
        ("byte", f"{source.offset:,}"),
        ("length", f"{source.length:,}"),
        *((("at", source.pointer),) if source.pointer else ()),
    )
    pieces: list[Piece] = [(title, palette.heading), ("  ", palette.dim)]
    pieces.append((PurePath(source.path).name, palette.path))
    for name, value in facts:
        pieces += [(f"  {name} ", palette.dim), (value, palette.number)]
    return pieces


def _line_or_none(source: SourceRef) -> int | None:
    try:
        return line_number(source)
    except AgentViewError:
        return None


def _gap(space: RenderContext) -> LazyLines:
    return Rows([[("", space.palette.dim)]], space)


def _narrowed(space: RenderContext, width: int) -> RenderContext:
    return replace(space, width=max(1, width))


def _painted(line: JsonLine, palette: Palette) -> list[Piece]:
    styles: dict[Token, Style] = {
        Token.STRING: palette.string,
        Token.NUMBER: palette.number,
        Token.LITERAL: palette.literal,
        Token.BRACKET: palette.dim,
    }
    pieces: list[Piece] = [(" " * line.indent, palette.text)]
    if line.key:
        pieces.append((line.key, palette.warning if line.unused else palette.keyword))
        pieces.append((": ", palette.dim))
    pieces.append((line.value, styles[line.token]))
    if line.comma:
        pieces.append((",", palette.dim))
    return pieces
