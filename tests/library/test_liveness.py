from dataclasses import replace

import pytest

from agentview.domain.session_state import (
    Activity,
    ClientFacts,
    SessionState,
    SessionStatus,
    StateEvidence,
    status_now,
)
from agentview.library.live_list import counts
from agentview.library.liveness import current_status, is_active, is_live
from tests.library.listed import NOW, info


@pytest.mark.parametrize(
    ("state", "silence", "active"),
    [
        (SessionState.WORKING, 60.0, True),
        (SessionState.WORKING, 4_000.0, False),
        (SessionState.NEEDS_APPROVAL, 1_000.0, True),
        (SessionState.NEEDS_ANSWER, 5 * 86_400.0, True),
        (SessionState.YOUR_TURN, 60.0, True),
        (SessionState.YOUR_TURN, 400.0, False),
        (SessionState.ENDED, 1.0, False),
        (SessionState.UNKNOWN, 1.0, False),
    ],
)
def test_active_is_who_works_or_just_did(state: SessionState, silence: float, active: bool) -> None:
    assert is_active(info("x", NOW - silence, state), NOW) is active


@pytest.mark.parametrize("silence", [180.0, 2_700.0, 5 * 86_400.0])
@pytest.mark.parametrize(
    "state",
    [
        SessionState.NEEDS_APPROVAL,
        SessionState.NEEDS_ANSWER,
        SessionState.YOUR_TURN,
        SessionState.FAILED,
        SessionState.WORKING,
    ],
)
def test_whoever_waits_stays_in_sight(state: SessionState, silence: float) -> None:
    assert is_live(info("x", NOW - silence, state), NOW)


def test_silence_ends_nothing() -> None:
    for state in SessionState:
        later = current_status(info("x", NOW - 90_000, state), NOW)
        if state is SessionState.WORKING:
            assert (later.state, later.evidence) == (SessionState.UNKNOWN, StateEvidence.CLOCK)
            assert not later.certain
        else:
            assert later.state is state


def test_work_that_only_the_log_shows_is_not_certain_after_a_silence() -> None:
    log = SessionStatus(SessionState.WORKING, NOW - 600, StateEvidence.LOG)
    assert status_now(log, NOW - 5, NOW).label == "working"
    silent = status_now(log, NOW - 15, NOW)
    assert (silent.label, silent.evidence, silent.may_wait) == (
        "working?",
        StateEvidence.CLOCK,
        False,
    )
    assert status_now(replace(log, certain=False), NOW - 15, NOW).may_wait
    runs = ClientFacts(alive=True, pid=1)
    assert status_now(log, NOW - 180, NOW, runs).label == "working"
    perhaps = ClientFacts(alive=True, certain=False, pid=1)
    assert status_now(log, NOW - 60, NOW, perhaps).label == "working"
    assert status_now(log, NOW - 180, NOW, perhaps).label == "working?"


@pytest.mark.parametrize(
    ("state", "hours", "needs"),
    [
        (SessionState.NEEDS_APPROVAL, 100, 1),
        (SessionState.NEEDS_ANSWER, 100, 1),
        (SessionState.YOUR_TURN, 7.9, 1),
        (SessionState.YOUR_TURN, 8.1, 0),
        (SessionState.FAILED, 7.9, 1),
        (SessionState.FAILED, 100, 0),
        (SessionState.INTERRUPTED, 0.1, 0),
        (SessionState.LIMITED, 0.1, 0),
        (SessionState.WORKING, 0.1, 0),
    ],
)
def test_who_is_counted_as_needing_you(state: SessionState, hours: float, needs: int) -> None:
    status = SessionStatus(state, NOW - hours * 3600, StateEvidence.LOG)
    fields = counts([status], NOW)
    assert (fields["live"], fields["needs"], fields[state.value]) == (1, needs, 1)


@pytest.mark.parametrize(("certain", "label"), [(False, "working"), (True, "your-turn")])
def test_a_hook_holds_against_a_message_that_may_not_be_the_last(certain: bool, label: str) -> None:
    log = SessionStatus(SessionState.YOUR_TURN, NOW, StateEvidence.LOG, certain=certain)
    client = ClientFacts(True, StateEvidence.HOOKS, activity=Activity.BUSY, since=NOW - 60)
    assert status_now(log, NOW, NOW, client).label == label


@pytest.mark.parametrize(
    ("certain", "evidence"), [(False, StateEvidence.REGISTRY), (True, StateEvidence.LOG)]
)
def test_an_idle_client_makes_the_end_of_a_turn_certain(
    certain: bool, evidence: StateEvidence
) -> None:
    log = SessionStatus(SessionState.YOUR_TURN, NOW, StateEvidence.LOG, certain=certain)
    client = ClientFacts(True, StateEvidence.REGISTRY, activity=Activity.IDLE, since=NOW)
    status = status_now(log, NOW, NOW, client)
    assert (status.label, status.evidence) == ("your-turn", evidence)
