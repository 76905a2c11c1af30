"""Folds of looks: what is in view is always whole runs, and nothing in view moves by itself."""

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from agentview.domain.events import Body, Notification, Reasoning, Topic
from agentview.domain.tools import ToolCall, ToolState
from agentview.normalize.shell_command import with_reading
from agentview.timeline.view.detail_levels import DetailLevel, DetailPreferences
from agentview.timeline.view.looks import is_quiet
from agentview.timeline.view.view_state.cursor import TimelineCursor
from tests.timeline.view.memory import MemorySession, answer, hidden, prompt, read, shell

RUNNING = replace(read("running.py"), state=ToolState.INPUT_AVAILABLE, ok=None, output=())
BODIES: Sequence[Body] = (
    read("a.py"),
    read("b.py"),
    with_reading(shell("sed -n 1,20p c.py && rg -n word src | head -5")),
    Reasoning("where is it"),
    Notification(Topic.HOOK, "hook ran"),
    RUNNING,
    hidden("bookkeeping"),
    answer("found it"),
    prompt("find it"),
    shell("make", exit_code=2),
    replace(read("gone.py"), state=ToolState.OUTPUT_ERROR, ok=False, error="no such file"),
)


class Session:
    """A reader over rows in memory, and the rows that must be folded together."""

    def __init__(self, bodies: Sequence[Body], size: int = 8) -> None:
        self.rows = MemorySession(bodies)
        self.size = size
        self.single: set[int] = set()
        """Rows that the reader opened or that were selected when they ended."""
        self.folding = True
        self.passes: Callable[[int], bool] | None = None
        self.reader = TimelineCursor(
            self.rows, DetailPreferences(fold_looks=True), self.measure, ruled=False
        )
        self.rows.subscribe(self.reader.take)
        self.reader.resize(size, rewrapped=True)

    def measure(self, row: int) -> int:
        folded = bool(self.reader.shown.folds.rows(row))
        return 1 if folded else 1 + row % 3

    def groups(self) -> list[tuple[int, ...]]:
        """The rows of each line group of the timeline, in order."""
        found: list[tuple[int, ...]] = []
        run: list[int] = []
        for row in range(self.rows.first, self.rows.end):
            if not self.reader.shown.is_shown(row):
                continue
            quiet = self.folding and self.passes is None and row not in self.single
            if quiet and is_quiet(self.rows.activity(row)):
                run.append(row)
                continue
            found += [tuple(run)] if run else []
            found.append((row,))
            run = []
        return found + ([tuple(run)] if run else [])

    def check(self) -> None:
        reader = self.reader
        reader.settle()
        placed, groups = reader.window.placed, self.groups()
        if not groups:
            assert placed == []
            return
        shown = [tuple(reader.shown.folds.rows(item.row)) or (item.row,) for item in placed]
        start = groups.index(shown[0])
        assert shown == groups[start : start + len(shown)]
        line = placed[0].y
        for item in placed:
            assert (item.y, item.height) == (line, self.measure(item.row))
            line += item.height
        assert reader.selected in {group[0] for group in groups}
        assert reader.window.at_end == (line <= self.size and shown[-1] == groups[-1])
        total = sum(self.measure(group[0]) for group in groups)
        assert line >= min(self.size, total)

    def holds(self, change: Callable[[], object]) -> None:
        """Do what comes from the log; the selected row, or the first in view, keeps its line."""
        reader = self.reader
        reader.settle()
        placed = reader.window.placed
        held = next((item for item in placed if item.row == reader.selected and item.y >= 0), None)
        held = held or next((item for item in placed if item.y >= 0), None)
        change()
        self.check()
        if reader.follow or held is None or reader.window.at_end or reader.window.at_start:
            return
        group = next((group for group in self.groups() if held.row in group), None)
        if group is not None:
            after = reader.window.find(group[0])
            assert after is not None
            assert after.y == held.y

    def end(self, number: int) -> None:
        """A running call ends, well or not."""
        running = [
            row
            for row in range(self.rows.first, self.rows.end)
            if isinstance(body := self.rows.activity(row).body, ToolCall)
            and body.state is ToolState.INPUT_AVAILABLE
        ]
        if running:
            row = running[number % len(running)]
            if row == self.reader.selected and not self.reader.follow:
                self.single.add(row)
            self.rows.change(row, BODIES[0 if number % 3 else 10])

    def toggle(self) -> None:
        row = self.reader.selected
        if row is None:
            return
        fold = self.reader.shown.folds.rows(row)
        if self.reader.toggle_fold(row) and fold:
            self.single |= set(fold)
            return
        shown = [row for group in self.groups() for row in group]
        at = shown.index(row)
        for step in (-1, 1):
            near = at + step
            while 0 <= near < len(shown) and row in self.single and shown[near] in self.single:
                self.single.discard(shown[near])
                near += step
        self.single.discard(row)

    def level(self, level: DetailLevel | None) -> None:
        self.folding = level is None
        self.single.clear()
        self.reader.set_level_all(level)

    def leave_out(self, number: int) -> None:
        self.passes = (lambda row: row % (2 + number % 5) > 0) if number % 3 else None
        self.single.clear()
        self.reader.set_filter(self.passes)


