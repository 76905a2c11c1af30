import time

import pytest

from agentview.timeline.view.goto import Jump, Target, parse_jump

TODAY = time.mktime((2026, 11, 21, 13, 0, 0, 0, 0, -1))


def _at(*parts: int) -> int:
    return int(time.mktime((*parts, 0, 0, -1)))  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("text", "target", "number"),
    [
        ("1234", Target.LINE, 1234),
        (":1,234", Target.LINE, 1234),
        ("line 7", Target.LINE, 7),
        ("b5000", Target.BYTE, 5000),
        ("@5000", Target.BYTE, 5000),
        ("B 0", Target.BYTE, 0),
        ("turn 3", Target.TURN, 3),
        ("t3", Target.TURN, 3),
        ("14:02", Target.TIME, _at(2026, 11, 21, 14, 2, 0)),
        ("9:05:30", Target.TIME, _at(2026, 11, 21, 9, 5, 30)),
        ("2026-11-20 14:02", Target.TIME, _at(2026, 11, 20, 14, 2, 0)),
        ("2026-11-20T14:02:01", Target.TIME, _at(2026, 11, 20, 14, 2, 1)),
        ("2026-11-20", Target.TIME, _at(2026, 11, 20, 0, 0, 0)),
        ("-5m", Target.TIME, int(TODAY) - 300),
        (":+2H", Target.TIME, int(TODAY) + 7200),
    ],
)
def test_a_line_names_a_place(text: str, target: Target, number: int) -> None:
    jump = parse_jump(text, TODAY)
    assert jump is not None
    assert (jump.target, jump.number) == (target, number)


def test_a_time_without_a_date_may_be_of_the_day_before() -> None:
    jump = parse_jump("23:30", TODAY)
    assert jump is not None
    assert jump.daily
    before = Jump(Target.TIME, _at(2026, 11, 20, 23, 30, 0), "23:30", daily=True)
    assert jump.day_before() == before
    dated = parse_jump("2026-11-20 23:30", TODAY)
    assert dated is not None
    assert not dated.daily


@pytest.mark.parametrize(
    "text",
    ["", "x", "0", "turn 0", "24:00", "14:60", "2026-13-01", "-5", "-5x", "14:02:", "b", "🎉"],
)
def test_anything_else_is_none(text: str) -> None:
    assert parse_jump(text, TODAY) is None
