"""What runs later: what clients call it, when it runs, what they answer."""

from datetime import UTC, datetime

import pytest

from agentview.domain.content import TextBlock
from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import ScheduleAction, ScheduledJob, SchedulePayload, Timing
from agentview.domain.tool_results import ScheduleResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.build import attach_result, tool_call
from agentview.normalize.classify import classify
from agentview.normalize.json_fields import Fields
from agentview.normalize.tools.schedule import in_words, next_run

CREATE, UPDATE, CANCEL, PAUSE, RESUME, RUN, LIST = ScheduleAction
NEW_YEAR = datetime(2027, 1, 1, tzinfo=UTC).timestamp()


def _call(name: str, arguments: Fields) -> ToolCall:
    return tool_call(call_id="1", name=name, arguments=arguments, spec=None)


CALLS: list[tuple[str, Fields, SchedulePayload]] = [
    (
        "CronCreate",
        {"cron": "0 0 1 1 *", "prompt": "look", "recurring": False},
        SchedulePayload(
            CREATE, ScheduledJob(Timing(cron="0 0 1 1 *", recurring=False), prompt="look")
        ),
    ),
    (
        "cron_create",
        {"cron": "*/5 * * * *", "prompt": "look"},
        SchedulePayload(
            CREATE, ScheduledJob(Timing(cron="*/5 * * * *", recurring=True), prompt="look")
        ),
    ),
    ("cron_list", {}, SchedulePayload(LIST)),
    ("CronDelete", {"id": "6bf0"}, SchedulePayload(CANCEL, ScheduledJob(id="6bf0"))),
    (
        "ScheduleWakeup",
        {"delaySeconds": 300, "reason": "the build", "prompt": "look"},
        SchedulePayload(
            CREATE, ScheduledJob(Timing(delay=300, recurring=False), prompt="look"), "the build"
        ),
    ),
    ("ScheduleWakeup", {"stop": True}, SchedulePayload(CANCEL)),
    (
        "loop_wakeup",
        {"delaySeconds": 60, "prompt": "look"},
        SchedulePayload(CREATE, ScheduledJob(Timing(delay=60, recurring=False), prompt="look")),
    ),
    ("cancel_wakeup", {"id": "1"}, SchedulePayload(CANCEL, ScheduledJob(id="1"))),
    (
        "cronjob",
        {"action": "create", "schedule": "every 2h", "prompt": "look", "name": "news"},
        SchedulePayload(
            CREATE, ScheduledJob(Timing(every=7_200, recurring=True), None, "news", "look")
        ),
    ),
    (
        "cronjob",
        {"action": "pause", "job_id": "j1"},
        SchedulePayload(PAUSE, ScheduledJob(id="j1")),
    ),
    (
        "cron",
        {
            "action": "add",
            "job": {
                "name": "brief",
                "schedule": {"kind": "cron", "expr": "0 9 * * 1", "tz": "Europe/Berlin"},
                "payload": {"kind": "agentTurn", "message": "Brief me"},
            },
        },
        SchedulePayload(
            CREATE,
            ScheduledJob(
                Timing(cron="0 9 * * 1", zone="Europe/Berlin", recurring=True),
                name="brief",
                prompt="Brief me",
            ),
        ),
    ),
    (
        "cron",
        {"action": "add", "job": {"schedule": {"kind": "every", "everyMs": 90_000}}},
        SchedulePayload(CREATE, ScheduledJob(Timing(every=90, recurring=True))),
    ),
    (
        "cron",
        {"action": "add", "job": {"schedule": {"kind": "at", "at": "2027-01-01T00:00:00Z"}}},
        SchedulePayload(CREATE, ScheduledJob(Timing(at=NEW_YEAR, recurring=False))),
    ),
    ("cron", {"action": "runs", "jobId": "j1"}, SchedulePayload(LIST, ScheduledJob(id="j1"))),
    (
        "cron",
        {
            "action": "update",
            "jobId": "j1",
            "patch": {"schedule": {"kind": "cron", "expr": "0 7 * * *"}},
        },
        SchedulePayload(UPDATE, ScheduledJob(Timing(cron="0 7 * * *", recurring=True), "j1")),
    ),
    # A name alone, times of which the zone is not known, and words that mean no time.
    (
        "set_reminder",
        {"message": "tea", "at": "2027-01-01T09:00"},
        SchedulePayload(CREATE, ScheduledJob(Timing(words="2027-01-01T09:00"), prompt="tea")),
    ),
    (
        "create_scheduled_task",
        {"schedule": "when it rains"},
        SchedulePayload(CREATE, ScheduledJob(Timing(words="when it rains"))),
    ),
    ("listScheduledTasks", {}, SchedulePayload(LIST)),
    ("cron", {}, SchedulePayload()),
    (
        "cron",
        {"action": "sing", "schedule": "30m"},
        SchedulePayload(CREATE, ScheduledJob(Timing(delay=1_800, recurring=False))),
    ),
]