CHANGES: dict[str, Callable[[Session, int], object]] = {
    "append": lambda session, number: session.rows.append(BODIES[number % len(BODIES)]),
    "prepend": lambda session, number: session.rows.prepend(
        BODIES[number % len(BODIES)], BODIES[number // 11 % len(BODIES)]
    ),
    "end": Session.end,
}
MOVES: dict[str, Callable[[Session, int], object]] = {
    "move": lambda session, number: session.reader.move(number % 7 - 3),
    "scroll": lambda session, number: session.reader.scroll(number % 20 - 10),
    "page": lambda session, number: session.reader.page(1 if number % 2 else -1),
    "home": lambda session, _: session.reader.home(),
    "last": lambda session, _: session.reader.to_end(),
    "fraction": lambda session, number: session.reader.to_fraction(number % 11 / 10),
    "toggle": lambda session, _: session.toggle(),
    "level": lambda session, number: session.level((DetailLevel.TITLE, None)[number % 2]),
    "filter": Session.leave_out,
}
STEPS = st.lists(
    st.tuples(
        st.sampled_from([*CHANGES, *MOVES, "append", "end", "move", "scroll", "toggle"]),
        st.integers(0, 10_000),
    ),
    max_size=30,
)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from([*BODIES[:6], *BODIES]), max_size=60), st.integers(1, 16), STEPS)
def test_whole_runs_are_folded_and_nothing_moves(
    bodies: list[Body], size: int, steps: list[tuple[str, int]]
) -> None:
    session = Session(bodies, size)
    session.check()
    for name, number in steps:
        if name in CHANGES:
            session.holds(lambda name=name, number=number: CHANGES[name](session, number))
        else:
            MOVES[name](session, number)
            session.check()


@pytest.mark.parametrize("body", BODIES[5:6] + BODIES[7:])
def test_what_matters_is_not_folded(body: Body) -> None:
    session = Session([read("a.py"), body, read("b.py")])
    session.reader.settle()
    assert [item.row for item in session.reader.window.placed] == [0, 1, 2]


def test_a_row_that_is_gone_to_is_shown_out_of_its_fold() -> None:
    session = Session([prompt("look"), *[read(f"{number}.py") for number in range(20)]])
    reader = session.reader
    reader.settle()
    assert [item.row for item in reader.window.placed] == [0, 1]
    assert reader.next_match(lambda row: row == 9, -1)
    assert reader.selected == 9
    assert reader.window.find(9) is not None
    assert reader.toggle_fold(9)
    reader.settle()
    assert [item.row for item in reader.window.placed] == [0, 1]
    assert reader.selected == 1


def test_no_row_is_folded_across_what_is_new_nor_between_agents() -> None:
    session = Session([read(f"{number}.py") for number in range(6)])
    assert session.reader.set_first_new(2)
    session.reader.settle()
    assert [tuple(session.reader.shown.folds.rows(row)) for row in (0, 2)] == [
        (0, 1),
        (2, 3, 4, 5),
    ]


def test_a_fold_has_a_limit_and_is_counted_once() -> None:
    session = Session([read(f"{number}.py") for number in range(1000)])
    reader = session.reader
    reader.settle()
    rows = [row for item in reader.window.placed for row in reader.shown.folds.rows(item.row)]
    assert rows == sorted(set(rows))
    assert rows[-1] == 999
    assert len(reader.window.placed) <= 5
