"""The words that are shown for a session's state are words of a query."""

import pytest

from agentview.domain.session_state import SessionState
from agentview.query.vocabulary import session_states


@pytest.mark.parametrize("state", SessionState)
def test_the_shown_word_selects_its_state(state: SessionState) -> None:
    assert session_states(state.value) == {state.value}


@pytest.mark.parametrize(
    ("earlier", "state"),
    [
        ("waiting-input", SessionState.YOUR_TURN),
        ("waiting-approval", SessionState.NEEDS_APPROVAL),
        ("stale", SessionState.UNKNOWN),
    ],
)
def test_words_of_earlier_versions_still_select(earlier: str, state: SessionState) -> None:
    assert session_states(earlier) == {state.value}


def test_the_beginning_of_a_word_selects_all_states_that_begin_so() -> None:
    assert session_states("needs") == {"needs-approval", "needs-answer"}
    assert session_states("your") == {"your-turn"}
    assert session_states("nobody") == frozenset()
