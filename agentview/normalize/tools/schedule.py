"""What runs later without anyone asking for it: jobs by cron, wake-ups, reminders."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import ScheduleAction, ScheduledJob, SchedulePayload, Timing
from agentview.domain.tool_results import ScheduleResult
from agentview.domain.tools import ToolCall
from agentview.normalize.json_fields import (
    Fields,
    collect,
    first,
    flag,
    items,
    mapping,
    real,
    text,
)
from agentview.normalize.json_values import changed, time_of
from agentview.normalize.output_text import value_of
from agentview.normalize.tools.specs import PayloadMaker
from agentview.normalize.tools.verbs import by_verb

WORDS: Mapping[ScheduleAction, str] = {
    ScheduleAction.CREATE: "add create loop make new register schedule set start",
    ScheduleAction.UPDATE: "edit modify patch reschedule update",
    ScheduleAction.CANCEL: "cancel clear delete remove stop unschedule",
    ScheduleAction.PAUSE: "disable pause suspend",
    ScheduleAction.RESUME: "enable resume unpause",
    ScheduleAction.RUN: "fire run trigger",
    ScheduleAction.LIST: "get list runs show status view",
}
"""Verbs of names of tools and of arguments, separated by spaces."""

_action_of = by_verb(WORDS)
_LONGEST = 100
"""Characters of an expression of cron."""
_CRON = re.compile(r"[\d*][\d*,/-]*(?:\s+[\w*,/#-]{1,40}){4,5}")
_SPAN = re.compile(r"(?P<every>every\s+)?(?P<count>\d{1,9}(?:\.\d{1,3})?)?\s*(?P<unit>[a-z]+)")
_UNITS: Mapping[str, float] = {
    name: seconds
    for names, seconds in (
        ("s sec secs second seconds", 1.0),
        ("m min mins minute minutes", 60.0),
        ("h hr hrs hour hours", 3600.0),
        ("d day days", 86_400.0),
        ("w week weeks", 604_800.0),
    )
    for name in names.split()
}
_ORDINALS = {
    "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
    "ninth": 9,
}  # fmt: skip
"""Steps that cronsim writes as words; others are digits, as in `15th`."""
_EVERY_MINUTES = re.compile(r"Every (\w+) minute(?: of every hour)?(?= from \d\d:| on | in |$)")
_EVERY_HOURS = re.compile(r"At minute (\d+) past every (\w+) hour(?= on | in |$)")
_WHEN = (
    "cron", "cron_expression", "cronExpression", "expression", "expr", "schedule", "when", "at",
    "run_at", "runAt", "run_once_at", "time", "datetime", "timestamp", "atMs", "fireAt", "rrule",
)  # fmt: skip
_EVERY = ("every", "interval")
_DELAY_SECONDS = ("delaySeconds", "delay_seconds", "delay", "in_seconds", "seconds")
_NEXT = (
    "nextFireAt", "nextRunAtMs", "nextRunAt", "next_run_at", "next_run", "nextRun",
    "scheduledFor", "scheduled_for",
)  # fmt: skip
_LISTS = ("jobs", "crons", "schedules", "tasks", "reminders", "wakeups")


def acting(action: ScheduleAction | None = None) -> PayloadMaker:
    """Build the maker for a tool of schedules; `action` holds unless the arguments name another."""
    return lambda fields: _payload(fields, action)


def _payload(fields: Fields, named: ScheduleAction | None) -> SchedulePayload:
    whole = _unfolded(fields)
    job = _job(whole)
    if job.timing is not None and job.timing.cron is not None and job.timing.recurring is None:
        # Clients say only of a job that runs once that it does.
        job = replace(job, timing=replace(job.timing, recurring=True))
    action = _action_of(fields, named)
    if action is None and job.timing is not None:
        action = ScheduleAction.CREATE
    if flag(fields, "stop", "cancel"):
        action = ScheduleAction.CANCEL
    return SchedulePayload(action, job, text(whole, "reason"))


def _unfolded(fields: Fields) -> Fields:
    """The arguments with those of the job, which some clients have in an object of its own."""
    inner = mapping(first(fields, "job", "patch", "body"))
    return changed(inner, fields) if inner else fields


def _job(fields: Fields) -> ScheduledJob:
    said = mapping(first(fields, "payload"))
    state = mapping(fields.get("state"))
    prompt = text(said, "message", "text", "prompt") if said else None
    return ScheduledJob(
        timing=_timing(fields),
        id=text(fields, "id", "job_id", "jobId", "task_id", "taskId", "trigger_id", "cron_id"),
        name=text(fields, "name", "title", "label"),
        prompt=prompt or text(fields, "prompt", "message", "text", "task", "instructions"),
        next_run=time_of(first(fields, *_NEXT) or first(state, *_NEXT)),
    )


def _timing(fields: Fields) -> Timing | None:
    """When it runs; None where nothing says so."""
    if schedule := mapping(fields.get("schedule")):
        fields = changed(fields, {"schedule": None, **schedule})
    made = _span_of(fields) or _written(text(fields, *_WHEN))
    if made is None:
        return None
    recurring = flag(fields, "recurring") if fields.get("recurring") is not None else None
    if recurring is None and (made.every is not None or made.delay is not None or made.at):
        recurring = made.every is not None
    return Timing(
        cron=made.cron,
        every=made.every,
        delay=made.delay,
        at=made.at,
        words=made.words,
        zone=text(fields, "tz", "timezone", "time_zone", "timeZone", "zone"),
        recurring=recurring,
    )


def _span_of(fields: Fields) -> Timing | None:
    """A time that is counted from another."""
    every = _seconds(fields, ("everyMs", "intervalMs"), ("intervalSeconds", "interval_seconds"))
    if every is None and (minutes := real(fields, "minutes", "interval_minutes")) is not None:
        every = minutes * 60
    if every is not None:
        return Timing(every=every)
    written = text(fields, *_EVERY)
    if written is not None:
        again = written if written.startswith("every") else f"every {written}"
        return _written(again)
    delay = _seconds(fields, ("delayMs", "delay_ms"), _DELAY_SECONDS)
    if delay is None and (minutes := real(fields, "delayMinutes", "delay_minutes")) is not None:
        delay = minutes * 60
    return Timing(delay=delay) if delay is not None else None


def _seconds(
    fields: Fields, milliseconds: tuple[str, ...], seconds: tuple[str, ...]
) -> float | None:
    found = real(fields, *milliseconds)
    return found / 1000 if found is not None else real(fields, *seconds)


def _written(said: str | None) -> Timing | None:
    """A time as clients write it: an expression of cron, a span, a moment."""
    if said is None or not (said := said.strip()):
        return None
    if len(said) <= _LONGEST and _CRON.fullmatch(said) is not None:
        return Timing(cron=said)
    span = _SPAN.fullmatch(said.lower()[:_LONGEST])
    unit = _UNITS.get(span["unit"]) if span is not None else None
    if span is not None and unit is not None:
        seconds = float(span["count"] or 1) * unit
        if span["every"]:
            return Timing(every=seconds)
        if span["count"]:
            return Timing(delay=seconds)
    moment = _moment(said)
    return Timing(at=moment) if moment is not None else Timing(words=said)


def _moment(said: str) -> float | None:
    """A moment whose zone is known: one without is that of another machine."""
    try:
        moment = datetime.fromisoformat(said)
    except ValueError:
        return time_of(said)
    return moment.timestamp() if moment.tzinfo is not None else None


def result(_call: ToolCall, outcome: ToolResult) -> ScheduleResult | None:
    """The jobs that a structured result or one in JSON has; None where it has none as such."""
    if outcome.ok is False:
        return None
    whole = value_of(outcome)
    fields = mapping(whole)
    listed = first(fields, *_LISTS)
    values = items(whole if listed is None else listed)
    if values or isinstance(listed, list):
        jobs = collect(values, _listed)
        # What is left out of a list would be lost.
        return ScheduleResult(jobs) if len(jobs) == len(values) else None
    made = _listed(_unfolded(fields))
    return ScheduleResult((made,)) if made is not None else None


def _listed(fields: Fields) -> ScheduledJob | None:
    """A job that says when it runs, or is known by an id."""
    job = _job(fields)
    known = job.timing is not None or job.next_run is not None or job.id is not None
    return job if known else None


def in_words(cron: str) -> str | None:
    """When an expression of cron runs; None for one that is not understood."""
    # Few sessions have a schedule.
    from cronsim import CronSim, CronSimError

    try:
        said = CronSim(cron, datetime(2000, 1, 1, tzinfo=UTC)).explain()
    except (CronSimError, ValueError):
        return None
    return _EVERY_HOURS.sub(_hours, _EVERY_MINUTES.sub(_minutes, said))


def _minutes(match: re.Match[str]) -> str:
    """`Every 5 minutes`; of steps that are not equal, as 7 in an hour, the words as they are."""
    step = _step(match[1])
    return f"Every {step} minutes" if step and not 60 % step else match[0]


def _hours(match: re.Match[str]) -> str:
    step = _step(match[2])
    if not step or 24 % step:
        return match[0]
    return f"Every {step} hours{f' at minute {match[1]}' if match[1] != '0' else ''}"


def _step(ordinal: str) -> int | None:
    digits = ordinal.rstrip("thndrs")
    return int(digits) if digits.isdecimal() else _ORDINALS.get(ordinal)


def next_run(timing: Timing, after: float) -> float | None:
    """When a cron expression next runs, in epoch seconds; None where that cannot be known.

    Without a zone it is the time of this machine.
    """
    from cronsim import CronSim, CronSimError

    if timing.cron is None:
        return None
    try:
        zone = ZoneInfo(timing.zone) if timing.zone else None
        moment = datetime.fromtimestamp(after, zone)
        return next(CronSim(timing.cron, moment)).timestamp()
    except (CronSimError, StopIteration, ValueError, KeyError, OSError, OverflowError):
        return None
