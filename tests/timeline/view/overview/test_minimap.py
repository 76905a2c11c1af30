"""Counts by place, against a count of all rows one by one, however the rows came."""

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentview.domain.activity import Activity, Kind, RowKind
from agentview.domain.index_entry import KIND_CODES, KINDS, Flag
from agentview.domain.tools import ToolKind
from agentview.timeline.rows.changes import RowsChanged
from agentview.timeline.view.overview import minimap
from agentview.timeline.view.overview.minimap import ActivityHistogram, MinimapCell
from agentview.timeline.view.sparkline import height_sign

SHELL = KIND_CODES[ToolKind.SHELL]
MESSAGE = KIND_CODES[RowKind.MESSAGE]
FLAGS = (0, 0, Flag.PROBLEM, Flag.TURN, Flag.JOINED, Flag.BOOKKEEPING | Flag.PROBLEM)

ROW = st.tuples(st.sampled_from((SHELL, MESSAGE)), st.sampled_from(FLAGS))
Step = tuple[str, list[tuple[int, int]]]
STEP = st.tuples(
    st.sampled_from(("append", "prepend", "change", "count")), st.lists(ROW, max_size=40)
)


class CodeRows:
    """Rows of codes only, which count how many were asked for."""

    def __init__(self) -> None:
        self.first = 0
        self.codes_of: list[tuple[int, int]] = []
        self.asked = 0

    @property
    def end(self) -> int:
        return self.first + len(self.codes_of)

    def codes(self, start: int, stop: int) -> tuple[bytes, bytes]:
        part = self.codes_of[start - self.first : stop - self.first]
        self.asked += len(part)
        return bytes(kind for kind, _ in part), bytes(flags for _, flags in part)

    def kind(self, row: int) -> Kind:
        return KINDS[self.codes_of[row - self.first][0]]

    def shown(self, row: int) -> bool:
        return not self.codes_of[row - self.first][1] & Flag.ABSENT

    def problem(self, row: int) -> bool:
        return bool(self.codes_of[row - self.first][1] & Flag.PROBLEM)

    def starts_turn(self, row: int) -> bool:
        return bool(self.codes_of[row - self.first][1] & Flag.TURN)

    def nested(self, row: int) -> bool:
        return bool(self.codes_of[row - self.first][1] & Flag.SIDE)

    def activity(self, row: int) -> Activity:
        raise AssertionError(f"row {row} was decoded")

    def subscribe(self, callback: Callable[[RowsChanged], None]) -> Callable[[], None]:
        return lambda: callback(RowsChanged())


class AskedRows:
    """The same rows without codes."""

    def __init__(self, rows: CodeRows) -> None:
        self._rows = rows
        self.kind, self.shown, self.problem = rows.kind, rows.shown, rows.problem
        self.starts_turn, self.activity = rows.starts_turn, rows.activity
        self.nested, self.subscribe = rows.nested, rows.subscribe

    @property
    def first(self) -> int:
        return self._rows.first

    @property
    def end(self) -> int:
        return self._rows.end


def counted(rows: CodeRows, first: int, last: int) -> MinimapCell:
    inside = [row for row in range(first, last + 1) if rows.shown(row)]
    return MinimapCell(
        first,
        last,
        len(inside),
        sum(5 if rows.kind(row) is ToolKind.SHELL else 1 for row in inside),
        sum(rows.problem(row) for row in inside),
        sum(rows.starts_turn(row) for row in inside),
    )


def check(rows: CodeRows, counts: ActivityHistogram, width: int) -> None:
    cells = counts.cells(width)
    assert len(cells) == (width if rows.codes_of else 0)
    for cell in cells:
        assert cell == counted(rows, cell.first, cell.last)
    if cells:
        assert (cells[0].first, cells[-1].last) == (rows.first, rows.end - 1)
        for left, right in pairwise(cells):
            assert (right.first, right.last) == (left.first, left.last) or (
                right.first == left.last + 1
            )


@pytest.mark.slow
@settings(max_examples=150)
@given(st.lists(STEP, max_size=14), st.integers(1, 30), st.integers(2, 9))
def test_every_cell_is_what_a_count_of_its_rows_says(
    steps: list[Step], width: int, buckets: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(minimap, "BUCKETS", buckets)
        patch.setattr(minimap, "_CHUNK", 4)
        rows = CodeRows()
        counts = ActivityHistogram(rows)
        for step, given_rows in steps:
            play(rows, counts, step, given_rows)
        assert counts.settle()
        check(rows, counts, width)
        asked = ActivityHistogram(AskedRows(rows))
        asked.settle()
        check(rows, asked, width)


def play(rows: CodeRows, counts: ActivityHistogram, step: str, more: list[tuple[int, int]]) -> None:
    if step == "append":
        rows.codes_of += more
        counts.take(RowsChanged(appended=len(more)))
    elif step == "prepend":
        rows.codes_of[:0] = more
        rows.first -= len(more)
        counts.take(RowsChanged(prepended=len(more)))
    elif step == "change" and rows.codes_of:
        places = {at * 7 % len(rows.codes_of): codes for at, codes in enumerate(more)}
        for at, codes in places.items():
            rows.codes_of[at] = codes
        counts.take(RowsChanged(updated=[rows.first + at for at in places]))
    else:
        counts.settle(0)


def test_an_append_looks_at_its_own_rows_only() -> None:
    rows = CodeRows()
    rows.codes_of = [(SHELL, 0)] * 200_000
    counts = ActivityHistogram(rows)
    counts.settle()
    size = 1 + 200_000 // (minimap.BUCKETS // 2)
    rows.asked = 0
    for _ in range(100):
        rows.codes_of.append((SHELL, Flag.PROBLEM))
        counts.take(RowsChanged(appended=1))
        counts.settle()
    assert rows.asked <= 100 * size
    assert sum(cell.problems for cell in counts.cells(80)) == 100


def test_nothing_is_counted_when_nothing_changed() -> None:
    rows = CodeRows()
    rows.codes_of = [(SHELL, 0)] * 1000
    counts = ActivityHistogram(rows)
    counts.settle()
    rows.asked = 0
    counts.take(RowsChanged())
    assert counts.settled
    assert counts.settle()
    assert rows.asked == 0


def test_a_replaced_log_is_counted_from_its_start() -> None:
    rows = CodeRows()
    rows.codes_of = [(SHELL, 0)] * 50
    counts = ActivityHistogram(rows)
    counts.settle()
    rows.codes_of = [(MESSAGE, Flag.TURN)] * 3
    counts.take(RowsChanged(reset=True))
    counts.settle()
    assert counts.cells(3) == [MinimapCell(row, row, 1, 1, 0, 1) for row in range(3)]


def test_rows_that_went_at_an_end_are_counted_no_more() -> None:
    rows = CodeRows()
    rows.codes_of = [(SHELL, 0)] * 50
    counts = ActivityHistogram(rows)
    counts.settle()
    rows.first, rows.codes_of = 20, [(MESSAGE, 0)] * 2
    counts.take(RowsChanged(updated=(20, 21)))
    counts.settle()
    assert counts.cells(2) == [MinimapCell(row, row, 1, 1, 0, 0) for row in (20, 21)]


def test_heights_go_from_text_to_changes() -> None:
    assert [height_sign(MinimapCell(0, 1, 2, 2 * work).height) for work in (1, 3, 5, 8)] == list(
        "▁▃▅█"
    )
    assert height_sign(MinimapCell(0, 1, 2, 16).height, unicode=False) == "@"
    assert height_sign(MinimapCell(0, 1).height) == " "
