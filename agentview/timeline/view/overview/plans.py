"""What will run in a session without anyone asking for it, and the goal that it pursues."""

import math
from collections.abc import Generator, Sequence

from msgspec.structs import replace

from agentview.domain.activity import Activity
from agentview.domain.tool_inputs import (
    Goal,
    GoalAction,
    GoalPayload,
    ScheduleAction,
    ScheduledJob,
    SchedulePayload,
)
from agentview.domain.tool_results import GoalResult, ScheduleResult
from agentview.domain.tools import ToolCall, ToolKind, ToolState
from agentview.domain.value import Value
from agentview.normalize.tools.schedule import next_run
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.view.titles.standing import goal_of, scheduled

_MOST = 256
"""Calls on schedules that are looked at, and those on goals, the newest ones."""


class Plan(Value):
    """A job that runs later; `row` is that of the call that made it or changed it last."""

    row: int
    job: ScheduledJob
    made: float | None
    """When that call was made, epoch seconds."""
    paused: bool = False


class Plans(Value):
    """The jobs of a session in the order of their calls, and its goal with the row of its call."""

    jobs: Sequence[Plan] = ()
    goal: tuple[int, Goal] | None = None


def plan_rows(log: SessionStore) -> tuple[Sequence[int], Sequence[int]]:
    """Rows of the newest calls on schedules and of those on goals, in order."""
    found = (log.of_kinds({kind}) for kind in (ToolKind.SCHEDULE, ToolKind.GOAL))
    schedules, goals = ([row for row in rows[-_MOST:] if log.shown(row)] for rows in found)
    return schedules, goals


def plans_of(
    log: SessionStore, schedules: Sequence[int], goals: Sequence[int]
) -> Generator[None, None, Plans]:
    """Plans that calls at these rows have left; pauses after each row."""
    jobs: dict[str, Plan] = {}
    for row in schedules:
        _take(jobs, row, log.activity(row))
        yield
    goal = None
    for row in reversed(goals):
        goal = _goal(row, log.activity(row), goal)
        if goal is None or goal[1].objective:
            break
        yield
    said = goal is not None and (goal[1].objective or goal[1].status or goal[1].criterion)
    return Plans(tuple(jobs.values()), goal if said else None)


def _take(jobs: dict[str, Plan], row: int, call: Activity) -> None:
    body = call.body
    if not isinstance(body, ToolCall) or not isinstance(body.payload, SchedulePayload):
        return
    if body.state is not ToolState.OUTPUT_AVAILABLE or body.ok is False:
        return
    payload, result = body.payload, body.result
    answered = result.jobs if isinstance(result, ScheduleResult) else ()
    key = payload.job.id
    if payload.action is ScheduleAction.LIST and isinstance(result, ScheduleResult):
        known = {name: plan for name, plan in jobs.items() if name in {job.id for job in answered}}
        jobs.clear()
        for number, job in enumerate(answered):
            name = job.id or f"{row}.{number}"
            plan = known.get(name, Plan(row, job, call.started))
            jobs[name] = replace(plan, job=_listed(job, plan.job))
    elif payload.action in (ScheduleAction.CREATE, ScheduleAction.UPDATE):
        job = scheduled(payload, answered)
        before = jobs.pop(job.id or "", None)
        if before is not None and job.timing is None:
            job = replace(job, timing=before.job.timing, prompt=job.prompt or before.job.prompt)
        jobs[job.id or str(row)] = Plan(row, job, call.started)
    elif payload.action is ScheduleAction.CANCEL:
        for name in [name for name, plan in jobs.items() if plan.job.id == key]:
            del jobs[name]
    elif payload.action in (ScheduleAction.PAUSE, ScheduleAction.RESUME) and key in jobs:
        jobs[key] = replace(jobs[key], paused=payload.action is ScheduleAction.PAUSE)


def _listed(job: ScheduledJob, before: ScheduledJob) -> ScheduledJob:
    """A job as a list of the client has it; what the list does not say is as it was before."""
    timing = job.timing or before.timing
    if timing is not None and timing.recurring is None and before.timing is not None:
        timing = replace(timing, recurring=before.timing.recurring)
    return replace(
        job, timing=timing, name=job.name or before.name, prompt=job.prompt or before.prompt
    )


def _goal(row: int, call: Activity, later: tuple[int, Goal] | None) -> tuple[int, Goal] | None:
    """The goal by a call on it, with what later calls said of it; None where there is none."""
    body = call.body
    if not isinstance(body, ToolCall) or not isinstance(body.payload, GoalPayload):
        return later
    cleared = body.payload.action is GoalAction.CLEAR
    if cleared or (isinstance(body.result, GoalResult) and body.result.goal is None):
        return None
    goal = goal_of(body)
    if later is None:
        return row, goal
    return later[0], replace(later[1], objective=goal.objective, criterion=goal.criterion)


def next_time(plan: Plan, now: float) -> float | None:
    """When a job runs next, epoch seconds: as the client said it, else computed.

    Of a job that runs once it may be past. None where that is not known.
    """
    job, made = plan.job, plan.made
    timing = job.timing
    once = timing is not None and (timing.recurring is False or timing.delay is not None)
    if job.next_run is not None and (once or job.next_run > now):
        return job.next_run
    if timing is None or timing.at is not None:
        return None if timing is None else timing.at
    if made is None:
        return None if once else next_run(timing, now)
    if timing.delay is not None:
        return made + timing.delay
    if timing.every:
        return made + timing.every * max(1, math.ceil((now - made) / timing.every))
    return next_run(timing, made if once else now)
