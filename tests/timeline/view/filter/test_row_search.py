import random
from collections.abc import Iterator

import pytest

from agentview.domain.activity import RowKind
from agentview.domain.index_entry import Flag
from agentview.timeline.view.filter.row_search import CHUNK, MANY, RowSearch
from tests.timeline.view.memory import MemorySession, answer, hidden, prompt, shell

BODIES = (prompt("p"), answer("a"), hidden("h"), shell("ls"), shell("false", exit_code=1))


def _problems(session: MemorySession) -> RowSearch:
    return RowSearch(session, lambda _, flags: bool(flags & Flag.PROBLEM))


def _all(steps: Iterator[None]) -> None:
    for _ in steps:
        pass


def _expected(session: MemorySession) -> list[int]:
    return [row for row in range(session.first, session.end) if session.problem(row)]


def test_rows_are_found_and_stay_up_to_date_however_a_session_grows_and_changes() -> None:
    draw = random.Random(7)  # noqa: S311
    session = MemorySession([draw.choice(BODIES) for _ in range(40)])
    found = _problems(session)
    for _ in range(60):
        if draw.random() < 0.4:
            session.append(*(draw.choice(BODIES) for _ in range(draw.randrange(5))))
        if draw.random() < 0.4:
            session.prepend(*(draw.choice(BODIES) for _ in range(draw.randrange(5))))
        row = draw.randrange(session.first, session.end)
        session.change(row, draw.choice(BODIES))
        found.take([row])
        _all(found.catch_up())
        assert list(found) == _expected(session)
        assert found.complete


def test_hidden_rows_and_kinds_are_told_apart() -> None:
    session = MemorySession(BODIES)
    found = RowSearch(
        session, lambda kind, flags: kind is RowKind.HIDDEN and bool(flags & Flag.ABSENT)
    )
    _all(found.catch_up())
    assert list(found) == [2]


def test_the_place_of_a_row_among_those_found() -> None:
    session = MemorySession([shell("false", exit_code=1), answer("a"), shell("x", exit_code=1)])
    found = _problems(session)
    assert found.at_or_before(1) is None
    _all(found.catch_up())
    assert [found.at_or_before(row) for row in (-1, 0, 1, 2, 9)] == [None, 0, 0, 1, 1]


@pytest.mark.slow
def test_many_rows_are_looked_at_a_chunk_at_a_time_the_newest_first() -> None:
    session = MemorySession([shell("false", exit_code=1)] * (CHUNK + 10))
    found = _problems(session)
    steps = found.catch_up()
    next(steps)
    assert len(found) == CHUNK
    assert found[0] == 10
    assert not found.complete
    _all(steps)
    assert len(found) == CHUNK + 10


@pytest.mark.slow
def test_so_many_changes_that_all_is_looked_at_anew() -> None:
    session = MemorySession([shell("false", exit_code=1)] * (MANY + 5))
    found = _problems(session)
    _all(found.catch_up())
    session.change(3, answer("fine"))
    found.take(range(MANY + 2))
    _all(found.catch_up())
    assert list(found) == _expected(session)
    assert 3 not in list(found)
