"""The reader against a document laid out in full: what is in view, and that nothing moves."""

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import astuple

from agentview.domain.activity import Activity, Kind, RowKind
from agentview.timeline.view.detail_levels import DetailLevel, DetailPreferences
from agentview.timeline.view.filter.row_flags import RowFlag
from agentview.timeline.view.rows_protocol import RowsChanged
from agentview.timeline.view.view_state.cursor import TimelineCursor

KINDS: Sequence[Kind] = (RowKind.MESSAGE, RowKind.REASONING, RowKind.USER, RowKind.HIDDEN)
LEVELS = tuple(DetailLevel)


class NumberedRows:
    """Rows that are numbers: kind, height and the rest follow from the number and the width."""

    def __init__(self, count: int) -> None:
        self.first, self.end = 0, count
        self.width = 10
        self.grown: dict[int, int] = {}
        self.listener: Callable[[RowsChanged], None] = lambda _: None

    def kind(self, row: int) -> Kind:
        return KINDS[row * 5 % 7 % 4]

    def shown(self, row: int) -> bool:
        return row % 11 != 3

    def problem(self, row: int) -> bool:
        return row % 13 == 0

    def starts_turn(self, row: int) -> bool:
        return self.kind(row) is RowKind.USER

    def nested(self, row: int) -> bool:
        return row % 17 == 5

    def activity(self, row: int) -> Activity:
        raise AssertionError(f"row {row} was decoded")

    def subscribe(self, callback: Callable[[RowsChanged], None]) -> Callable[[], None]:
        self.listener = callback
        return lambda: None

    def lines(self, row: int, level: DetailLevel) -> int:
        """Lines of the row without its rule."""
        full = 1 + row * 17 % 23 + self.grown.get(row, 0)
        if level is DetailLevel.TITLE:
            return 1
        return min(5, full) if level is DetailLevel.SUMMARY else 1 + full * 20 // self.width


class Session:
    """A reader over numbered rows, and the same document laid out in full."""

    def __init__(self, count: int, size: int = 12) -> None:
        self.rows = NumberedRows(count)
        self.measured: list[int] = []
        self.passes: Callable[[int], bool] | None = None
        self.reader = TimelineCursor(self.rows, DetailPreferences(), self.measure)
        self.rows.subscribe(self.reader.take)
        self.size = size
        self.reader.resize(size, rewrapped=True)
        self.reader.settle()

    def measure(self, row: int) -> int:
        self.measured.append(row)
        raw = self.reader.shown.detail.raw(row)
        return 3 if raw else self.rows.lines(row, self.reader.shown.level(row))

    def shown(self, row: int) -> bool:
        left_in = self.passes is None or self.passes(row)
        return left_in and (self.reader.shown.hidden_too or self.rows.shown(row))

    def document(self) -> dict[int, tuple[int, int]]:
        """First line and height of every shown row, in order."""
        found: dict[int, tuple[int, int]] = {}
        line = 0
        for row in range(self.rows.first, self.rows.end):
            if self.shown(row):
                height = self.measure(row) + self.rows.starts_turn(row)
                found[row] = (line, height)
                line += height
        return found

    def top(self) -> int:
        """Line of the document at the top of the viewport."""
        placed = self.reader.window.placed
        return self.document()[placed[0].row][0] - placed[0].y if placed else 0

    def check(self) -> None:
        """Every line of the viewport shows the line of the document that belongs there."""
        self.reader.settle()
        document, placed = self.document(), self.reader.window.placed
        if not document:
            assert placed == []
            assert self.reader.selected is None
            return
        total = sum(height for _, height in document.values())
        top = self.top()
        assert 0 <= top <= max(0, total - self.size)
        expected = [
            (row, line - top, height)
            for row, (line, height) in document.items()
            if line - top + height > 0 and line - top < self.size
        ]
        assert [astuple(item) for item in placed] == expected
        assert self.reader.selected in document
        assert self.reader.window.at_start == (top == 0)
        assert self.reader.window.at_end == (top + self.size >= total)

    def held(self, *, resized: bool = False) -> tuple[int, int] | None:
        """The row that must stay, and its line."""
        placed, selected = self.reader.window.placed, self.reader.selected
        if not placed:
            return None
        whole = [item for item in placed if item.y >= 0]
        if not resized:
            whole = [item for item in whole if item.row == selected] or whole
        item = (whole or placed)[0]
        return item.row, item.y

    def passive(self, change: Callable[[], object], *, resized: bool = False) -> None:
        """Do what must not move the held row, and see that it does not."""
        self.reader.settle()
        held, follow = self.held(resized=resized), self.reader.follow
        selected = self.reader.selected
        seen = any(item.row == selected for item in self.reader.window.placed)
        change()
        self.check()
        document = self.document()
        if not document:
            return
        limit = max(0, sum(height for _, height in document.values()) - self.size)
        assert self.reader.follow == follow
        if follow:
            assert self.top() == limit
        elif held is not None:
            row = min(document, key=lambda row: (abs(row - held[0]), -row))
            line, height = document[row]
            top = min(max(line - max(held[1], 1 - height), 0), limit)
            if self.top() != top:
                assert resized
                assert seen
                line, height = document[selected or 0]
                assert line + height <= top or line >= top + self.size
                assert self.reader.window.find(selected or 0) is not None


