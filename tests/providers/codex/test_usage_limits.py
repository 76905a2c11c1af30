"""Limits of the account, in each form that versions of the client wrote."""

from datetime import datetime
from typing import Any

import pytest
from msgspec.structs import replace

from agentview.domain.usage_limit import UsageLimit, current
from tests.providers.codex.log import AT, REF, Record, events, report

NOTED = datetime.fromisoformat(AT).timestamp()
HOUR, DAY = 3600.0, 86_400.0


def limits(stated: Any, **payload: Any) -> tuple[UsageLimit, ...] | None:
    (event,) = events(report(type="token_count", rate_limits=stated, **payload))
    return None if event.facts is None else event.facts.limits


def test_both_windows_with_their_resets() -> None:
    stated = {
        "limit_id": "codex",
        "limit_name": None,
        "primary": {"used_percent": 42.5, "window_minutes": 300, "resets_at": int(NOTED + HOUR)},
        "secondary": {"used_percent": 7, "window_minutes": 10_080, "resets_at": int(NOTED + DAY)},
        "credits": None,
        "plan_type": "plus",
    }
    assert limits(stated, info=None) == (
        UsageLimit("codex", None, 5 * HOUR, 0.425, int(NOTED + HOUR), NOTED),
        UsageLimit("codex", None, 7 * DAY, 0.07, int(NOTED + DAY), NOTED),
    )


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        (
            {"primary": {"used_percent": 1, "window_minutes": 300, "resets_in_seconds": 60}},
            UsageLimit("codex", None, 5 * HOUR, 0.01, NOTED + 60, NOTED),
        ),
        (
            {"primary_used_percent": 30.0, "primary_window_minutes": 300},
            UsageLimit("codex", None, 5 * HOUR, 0.3, None, NOTED),
        ),
        (
            {"limit_id": "spark", "limit_name": "Spark", "primary": {"used_percent": 250}},
            UsageLimit("spark", "Spark", None, 1.0, None, NOTED),
        ),
    ],
)
def test_other_forms(stated: Record, expected: UsageLimit) -> None:
    assert limits(stated) == (expected,)


@pytest.mark.parametrize(
    "stated",
    [
        None,
        [],
        "full",
        {"primary": None, "secondary": None},
        {"primary": {"window_minutes": 300}},
        {"primary": {"used_percent": True}},
        {"primary": {"used_percent": "most"}, "secondary": 7},
    ],
)
def test_nothing_is_made_of_what_says_nothing(stated: object) -> None:
    assert limits(stated) is None


def test_limits_come_with_the_tokens_of_a_response_and_not_from_another_thread() -> None:
    used = {"input_tokens": 10, "output_tokens": 2, "total_tokens": 12}
    info = {"total_token_usage": used, "last_token_usage": used}
    record = report(
        type="token_count",
        info=info,
        rate_limits={"primary": {"used_percent": 5, "window_minutes": 300}},
    )
    (event,) = events(record)
    assert event.facts is not None
    assert event.facts.limits == (UsageLimit("codex", None, 5 * HOUR, 0.05, None, NOTED),)
    (repeated,) = events(record, replace(REF, own_from=10_000))
    assert repeated.facts is None


def test_a_figure_holds_until_its_reset_at_the_latest() -> None:
    known = UsageLimit("codex", None, 5 * HOUR, 0.4, NOTED + HOUR, NOTED)
    without_reset = UsageLimit("codex", None, 5 * HOUR, 0.4, None, NOTED)
    endless = UsageLimit("codex", None, None, 0.4, None, NOTED)
    far = UsageLimit("codex", None, None, 0.4, 1e17, NOTED)
    every = (known, without_reset, endless, far)
    assert current(every, NOTED) == (known, without_reset)
    assert current(every, NOTED + HOUR) == (without_reset,)
    assert current(every, NOTED + 5 * HOUR) == ()
