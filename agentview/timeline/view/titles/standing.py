"""Titles of calls whose effect outlasts the turn: what is remembered, planned, sent, pursued."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from agentview.domain.activity import Activity
from agentview.domain.tool_inputs import (
    Finding,
    Goal,
    GoalAction,
    GoalPayload,
    MemoryPayload,
    MemoryStep,
    ReviewPayload,
    ScheduleAction,
    ScheduledJob,
    SchedulePayload,
    SendMessagePayload,
    Timing,
    TopicPayload,
)
from agentview.domain.tool_results import GoalResult, MemoryResult, Result, ScheduleResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.tools.schedule import in_words
from agentview.timeline.view.format_numbers import counted, date_time, exact_span, moment, tokens
from agentview.timeline.view.sanitize import first_line, one_line
from agentview.timeline.view.titles.text import Parts, shown_path


def memory_parts(call: ToolCall, _activity: Activity, cwd: str | None) -> Parts:
    """Action on the memory, its subject and place; the number of finds."""
    payload = call.payload
    if not isinstance(payload, MemoryPayload):
        return Parts("Memory", "")
    subject = _remembered(payload.steps[0], cwd) or call.name
    if len(payload.steps) > 1:
        subject += f"  and {counted(len(payload.steps) - 1, 'more change')}"
    if not isinstance(call.result, MemoryResult):
        return Parts("Memory", subject)
    found = len(call.result.found)
    return Parts("Memory", subject, f"{found:,} found" if found else "nothing found")


def _remembered(step: MemoryStep, cwd: str | None) -> str:
    said = first_line(step.text or step.before or "")
    parts = (step.action or "", said, memory_place(step, cwd, "in " if said else ""))
    return "  ".join(part for part in parts if part)


def memory_place(step: MemoryStep, cwd: str | None, before: str = "") -> str:
    """Where a step is done, behind the words `before`; empty where it does not say so."""
    if not step.place:
        return ""
    place = shown_path(step.place, cwd) if "/" in step.place else step.place
    return f"{before}{first_line(place)}"


def schedule_parts(call: ToolCall, activity: Activity, _cwd: str | None) -> Parts:
    """When it runs and what the agent is asked then; the next run, how many jobs there are."""
    payload = call.payload
    if not isinstance(payload, SchedulePayload):
        return Parts("Schedule", "")
    job, action = payload.job, payload.action
    verb = action if action is not None and action is not ScheduleAction.CREATE else ""
    asked = first_line(job.prompt or job.name or payload.reason or "")
    subject = "  ".join(
        part
        for part in (
            verb,
            (job.id or "") if verb else "",
            timing_words(job.timing) if job.timing is not None else "",
            asked,
        )
        if part
    )
    return Parts(
        "Schedule",
        subject or call.name,
        _planned(call.result, payload, activity),
    )


def _planned(result: Result | None, payload: SchedulePayload, activity: Activity) -> str:
    jobs = result.jobs if isinstance(result, ScheduleResult) else None
    if payload.action is ScheduleAction.LIST:
        return "" if jobs is None else counted(len(jobs), "job") if jobs else "no jobs"
    job = scheduled(payload, jobs or ())
    details = [repetition(job.timing)] if job.timing is not None else []
    if job.next_run is not None:
        since = activity.started if activity.started is not None else job.next_run
        details.append(f"next run {moment(job.next_run, since)}")
    return " · ".join(part for part in details if part)


def scheduled(payload: SchedulePayload, jobs: Sequence[ScheduledJob]) -> ScheduledJob:
    """The job of a call, with what the client answered of it."""
    job = payload.job
    if len(jobs) != 1:
        return job
    made = jobs[0]
    return ScheduledJob(
        timing=job.timing or made.timing,
        id=job.id or made.id,
        name=job.name or made.name,
        prompt=job.prompt or made.prompt,
        next_run=made.next_run if made.next_run is not None else job.next_run,
    )


def timing_words(timing: Timing) -> str:
    """When something runs: `at 09:00 on Monday`, `every 30m`, `in 5m`."""
    if timing.cron is not None:
        said = in_words(timing.cron)
        words = said[:1].lower() + said[1:] if said else timing.cron
        return f"{words}, {first_line(timing.zone, 60)}" if timing.zone else words
    if timing.every is not None:
        return f"every {exact_span(timing.every)}"
    if timing.delay is not None:
        return f"in {exact_span(timing.delay)}"
    return date_time(timing.at) if timing.at is not None else first_line(timing.words or "")


def repetition(timing: Timing) -> str:
    """`once` or `recurring`; empty where the words for the timing say it, or the log does not."""
    if timing.recurring is None or (timing.cron is None and timing.words is None):
        return ""
    return "recurring" if timing.recurring else "once"


def message_parts(call: ToolCall, _activity: Activity, _cwd: str | None) -> Parts:
    """To whom and what."""
    payload = call.payload
    if not isinstance(payload, SendMessagePayload):
        return Parts("Send", "")
    label = "Speak" if payload.spoken else "Send"
    said = first_line(payload.subject or "") or first_line(payload.text or "")
    sent = counted(len(payload.attachments), "attachment") if payload.attachments else ""
    parts = (first_line(payload.action or ""), addressee(payload), said)
    subject = "  ".join(part for part in parts if part)
    return Parts(label, subject or call.name, sent)


def addressee(payload: SendMessagePayload) -> str:
    """Who gets a message, and by which way: `to ana, telegram`; empty where nothing says so."""
    to, channel = first_line(payload.to or "", 80), first_line(payload.channel or "", 80)
    if not to:
        return f"to {channel}" if channel else ""
    return f"to {to}, {channel}" if channel else f"to {to}"


def goal_of(call: ToolCall) -> Goal:
    """The goal as it is after the call; by its arguments where the client did not say it."""
    payload, result = call.payload, call.result
    asked = payload.goal if isinstance(payload, GoalPayload) else Goal()
    if not isinstance(result, GoalResult) or result.goal is None:
        return asked
    known = result.goal
    return Goal(
        objective=known.objective or asked.objective,
        status=known.status or asked.status,
        criterion=known.criterion or asked.criterion,
        budget=asked.budget or known.budget,
        token_budget=asked.token_budget if known.token_budget is None else known.token_budget,
        tokens_used=known.tokens_used,
        time_used=known.time_used,
    )


def goal_tokens(goal: Goal) -> str:
    """Tokens that were used, and those that may be: `1.4k of 50k tokens`; empty for neither."""
    if goal.token_budget is None:
        return f"{tokens(goal.tokens_used)} tokens" if goal.tokens_used is not None else ""
    used = f"{tokens(goal.tokens_used)} of " if goal.tokens_used is not None else "at most "
    return f"{used}{tokens(goal.token_budget)} tokens"


def goal_parts(call: ToolCall, _activity: Activity, _cwd: str | None) -> Parts:
    """The objective; its status and what it took."""
    payload = call.payload
    if not isinstance(payload, GoalPayload):
        return Parts("Goal", "")
    goal = goal_of(call)
    if isinstance(call.result, GoalResult) and call.result.goal is None:
        return Parts("Goal", payload.action or "get", "no goal")
    verb = "" if payload.action in (None, GoalAction.SET) else payload.action
    subject = "  ".join(part for part in (verb, first_line(goal.objective or "")) if part)
    facts = (goal.status.replace("_", " ") if goal.status else "", goal.budget, goal_tokens(goal))
    return Parts(
        "Goal",
        subject or call.name,
        " · ".join(one_line(fact, 60) for fact in facts if fact),
    )


def review_parts(call: ToolCall, _activity: Activity, cwd: str | None) -> Parts:
    """The first finding, which is the gravest, with its place; how many there are."""
    payload = call.payload
    if not isinstance(payload, ReviewPayload):
        return Parts("Review", "")
    if not payload.findings:
        subject = first_line(payload.summary or "") or call.name
        return Parts("Review", subject, "no findings")
    item = payload.findings[0]
    place = shown_path(item.path, cwd) if item.path else ""
    if place and item.line is not None:
        place += f":{item.line}"
    subject = "  ".join(part for part in (place, first_line(item.message)) if part)
    counts = Counter(severity_word(item) for item in payload.findings)
    if set(counts) == {_UNRATED}:
        return Parts("Review", subject, counted(len(payload.findings), _UNRATED))
    return Parts("Review", subject, ", ".join(f"{n:,} {word}" for word, n in counts.items()))


_UNRATED = "finding"


def severity_word(item: Finding) -> str:
    """The severity in a word; a priority, which is a number, as `p1`."""
    said = one_line(item.severity or "", 40).lower().replace("_", " ")
    return f"p{said}" if said.isdigit() else said or _UNRATED


def topic_parts(call: ToolCall, _activity: Activity, _cwd: str | None) -> Parts:
    """The topic that the agent turns to, then more about it."""
    payload = call.payload if isinstance(call.payload, TopicPayload) else TopicPayload()
    title, more = first_line(payload.title or ""), first_line(payload.text or "")
    return Parts("topic", title or more or call.name, more if title else "")


STANDING_TITLES: Mapping[ToolKind, Callable[[ToolCall, Activity, str | None], Parts]] = {
    ToolKind.MEMORY: memory_parts,
    ToolKind.SCHEDULE: schedule_parts,
    ToolKind.SEND_MESSAGE: message_parts,
    ToolKind.GOAL: goal_parts,
    ToolKind.REVIEW: review_parts,
}
