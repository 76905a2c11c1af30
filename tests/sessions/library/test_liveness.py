import pytest
from msgspec.structs import replace

from agentview.domain.session_state import (
    Activity,
    ClientFacts,
    Group,
    SessionState,
    SessionStatus,
    StateEvidence,
    group_of,
    status_now,
)
from agentview.sessions.library.live_list import board_sessions, counts
from agentview.sessions.library.liveness import current_status, is_live, standing
from agentview.sessions.library.session_record import SessionFacts
from tests.sessions.library.listed import NOW, info


@pytest.mark.parametrize(
    ("state", "silence", "live", "in_sight"),
    [
        (SessionState.WORKING, 60.0, True, True),
        (SessionState.WORKING, 4_000.0, False, True),
        (SessionState.NEEDS_APPROVAL, 1_000.0, False, True),
        (SessionState.NEEDS_ANSWER, 5 * 86_400.0, False, True),
        (SessionState.YOUR_TURN, 60.0, True, True),
        (SessionState.YOUR_TURN, 400.0, False, True),
        (SessionState.YOUR_TURN, 8 * 86_400.0, False, False),
        (SessionState.ENDED, 1.0, False, False),
    ],
)
def test_live_is_what_was_written_just_now(
    state: SessionState, silence: float, live: bool, in_sight: bool
) -> None:
    session = info("x", NOW - silence, state)
    assert is_live(session, NOW) is live
    assert standing(session, NOW).in_sight is in_sight


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
    ("state", "hours", "live", "read", "group"),
    [
        (SessionState.NEEDS_APPROVAL, 100, True, True, Group.NEEDS_YOU),
        (SessionState.NEEDS_ANSWER, 7.9, False, False, Group.NEEDS_YOU),
        (SessionState.NEEDS_ANSWER, 8.1, False, False, Group.IDLE),
        (SessionState.FAILED, 7.9, False, True, Group.NEEDS_YOU),
        (SessionState.FAILED, 8.1, True, False, Group.IDLE),
        (SessionState.YOUR_TURN, 7.9, False, False, Group.DONE),
        (SessionState.YOUR_TURN, 7.9, True, True, Group.IDLE),
        (SessionState.YOUR_TURN, 8.1, True, False, Group.IDLE),
        (SessionState.INTERRUPTED, 0.1, True, False, Group.DONE),
        (SessionState.LIMITED, 0.1, True, False, Group.DONE),
        (SessionState.WORKING, 9, True, True, Group.WORKING),
        (SessionState.STARTING, 0.1, True, False, Group.WORKING),
        (SessionState.UNKNOWN, 1, False, False, Group.IDLE),
    ],
)
def test_what_a_session_means_for_its_person(
    state: SessionState, hours: float, live: bool, read: bool, group: Group
) -> None:
    status = SessionStatus(state, NOW - hours * 3600, StateEvidence.LOG)
    assert group_of(status, hours * 3600, live=live, read=read) is group
    of_two_hours = group_of(status, hours * 3600, live=live, read=read, idle_after=7200.0)
    assert of_two_hours in (group, Group.IDLE)


def test_counts_are_those_of_the_board() -> None:
    each = [
        SessionFacts(info("asks", NOW - 3600, SessionState.NEEDS_ANSWER)),
        SessionFacts(info("works", NOW - 9, SessionState.WORKING)),
        SessionFacts(info("done", NOW - 900, SessionState.YOUR_TURN)),
        SessionFacts(info("old", NOW - 90_000, SessionState.YOUR_TURN)),
        SessionFacts(info("older", NOW - 80_000, SessionState.NEEDS_ANSWER)),
        SessionFacts(info("gone", NOW - 1, SessionState.ENDED)),
    ]
    found = board_sessions(each, NOW)
    shown = [session.facts.info.ref.session_id for session in found]
    assert shown == ["asks", "works", "done", "old", "older"]
    fields = counts(found)
    assert [fields[name] for name in ("live", "needs", "done", "idle")] == [1, 1, 1, 2]
    assert (fields["needs-answer"], fields["your-turn"]) == (1, 1)


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