def append(session: Session, number: int) -> None:
    session.rows.end += number % 9
    session.rows.listener(RowsChanged(appended=number % 9))


def prepend(session: Session, number: int) -> None:
    session.rows.first -= number % 30
    session.rows.listener(RowsChanged(prepended=number % 30))


def update(session: Session, number: int) -> None:
    rows = session.rows
    row = rows.first + number % max(1, rows.end - rows.first)
    rows.grown[row] = number % 6
    rows.listener(RowsChanged(updated=(row,)))


def resize(session: Session, number: int) -> None:
    session.size = 1 + number % 25
    session.rows.width = 5 + number % 4
    session.reader.resize(session.size, rewrapped=True)


def leave_out(session: Session, number: int) -> None:
    session.passes = (lambda row: row % (2 + number % 9) == 0) if number % 3 else None
    session.reader.set_filter(session.passes)


CHANGES: dict[str, Callable[[Session, int], None]] = {
    "append": append,
    "prepend": prepend,
    "update": update,
    "resize": resize,
    "filter": leave_out,
    "all": lambda session, number: session.reader.set_level_all(LEVELS[number % 3]),
    "kind": lambda session, number: session.reader.set_level_kind(
        KINDS[number % 4], LEVELS[number % 3]
    ),
    "hidden": lambda session, number: session.reader.set_show_hidden(bool(number % 2)),
    "raw all": lambda session, number: session.reader.set_raw_all(bool(number % 2)),
    "looks": lambda session, _: session.reader.invalidate(),
}
"""What must not move the held row."""


def scroll(session: Session, number: int) -> None:
    top, selected = session.top(), session.reader.selected
    session.reader.scroll(number % 40 - 20)
    assert abs(session.top() - top) <= 20
    assert session.reader.selected == selected


def go_home(session: Session, _: int) -> None:
    session.reader.home()
    assert session.top() == 0


def go_to_end(session: Session, _: int) -> None:
    session.reader.to_end()
    assert session.reader.follow


MOVES: dict[str, Callable[[Session, int], object]] = {
    "move": lambda session, number: session.reader.move(number % 5 - 2),
    "scroll": scroll,
    "page": lambda session, number: session.reader.page(1 if number % 2 else -1),
    "home": go_home,
    "end": go_to_end,
    "fraction": lambda session, number: session.reader.to_fraction(number % 11 / 10),
    "problem": lambda session, number: session.reader.next_trait(
        RowFlag.PROBLEM, 1 if number % 2 else -1
    ),
    "turn": lambda session, number: session.reader.next_trait(
        RowFlag.TURN, 1 if number % 2 else -1
    ),
    "match": lambda session, number: session.reader.next_match(
        lambda row: row % 6 == 1, 1 if number % 2 else -1
    ),
}


