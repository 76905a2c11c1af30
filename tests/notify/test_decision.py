"""Which changes of a session's state notify, once, in clean words."""

import pytest
from msgspec.structs import replace

from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.domain.session_state import SessionState, SessionStatus, StateEvidence
from agentview.notify.decision import (
    FRESH,
    Notice,
    NotificationRules,
    Source,
    Subject,
    is_wanted,
)
from agentview.settings.values import NotifyScope, NotifySettings

SUBJECT = Subject(SessionRef("codex", "s-1", "/logs/s-1.jsonl"), "Fix the parser", "/home/a/shop")
NOW = 10_000.0
WORKING, APPROVAL, ANSWER, TURN, LIMITED, FAILED, INTERRUPTED, ENDED, UNKNOWN = (
    SessionState.WORKING,
    SessionState.NEEDS_APPROVAL,
    SessionState.NEEDS_ANSWER,
    SessionState.YOUR_TURN,
    SessionState.LIMITED,
    SessionState.FAILED,
    SessionState.INTERRUPTED,
    SessionState.ENDED,
    SessionState.UNKNOWN,
)


def _status(state: SessionState, since: float | None = NOW, **more: object) -> SessionStatus:
    more = {"about": "rm -rf build"} | more if state in (APPROVAL, ANSWER) else more
    return SessionStatus(state, since, StateEvidence.LOG, **more)  # pyright: ignore[reportArgumentType]


def _after(
    *statuses: SessionStatus, source: Source = Source.OPEN, now: float = NOW
) -> list[Notice]:
    rules = NotificationRules(NOW)
    found: list[Notice] = []
    for status in statuses:
        notice = rules.take(SUBJECT, status, source, now)
        if notice is not None:
            rules.record(notice)
            found.append(notice)
    return found


@pytest.mark.parametrize("state", SessionState)
def test_the_first_state_of_a_session_is_no_change(state: SessionState) -> None:
    assert _after(_status(state, NOW - 1)) == []


@pytest.mark.parametrize("state", [APPROVAL, ANSWER])
def test_a_request_of_a_session_that_is_new_notifies(state: SessionState) -> None:
    (found,) = _after(_status(state))
    assert (found.before, found.facts()["before"]) == (SessionState.STARTING, "starting")


@pytest.mark.parametrize(
    ("state", "title"),
    [
        (APPROVAL, "needs approval: Fix the parser"),
        (ANSWER, "asks you: Fix the parser"),
        (TURN, "your turn after 2m: Fix the parser"),
        (LIMITED, "limited: Fix the parser"),
        (FAILED, "failed: Fix the parser"),
        (ENDED, "ended: Fix the parser"),
        (INTERRUPTED, None),
        (UNKNOWN, None),
    ],
)
def test_what_needs_its_person_notifies(state: SessionState, title: str | None) -> None:
    found = _after(_status(WORKING, NOW - 120), _status(state, about="rm -rf build"))
    assert [notice.title for notice in found] == ([title] if title else [])
    assert all(notice.text == "rm -rf build (shop)" for notice in found)


def test_a_state_notifies_once_and_again_when_it_is_come_into_again() -> None:
    asks = _status(APPROVAL)
    again = _status(APPROVAL, NOW + 9)
    assert len(_after(_status(WORKING), asks, asks, _status(WORKING), asks)) == 1
    assert len(_after(_status(WORKING), asks, _status(WORKING), again)) == 2


def test_each_request_notifies_once() -> None:
    first = _status(APPROVAL, about="rm -rf build", agent="Cleans up")
    second = _status(APPROVAL, about="make install")
    unnamed = _status(APPROVAL, about=None)
    notices = _after(_status(WORKING), unnamed, first, first, second, second, first)
    assert [notice.text for notice in notices] == [
        "Cleans up: rm -rf build (shop)",
        "make install (shop)",
        "Cleans up: rm -rf build (shop)",
    ]
    assert [notice.facts()["agent"] for notice in notices] == ["Cleans up", None, "Cleans up"]


