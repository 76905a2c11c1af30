"""What a list says of sessions whose calls share an id, from their last records."""

from collections.abc import Sequence

import pytest

from agentview.domain.events import Body, Event, ToolResult, User
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.session_state import SessionState, SessionStatus
from agentview.normalize.build import tool_call
from agentview.providers._kit.permission_request import permission_request
from agentview.providers._kit.session_info import overview

_CALL = tool_call(call_id="run:0", name="run", arguments={}, spec=None)
_RESULT = ToolResult("run:0", True)
_ASK = permission_request("ask:0", "May it run?", "run:0", {})


def _state(bodies: Sequence[Body], keys: Sequence[str | None] = ()) -> SessionState:
    return _status(bodies, keys).state


def _status(bodies: Sequence[Body], keys: Sequence[str | None] = ()) -> SessionStatus:
    events = [
        Event("", "s", SourceRef("log", row * 10, 10), body, dedupe_key=key)
        for row, (body, key) in enumerate(
            zip(bodies, [*keys, *[None] * (len(bodies) - len(keys))], strict=True)
        )
    ]
    return overview(SessionRef("p", "s", "log"), events).status


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_question_waits_until_each_with_its_id_is_answered(count: int):
    asked, answer = [User("go"), *[_ASK] * count], ToolResult("ask:0", True)
    for answered in range(count):
        assert _state([*asked, *[answer] * answered]) == SessionState.NEEDS_APPROVAL
    assert _state([*asked, *[answer] * count]) == SessionState.WORKING


def test_a_question_waits_when_an_earlier_call_with_the_id_is_answered():
    asked = [User("go"), _CALL, _RESULT, _CALL, _ASK]
    assert _state(asked) == SessionState.NEEDS_APPROVAL
    assert _state([*asked, _RESULT]) == SessionState.WORKING


def test_a_record_that_says_an_answer_again_answers_no_other_question():
    answer = ToolResult("ask:0", True)
    bodies, keys = [User("go"), _ASK, _ASK, answer, answer], [None, None, None, "r", "r"]
    assert _state(bodies, keys) == SessionState.NEEDS_APPROVAL
    assert _state(bodies) == SessionState.WORKING


def test_several_requests_wait_in_the_order_in_which_they_were_made():
    first, second = (
        permission_request(f"ask:{number}", f"May {number} run?", f"run:{number}", {})
        for number in (1, 2)
    )
    status = _status([User("go"), first, second])
    assert (status.about, status.requests) == ("May 1 run?", 2)
    status = _status([User("go"), first, second, ToolResult("ask:1", True)])
    assert (status.about, status.requests) == ("May 2 run?", 1)
