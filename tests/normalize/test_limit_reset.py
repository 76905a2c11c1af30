from datetime import UTC, datetime

import pytest

from agentview.normalize.limit_reset import reset_time

AT = datetime(2026, 11, 24, 12, 0, tzinfo=UTC).timestamp()


def utc(*parts: int) -> float:
    return datetime(*parts, tzinfo=UTC).timestamp()  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            "You've hit your session limit · resets 3:20pm (Europe/Berlin)",
            utc(2026, 11, 24, 14, 20),
        ),
        ("You've hit your session limit · resets 9am (Europe/Berlin)", utc(2026, 11, 25, 8, 0)),
        ("You've hit your weekly limit · resets Nov 28, 3pm (UTC)", utc(2026, 11, 28, 15, 0)),
        ("You've hit your weekly limit · resets Jan 3 at 12am (UTC)", utc(2027, 1, 3, 0, 0)),
        ("Claude AI usage limit reached|1795539600", 1795539600.0),
        ("Rate limit reached. Please try again in 1m30.5s.", AT + 90.5),
        ("Rate limit reached. Please try again in 250ms", AT + 0.25),
        ("You've hit your usage limit. Try again in 2 days 3 hours 4 minutes.", AT + 183_840),
        ("Your quota will reset after 1h2m3s.", AT + 3_723),
        ("Quota exceeded, resets at 2026-11-24T18:00:00Z", utc(2026, 11, 24, 18, 0)),
        ("retry after 30 seconds", AT + 30),
        ("API Error: Request rejected (429) · mock error", None),
        ("resets 25:00pm (Nowhere/Land)", None),
        ("resets 3pm (Nowhere/Land)", None),
        ("resets Feb 31, 3pm (UTC)", None),
        ("try again in 999999 days", None),
        ("try again later", None),
        ("the number of resets in 5 tests", None),
    ],
)
def test_the_words_of_services_say_when_a_limit_ends(words: str, expected: float | None) -> None:
    assert reset_time(words, AT) == expected


def test_a_time_of_the_day_needs_the_day() -> None:
    assert reset_time("resets 3pm (UTC)", None) is None
    assert reset_time("usage limit reached|1795539600", None) == 1795539600.0


def test_long_and_odd_words_take_no_time() -> None:
    assert reset_time("resets in " + "1" * 100_000, AT) is None
    assert reset_time("try again " * 10_000, AT) is None
    assert isinstance(reset_time("resets 3pm (" + "A/" * 50_000 + ")", AT), float)