def test_a_request_waits_a_second_for_what_it_is_about() -> None:
    rules, unnamed = NotificationRules(NOW), _status(APPROVAL, about=None)
    rules.take(SUBJECT, _status(WORKING), Source.OPEN, NOW)
    assert rules.held(SUBJECT) is None
    assert rules.take(SUBJECT, unnamed, Source.OPEN, NOW) is None
    assert rules.held(SUBJECT) == (unnamed, Source.OPEN, NOW + 1.0)
    assert rules.take(SUBJECT, unnamed, Source.OPEN, NOW + 0.9) is None
    notice = rules.take(SUBJECT, unnamed, Source.OPEN, NOW + 1.0)
    assert notice is not None
    assert notice.text == "in shop"
    assert rules.held(SUBJECT) is None
    # What is over before that is not said.
    rules.take(SUBJECT, _status(WORKING), Source.OPEN, NOW + 2)
    assert rules.take(SUBJECT, unnamed, Source.OPEN, NOW + 3) is None
    assert rules.take(SUBJECT, _status(WORKING), Source.OPEN, NOW + 3.5) is None
    assert rules.held(SUBJECT) is None


def test_what_is_not_certain_or_long_ago_does_not_notify() -> None:
    for state in (TURN, LIMITED, FAILED, ENDED):
        assert _after(_status(WORKING), _status(state, certain=False)) == []
    assert _after(_status(WORKING), _status(APPROVAL), now=NOW + FRESH + 1) == []
    assert _after(_status(TURN), _status(ENDED)) == []


def test_a_turn_that_is_over_for_certain_notifies_with_the_time_of_all_the_work() -> None:
    unsure = _status(TURN, NOW - 60, certain=False)
    (found,) = _after(_status(WORKING, NOW - 120), unsure, _status(TURN))
    assert (found.before, found.status) == (WORKING, _status(TURN))
    assert found.worked == 120
    # The agent went on before its turn was over.
    (found,) = _after(
        _status(WORKING, NOW - 120), unsure, _status(WORKING, NOW - 120), _status(TURN)
    )
    assert found.worked == 120


def _inferred(since: float = NOW, call: str = "c1", **more: object) -> SessionStatus:
    status = _status(APPROVAL, since, certain=False, call=call, **more)
    return replace(status, evidence=StateEvidence.PROCESS)


@pytest.mark.parametrize(
    ("status", "due"),
    [
        (_inferred(), NOW + 0.8),
        # A tool that may also run for long.
        (_inferred(may_last=True), NOW + 10.0),
        (_inferred(about=None), NOW + 1.0),
        (replace(_inferred(), since=None), NOW + 0.8),
        # Its client says that it waits.
        (replace(_inferred(), evidence=StateEvidence.HOOKS), NOW),
        (replace(_inferred(), certain=True), NOW),
    ],
)
def test_an_inferred_request_notifies_once_its_evidence_has_stood(
    status: SessionStatus, due: float
) -> None:
    rules = NotificationRules(NOW)
    rules.take(SUBJECT, _status(WORKING), Source.OPEN, NOW)
    if due > NOW:
        assert rules.take(SUBJECT, status, Source.OPEN, NOW) is None
        assert rules.held(SUBJECT) == (status, Source.OPEN, due)
        assert rules.take(SUBJECT, status, Source.OPEN, due - 0.01) is None
    notice = rules.take(SUBJECT, status, Source.OPEN, due)
    assert notice is not None
    words = "needs approval" if status.certain else "may need approval"
    assert (notice.title, notice.facts()["certain"]) == (
        f"{words}: Fix the parser", status.certain
    )  # fmt: skip
    assert rules.held(SUBJECT) is None


def test_a_call_that_turns_out_to_run_does_not_notify() -> None:
    rules = NotificationRules(NOW)
    rules.take(SUBJECT, _status(WORKING), Source.OPEN, NOW)
    assert rules.take(SUBJECT, _inferred(), Source.OPEN, NOW + 0.3) is None
    assert rules.take(SUBJECT, _status(WORKING), Source.OPEN, NOW + 0.6) is None
    assert rules.held(SUBJECT) is None


