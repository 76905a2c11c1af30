"""Cards of what outlasts a turn: schedules, messages, goals, reviews."""

from msgspec.structs import replace

from agentview.domain.tool_inputs import (
    Finding,
    Goal,
    GoalAction,
    GoalPayload,
    Payload,
    ReviewPayload,
    ScheduleAction,
    ScheduledJob,
    SchedulePayload,
    Timing,
    TopicPayload,
)
from agentview.domain.tool_results import GoalResult, Result, ScheduleResult
from agentview.domain.tools import ToolKind, ToolState
from agentview.timeline.view.activity.file_location import file_place
from agentview.timeline.view.detail_levels import DetailLevel
from tests.ui.activities import CALLS, CWD, START, TOPIC, activity
from tests.ui.tools.test_lists import rows, view


def planned(payload: Payload, result: Result | None = None) -> list[str]:
    call = replace(CALLS[ToolKind.SCHEDULE], payload=payload, result=result)
    return rows(call, width=120)


def _job(**timing: object) -> SchedulePayload:
    made = Timing(**timing)  # pyright: ignore[reportArgumentType]
    return SchedulePayload(ScheduleAction.CREATE, ScheduledJob(made, prompt="look"))


def test_the_next_run_is_computed_where_the_client_did_not_say_it() -> None:
    assert planned(_job(cron="0 9 * * 4", zone="Europe/Berlin", recurring=True)) == [
        "when       at 09:00 on Thursday, Europe/Berlin (0 9 * * 4), recurring",
        "next run   2025-11-13 08:00 (computed)",
        "prompt     look",
    ]
    assert planned(_job(cron="0 9 * * 4", recurring=False))[:2] == [
        "when       at 09:00 on Thursday (0 9 * * 4), once",
        "next run   2025-11-13 09:00 (computed, as if in the time zone of this machine)",
    ]
    assert planned(_job(delay=300.0, recurring=False))[:2] == [
        "when       in 5m",
        "next run   2025-11-13 02:18 (computed)",
    ]


def test_a_time_that_is_not_understood_stays_as_it_is() -> None:
    assert planned(_job(cron="61 * * * *", recurring=True)) == [
        "when       61 * * * *, recurring",
        "prompt     look",
    ]
    assert planned(_job(words="when it rains"))[0] == "when       when it rains"


def test_a_list_has_each_job() -> None:
    jobs = (
        ScheduledJob(Timing(every=5_400.0, recurring=True), "j1", prompt="look\nagain"),
        ScheduledJob(Timing(at=START), "j2", "news", next_run=START),
    )
    call = replace(
        CALLS[ToolKind.SCHEDULE],
        payload=SchedulePayload(ScheduleAction.LIST),
        result=ScheduleResult(jobs),
    )
    shown = view(call)
    assert "list  2 jobs" in shown.strips(0, 1)[0].text
    assert rows(call) == [
        "• j1  every 1h 30m",
        "  look",
        "  again",
        "• j2  2025-11-13 02:13  next run 2025-11-13 02:13",
        "  news",
    ]
    assert rows(call, DetailLevel.SUMMARY) == [
        "• j1  every 1h 30m  look",
        "• j2  2025-11-13 02:13  news",
    ]
    none = replace(call, result=ScheduleResult())
    assert "no jobs" in view(none).strips(0, 1)[0].text


def test_what_is_cancelled_is_named() -> None:
    payload = SchedulePayload(ScheduleAction.CANCEL, ScheduledJob(id="j1"))
    call = replace(CALLS[ToolKind.SCHEDULE], payload=payload, result=None)
    assert "cancel  j1" in view(call).strips(0, 1)[0].text


def _title(payload: Payload, result: Result | None, kind: ToolKind) -> str:
    return view(replace(CALLS[kind], payload=payload, result=result)).strips(0, 1)[0].text


def test_a_goal_is_said_with_its_status_and_budget() -> None:
    asked = GoalPayload(GoalAction.SET, Goal("no test fails", budget="20 turns"), "asked for")
    assert "no test fails  20 turns" in _title(asked, None, ToolKind.GOAL)
    call = replace(CALLS[ToolKind.GOAL], payload=asked, result=None)
    assert rows(call) == ["goal       no test fails", "budget     20 turns", "note       asked for"]
    ended = GoalPayload(GoalAction.UPDATE, Goal(status="complete"))
    known = GoalResult(Goal("no test fails", "complete", tokens_used=1_370))
    assert "update  no test fails  complete · 1.4k tokens" in _title(ended, known, ToolKind.GOAL)
    assert "at most 9 tokens" in _title(
        GoalPayload(GoalAction.SET, Goal("x", token_budget=9)), None, ToolKind.GOAL
    )
    none = _title(GoalPayload(GoalAction.GET), GoalResult(), ToolKind.GOAL)
    assert "get  no goal" in none


def test_a_review_says_what_is_grave_and_where() -> None:
    finding = Finding("off by one", f"{CWD}/a.py", 7, "1")
    call = replace(CALLS[ToolKind.REVIEW], payload=ReviewPayload((finding,), "nearly right"))
    assert "a.py:7  off by one  1 p1" in view(call).strips(0, 1)[0].text
    assert rows(call, DetailLevel.SUMMARY) == ["nearly right", "p1        a.py:7  off by one"]
    place = file_place(activity(call))
    assert place is not None
    assert (place.path, place.line) == (f"{CWD}/a.py", 7)
    unrated = ReviewPayload((Finding("a"), Finding("b")))
    assert "2 findings" in _title(unrated, None, ToolKind.REVIEW)
    assert "no findings" in _title(ReviewPayload(), None, ToolKind.REVIEW)


def test_a_topic_is_a_heading_with_its_text_below() -> None:
    title = view(TOPIC).strips(0, 1)[0].text
    assert "topic" in title
    assert "Correct the delay  The retry waits too long." in title
    assert "✓" not in title
    assert rows(TOPIC) == ["The retry waits too long.", "The test shows it."]
    failed = replace(TOPIC, ok=False, state=ToolState.OUTPUT_ERROR, error="no such topic")
    assert "✗" in view(failed).strips(0, 1)[0].text
    assert (
        "untitled"
        in view(replace(TOPIC, payload=TopicPayload(), provider_name="untitled"))
        .strips(0, 1)[0]
        .text
    )
