"""Errors that say that a limit of a service is reached."""

import pytest

from agentview.domain.events import Topic
from agentview.providers._kit.limits import error_topic


@pytest.mark.parametrize(
    "words",
    [
        "exceeded retry limit, last status: 429 Too Many Requests",
        "You've hit your usage limit. Try again at 3:20 PM.",
        '{"error":{"code":8,"status":"RESOURCE_EXHAUSTED"}}',
        "You have exhausted your capacity on this model.",
        "insufficient_quota",
        "rate_limit_error",
    ],
)
def test_a_limit_is_known_by_the_words_of_the_service(words: str) -> None:
    assert error_topic(None, words) is Topic.LIMIT


@pytest.mark.parametrize("words", ["fetch failed", "Error 4290", "The file has no limits", ""])
def test_other_errors_are_none(words: str) -> None:
    assert error_topic(words, status=500) is Topic.API_ERROR


def test_a_status_is_enough() -> None:
    assert error_topic("Overloaded", status=429) is Topic.LIMIT