def test_a_request_is_the_same_however_it_is_known() -> None:
    certain = _status(APPROVAL, NOW + 3.2, about="sh -c 'rm -rf build'", call="c1")
    (found,) = _after(
        _status(WORKING), _inferred(), certain, _status(WORKING), certain, now=NOW + 4
    )
    assert not found.status.certain
    # Of another program, which learned of it by a hook.
    (other,) = _after(_status(WORKING), certain, now=NOW + 4)
    assert other.occasion == found.occasion
    # Two in one second are two, in the same words too.
    first, second = _after(
        _status(WORKING), _inferred(call="c1"), _inferred(call="c2"), now=NOW + 4
    )
    assert first.occasion != second.occasion
    assert [first.began, second.began] == [None, None]
    assert first.text == second.text


def test_the_begin_of_a_state_is_no_part_of_its_occasion() -> None:
    (one,) = _after(_status(WORKING, NOW - 60), _status(TURN, NOW))
    (other,) = _after(_status(WORKING, NOW - 60), _status(TURN, NOW + 0.2))
    assert one.occasion == other.occasion
    assert (one.began, other.began) == (NOW, NOW + 0.2)


def test_the_work_counts_from_the_prompt_through_approvals() -> None:
    (first, turn) = _after(
        _status(WORKING, NOW - 300), _status(APPROVAL, NOW - 200), _status(WORKING, NOW - 100),
        _status(TURN),
    )  # fmt: skip
    assert (first.worked, turn.worked) == (None, 300.0)


def test_settings_say_which_sessions_and_how_long_a_turn() -> None:
    (notice,) = _after(_status(WORKING, NOW - 20), _status(TURN))
    settings = NotifySettings()
    assert not is_wanted(notice, Source.OPEN, settings)
    assert is_wanted(notice, Source.OPEN, replace(settings, after=20))
    assert not is_wanted(notice, Source.BOARD, replace(settings, after=0))
    every = NotifySettings(NotifyScope.ALL, after=0)
    assert is_wanted(notice, Source.LIBRARY, every)
    assert not is_wanted(notice, Source.OPEN, replace(every, scope=NotifyScope.OFF))


def test_who_knows_less_is_heard_once_the_other_is_gone() -> None:
    rules = NotificationRules(NOW)
    rules.take(SUBJECT, _status(WORKING), Source.OPEN, NOW)
    assert rules.take(SUBJECT, _status(APPROVAL), Source.LIBRARY, NOW) is None
    rules.release(SUBJECT, Source.OPEN)
    assert rules.take(SUBJECT, _status(APPROVAL), Source.LIBRARY, NOW) is not None


def test_agents_do_not_notify() -> None:
    rules = NotificationRules(NOW)
    agent = replace(SUBJECT, ref=replace(SUBJECT.ref, stream=Stream(StreamKind.SUBAGENT, "a")))
    for state in (WORKING, APPROVAL):
        assert rules.take(agent, _status(state), Source.OPEN, NOW) is None


def test_the_count_is_of_who_asks_and_of_what_ended_unseen() -> None:
    rules = NotificationRules(NOW)
    rules.take(SUBJECT, _status(APPROVAL), Source.OPEN, NOW)
    other = replace(SUBJECT, ref=replace(SUBJECT.ref, session_id="s-2"))
    rules.take(other, _status(WORKING), Source.LIBRARY, NOW)
    notice = rules.take(other, _status(TURN), Source.LIBRARY, NOW)
    counts = [rules.waiting(scope) for scope in NotifyScope]
    assert counts == [1, 1, 0]
    assert notice is not None
    rules.record(notice)
    assert rules.waiting(NotifyScope.ALL) == 2
    rules.looked()
    assert rules.waiting(NotifyScope.ALL) == 1


def test_hostile_text_is_clean_in_words_and_facts() -> None:
    evil = "\x1b]0;x\x07\x9b31m a\nb \u202e\r\ud800"
    subject = replace(SUBJECT, title=evil, project=evil)
    rules = NotificationRules(NOW)
    rules.take(subject, _status(WORKING), Source.OPEN, NOW)
    notice = rules.take(subject, _status(APPROVAL, about=evil * 900), Source.OPEN, NOW)
    assert notice is not None
    facts = notice.facts()
    for text in (notice.title, notice.text, facts["title"], facts["about"]):
        assert isinstance(text, str)
        assert text.isprintable()
        assert len(text) < 500