def act(session: Session, name: str, number: int) -> None:
    """One step of a reader's life; the number says how far, which row, which level."""
    if name in CHANGES:
        session.passive(lambda: CHANGES[name](session, number), resized=name == "resize")
        return
    if name in MOVES:
        MOVES[name](session, number)
    elif session.reader.selected is not None:
        expand(session, name, session.reader.selected)
    session.check()


def expand(session: Session, name: str, row: int) -> None:
    """The row's first line stays where something of its body can be seen."""
    reader = session.reader
    before = reader.window.find(row)
    if name == "cycle":
        reader.cycle_level(row)
    else:
        reader.toggle_raw(row)
    after = reader.window.find(row)
    if before is not None and before.y >= 0:
        assert after is not None
        at_edge = reader.window.at_start or reader.window.at_end
        low = before.y + min(after.height, session.size // 3) > session.size
        assert after.y == before.y or at_edge or low
        assert after.y >= 0


STEPS = st.lists(
    st.tuples(
        st.sampled_from([*CHANGES, *MOVES, "move", "scroll", "cycle", "raw"]),
        st.integers(0, 10_000),
    ),
    max_size=25,
)


@pytest.mark.slow
@settings(max_examples=300)
@given(st.integers(0, 80), st.integers(1, 30), STEPS)
def test_nothing_moves_that_was_not_moved(
    count: int, size: int, steps: list[tuple[str, int]]
) -> None:
    session = Session(count, size)
    session.check()
    for name, number in steps:
        act(session, name, number)


def test_rows_added_below_are_counted_until_they_are_seen() -> None:
    session = Session(60)
    reader = session.reader
    assert reader.follow
    assert reader.selected == 59
    reader.scroll(-20)
    assert not reader.follow
    act(session, "append", 5)
    assert reader.new_count == sum(session.shown(row) for row in range(60, 65))
    reader.to_end()
    assert (reader.follow, reader.new_count, reader.selected) == (True, 0, 64)
    act(session, "append", 2)
    assert reader.selected == 66
    reader.move(-1)
    assert not reader.follow
    reader.move(1)
    assert reader.follow


def test_a_row_that_is_not_shown_cannot_be_selected() -> None:
    session = Session(60)
    assert session.reader.select(10)
    assert not session.reader.select(3)
    assert not session.reader.select(600)
    assert session.reader.selected == 10


def test_moving_goes_on_from_what_is_in_view() -> None:
    session = Session(200)
    reader = session.reader
    reader.scroll(-150)
    top = session.top()
    reader.move(-1)
    assert reader.window.find(reader.selected or 0) is not None
    assert session.top() == top


@pytest.mark.parametrize("trait", [RowFlag.PROBLEM, RowFlag.TURN])
def test_problems_and_turns_are_gone_through_in_order(trait: RowFlag) -> None:
    session = Session(300)
    rows = session.rows
    has = rows.problem if trait is RowFlag.PROBLEM else rows.starts_turn
    expected = [row for row in range(300) if has(row) and rows.shown(row)]
    session.reader.home()
    session.reader.scroll(5)
    found = [session.reader.selected] if has(session.reader.selected or 0) else []
    while session.reader.next_trait(trait, 1):
        found.append(session.reader.selected)
    assert found == expected
    while session.reader.next_trait(trait, -1):
        found.pop()
        assert session.reader.selected == found[-1]
    assert session.reader.selected == expected[0]


@pytest.mark.slow
def test_a_million_rows_measure_only_what_is_in_view() -> None:
    session = Session(1_000_000, 40)
    reader = session.reader
    steps: list[Callable[[], object]] = [
        reader.home,
        reader.to_end,
        lambda: reader.page(-1),
        lambda: reader.page(1),
        lambda: reader.move(-1),
        lambda: reader.to_fraction(0.37),
        lambda: reader.set_level_all(DetailLevel.FULL),
        lambda: reader.set_level_all(DetailLevel.TITLE),
        lambda: reader.set_filter(lambda row: row % 1000 < 5),
        lambda: reader.select(500_001),
    ]
    for step in steps:
        session.measured.clear()
        step()
        reader.settle()
        assert 0 < len(session.measured) <= 4 * 40 + 4
        assert len(reader.window.placed) <= 40
