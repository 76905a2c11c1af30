"""Habits of Qwen Code: what its log leaves open of the state of a session."""

import re

from agentview.domain.events import Notification
from agentview.normalize.session_state import LogHabits

_PASSING = re.compile(r"(?:408|409|429|5\d\d)\b")
"""Answers of a service after which the client tries again, a few times."""


def _may_retry(error: Notification) -> bool:
    return _PASSING.match(error.text) is not None


HABITS = LogHabits(may_retry=_may_retry)
