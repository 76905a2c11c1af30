import pytest

from agentview.domain.session import LiveState, state_after
from agentview.library.liveness import is_live
from tests.library.listed import NOW, info


@pytest.mark.parametrize(
    ("state", "silence", "live"),
    [
        (LiveState.WORKING, 60.0, True),
        (LiveState.WORKING, 4_000.0, False),
        (LiveState.WAITING_APPROVAL, 1_000.0, True),
        (LiveState.WAITING_INPUT, 60.0, True),
        (LiveState.WAITING_INPUT, 400.0, False),
        (LiveState.ENDED, 1.0, False),
        (LiveState.STALE, 1.0, False),
    ],
)
def test_live_is_who_works_or_just_did(state: LiveState, silence: float, live: bool) -> None:
    assert is_live(info("x", NOW - silence, state), NOW) is live


def test_the_state_of_long_ago_is_not_that_of_now() -> None:
    assert state_after(LiveState.WORKING, 90_000) is LiveState.STALE
    assert state_after(LiveState.WAITING_INPUT, 90_000) is LiveState.ENDED
    assert state_after(LiveState.WORKING, 1.0) is LiveState.WORKING
    assert state_after(LiveState.WORKING, None) is LiveState.WORKING
