"""When a limit will be used up, by its use since its window began."""

import pytest

from agentview.domain.usage_limit import UsageLimit

HOUR = 3600.0
WINDOW = 5 * HOUR
BEGAN = 1_795_000_000.0


@pytest.mark.parametrize(
    ("used", "passed", "full"),
    [
        (0.5, 2 * HOUR, 4 * HOUR),
        (0.9, 1 * HOUR, HOUR / 0.9),
        # It is reset first.
        (0.3, 2 * HOUR, None),
        (0.4, 2 * HOUR, None),
        # A few minutes show nothing; a full one is full.
        (0.2, 0.4 * HOUR, None),
        (1.0, 2 * HOUR, None),
        (0.0, 2 * HOUR, None),
        (None, 2 * HOUR, None),
    ],
)
def test_it_is_full_before_its_reset_if_use_continues(
    used: float | None, passed: float, full: float | None
) -> None:
    limit = UsageLimit("x", None, WINDOW, used, BEGAN + WINDOW, BEGAN + passed)
    found = None if limit.full_at is None else round(limit.full_at - BEGAN)
    assert found == (None if full is None else round(full))


@pytest.mark.parametrize(
    ("window", "resets", "at"),
    [
        (None, BEGAN + WINDOW, BEGAN + 2 * HOUR),
        (WINDOW, None, BEGAN + 2 * HOUR),
        (WINDOW, BEGAN + WINDOW, None),
    ],
)
def test_without_its_window_nothing_is_forecast(
    window: float | None, resets: float | None, at: float | None
) -> None:
    assert UsageLimit("x", None, window, 0.5, resets, at).full_at is None
