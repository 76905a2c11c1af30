from agentview.timeline.view.overview.turns import TurnCounts, TurnOutline
from tests.timeline.view.memory import MemorySession, answer, hidden, prompt, shell


def _outline(session: MemorySession) -> TurnOutline:
    outline = TurnOutline(session)
    _catch_up(outline)
    return outline


def _catch_up(outline: TurnOutline) -> None:
    for _ in outline.catch_up():
        pass


def _session() -> MemorySession:
    return MemorySession(
        [
            answer("before the first"),
            prompt("one"),
            shell("ls"),
            shell("false", exit_code=1),
            answer("done"),
            hidden("bookkeeping"),
            prompt("two"),
            shell("make"),
        ]
    )


def test_turns_begin_at_prompts_and_calls_are_counted_by_how_they_went() -> None:
    outline = _outline(_session())
    assert [outline.row(turn) for turn in range(len(outline))] == [1, 6]
    assert outline.counts(0) == TurnCounts(fine=1, failed=1, last=4)
    assert outline.counts(1) == TurnCounts(fine=1, failed=0, last=7)
    assert [outline.turn_of(row) for row in (0, 1, 5, 6, 7)] == [None, 0, 0, 1, 1]


def test_a_turn_that_goes_on_is_counted_again() -> None:
    session = _session()
    outline = _outline(session)
    outline.counts(1)
    session.append(shell("false", exit_code=2))
    outline.take(())
    _catch_up(outline)
    assert outline.counts(1) == TurnCounts(fine=1, failed=1, last=8)
    session.append(prompt("three"), answer("well"))
    outline.take(())
    _catch_up(outline)
    assert len(outline) == 3
    assert outline.counts(1).last == 8
    assert outline.counts(2) == TurnCounts(fine=0, failed=0, last=10)


def test_a_call_that_fails_later_is_counted_again_and_earlier_turns_come_first() -> None:
    session = _session()
    outline = _outline(session)
    assert outline.counts(0).failed == 1
    session.change(2, shell("ls", exit_code=2))
    outline.take([2])
    assert outline.counts(0) == TurnCounts(fine=0, failed=2, last=4)
    session.prepend(prompt("zero"), shell("pwd"))
    outline.take(())
    _catch_up(outline)
    assert [outline.row(turn) for turn in range(len(outline))] == [-2, 1, 6]
    assert outline.counts(0) == TurnCounts(fine=1, failed=0, last=0)
    outline.forget()
    assert len(outline) == 0