@pytest.mark.parametrize(("name", "arguments", "payload"), CALLS)
def test_what_is_planned(name: str, arguments: Fields, payload: SchedulePayload) -> None:
    call = _call(name, arguments)
    assert (call.kind, call.canonical_name) == (ToolKind.SCHEDULE, name)
    assert call.payload == payload


@pytest.mark.parametrize(
    "name", ["get_flight_schedule", "schedule", "create_schedule", "wake_on_lan"]
)
def test_other_tools_have_such_words_in_their_names(name: str) -> None:
    assert classify(name, {}).kind is ToolKind.UNKNOWN


RESULTS: list[tuple[object, str, ScheduleResult | None]] = [
    (
        {
            "id": "6bf0",
            "humanSchedule": "0 0 1 1 *",
            "recurring": False,
            "nextFireAt": NEW_YEAR * 1000,
        },
        "",
        ScheduleResult((ScheduledJob(id="6bf0", next_run=NEW_YEAR),)),
    ),
    (
        {
            "jobs": [
                {"id": "6bf0", "cron": "0 0 1 1 *", "prompt": "look", "nextFireAt": NEW_YEAR * 1000}
            ]
        },
        "",
        ScheduleResult((ScheduledJob(Timing(cron="0 0 1 1 *"), "6bf0", None, "look", NEW_YEAR),)),
    ),
    (
        None,
        '{"job": {"id": "j1", "state": {"nextRunAtMs": 1798761600000}}}',
        ScheduleResult((ScheduledJob(id="j1", next_run=NEW_YEAR),)),
    ),
    (None, '{"jobs": []}', ScheduleResult()),
    (
        {"scheduledFor": NEW_YEAR * 1000, "clampedDelaySeconds": 60},
        "",
        ScheduleResult((ScheduledJob(next_run=NEW_YEAR),)),
    ),
    # What is not understood as a whole stays as it came.
    ({"jobs": [{"id": "1"}, {"odd": 1}]}, "", None),
    (None, "Scheduled. Next run: Dec 31", None),
    (None, '{"success": true}', None),
]


@pytest.mark.parametrize(("structured", "said", "result"), RESULTS)
def test_what_was_planned(structured: object, said: str, result: ScheduleResult | None) -> None:
    outcome = ToolResult("1", True, (TextBlock(said),), structured=structured)
    assert attach_result(_call("CronCreate", {}), outcome).result == result


@pytest.mark.parametrize(
    ("cron", "words"),
    [
        ("0 9 * * 1-5", "At 09:00 on Monday through Friday"),
        ("*/5 * * * *", "Every 5 minutes"),
        ("*/10 * * * 1", "Every 10 minutes on Monday"),
        ("*/15 9-17 * * 1-5", "Every 15 minutes from 09:00 through 17:59 on Monday through Friday"),
        ("*/7 * * * *", "Every seventh minute of every hour"),
        ("5/10 * * * *", "Every 10th minute from 5 through 59 of every hour"),
        ("0 */2 * * *", "Every 2 hours"),
        ("30 */3 * * 0", "Every 3 hours at minute 30 on Sunday"),
        ("0 */5 * * *", "At minute 0 past every fifth hour"),
        ("* * * * *", "Every minute"),
        ("30 14 28 2 *", "At 14:30 on February 28"),
        ("0 0 30 2 *", None),
        ("61 * * * *", None),
        ("0 9 * * noday", None),
    ],
)
def test_an_expression_is_said_in_words(cron: str, words: str | None) -> None:
    assert in_words(cron) == words


def _at(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


@pytest.mark.parametrize(
    ("timing", "after", "run"),
    [
        (Timing(cron="0 9 * * 1"), "2026-11-29T10:00Z", "2026-11-30T09:00Z"),
        (
            Timing(cron="0 9 * * 1", zone="America/New_York"),
            "2026-11-29T10:00Z",
            "2026-11-30T14:00Z",
        ),
        # Clocks are turned on 28 March 2027.
        (Timing(cron="0 9 * * *", zone="Europe/Berlin"), "2027-03-27T12:00Z", "2027-03-28T07:00Z"),
        (Timing(cron="0 9 * * 1", zone="../../etc/passwd"), "2026-11-29T10:00Z", None),
        (Timing(cron="0 0 30 2 *"), "2026-11-29T10:00Z", None),
        (Timing(every=60), "2026-11-29T10:00Z", None),
    ],
)
def test_the_next_run_follows_from_the_expression(
    timing: Timing, after: str, run: str | None
) -> None:
    assert next_run(timing, _at(after)) == (_at(run) if run is not None else None)


def test_no_moment_is_beyond_a_calendar() -> None:
    assert next_run(Timing(cron="0 9 * * 1"), 1e17) is None
