"""The words that are shown for a session's state are words of a query."""

import pytest

from agentview.domain.session import STATE_LABELS, LiveState
from agentview.query.vocabulary import session_states


@pytest.mark.parametrize("state", LiveState)
def test_the_shown_word_and_that_of_the_json_select_the_same(state: LiveState) -> None:
    shown = STATE_LABELS[state].replace(" ", "-")
    assert session_states(shown) == session_states(state.value) == {state.value}


def test_the_beginning_of_a_word_selects_all_states_that_begin_so() -> None:
    assert session_states("waiting") == {"waiting-input", "waiting-approval"}
    assert session_states("your") == {"waiting-input"}
    assert session_states("nobody") == frozenset()
