"""What will run in a session, and its goal, by the calls of real logs."""

from pathlib import Path
from typing import Any

import pytest

from agentview.domain.tool_inputs import ScheduledJob, Timing
from agentview.providers import load_provider
from agentview.system.paths import sample_sessions_dir
from agentview.timeline.view.overview.plans import Plan, Plans, next_time, plan_rows, plans_of
from tests.claude_log import BEGAN, ClaudeLog, write
from tests.providers.joined_log import joined

SAMPLES = sample_sessions_dir()


def plans(path: Path, provider: str = "claude_code") -> Plans:
    store = joined(load_provider(provider), path, backward=False)
    working = plans_of(store, *plan_rows(store))
    while True:
        try:
            next(working)
        except StopIteration as done:
            return done.value


def called(log: ClaudeLog, number: int, name: str, structured: Any, **given: Any) -> list[bytes]:
    call_id = f"c{number}"
    return [log.call(call_id, name, **given), log.result(call_id, "ok", structured)]


def cron(log: ClaudeLog, number: int, job: str, prompt: str) -> list[bytes]:
    answer = {"id": job, "humanSchedule": "Every 5 minutes", "recurring": True}
    given = {"cron": "*/5 * * * *", "prompt": prompt, "recurring": True}
    return called(log, number, "CronCreate", answer, **given)


def prompts(found: Plans) -> list[str | None]:
    return [plan.job.prompt for plan in found.jobs]


def test_jobs_stay_until_they_are_cancelled(tmp_path: Path) -> None:
    log = ClaudeLog()
    records = [log.prompt("go"), *cron(log, 1, "a1", "look"), *cron(log, 2, "b2", "tidy")]
    path = write(tmp_path / "log.jsonl", records)
    assert prompts(plans(path)) == ["look", "tidy"]
    records += called(log, 3, "CronDelete", {"id": "a1"}, id="a1")
    assert prompts(plans(write(path, records))) == ["tidy"]
    # A call that failed changes nothing.
    records += [log.call("x", "CronDelete", id="b2"), log.result("x", "no", is_error=True)]
    assert prompts(plans(write(path, records))) == ["tidy"]


def test_a_list_of_the_client_is_what_there_is(tmp_path: Path) -> None:
    log = ClaudeLog()
    records = [log.prompt("go"), *cron(log, 1, "a1", "look"), *cron(log, 2, "b2", "tidy")]
    job = {"id": "b2", "cron": "0 9 * * 1", "prompt": "tidy up", "nextFireAt": (BEGAN + 60) * 1000}
    records += called(log, 3, "CronList", {"jobs": [job]})
    (plan,) = plans(write(tmp_path / "log.jsonl", records)).jobs
    assert (plan.job.id, plan.job.prompt, plan.job.next_run) == ("b2", "tidy up", BEGAN + 60)
    assert plan.made is not None
    assert next_time(plan, BEGAN) == BEGAN + 60


def test_a_list_does_not_make_a_job_recur(tmp_path: Path) -> None:
    log = ClaudeLog()
    due = (BEGAN + 60) * 1000
    job = {"id": "a1", "cron": "*/1 * * * *", "prompt": "look", "nextFireAt": due}
    answer = {"id": "a1", "recurring": False, "nextFireAt": due}
    records = [
        log.prompt("go"),
        *called(log, 1, "CronCreate", answer, cron="*/1 * * * *", prompt="look", recurring=False),
        *called(log, 2, "CronList", {"jobs": [job]}),
    ]
    (plan,) = plans(write(tmp_path / "log.jsonl", records)).jobs
    assert next_time(plan, BEGAN + 86_400) == BEGAN + 60


def test_a_wake_up_is_once(tmp_path: Path) -> None:
    log = ClaudeLog()
    records = [log.prompt("go"), *cron(log, 1, "a1", "look")]
    records += called(log, 2, "ScheduleWakeup", None, delaySeconds=300, prompt="again")
    found = plans(write(tmp_path / "log.jsonl", records))
    assert prompts(found) == ["look", "again"]
    wake_up = found.jobs[1]
    assert wake_up.made is not None
    assert next_time(wake_up, BEGAN) == wake_up.made + 300
    assert next_time(wake_up, BEGAN + 9_000) == wake_up.made + 300
    records += called(log, 3, "ScheduleWakeup", None, stop=True)
    assert prompts(plans(write(tmp_path / "log.jsonl", records))) == ["look"]


@pytest.mark.parametrize(
    ("timing", "now", "expected"),
    [
        (Timing(every=60, recurring=True), BEGAN + 30, BEGAN + 60),
        (Timing(every=60, recurring=True), BEGAN + 61, BEGAN + 120),
        (Timing(at=BEGAN + 5, recurring=False), BEGAN + 30, BEGAN + 5),
        (Timing(cron="*/5 * * * *", zone="UTC", recurring=True), BEGAN + 1, BEGAN + 300),
        (Timing(cron="*/5 * * * *", zone="UTC", recurring=False), BEGAN + 900, BEGAN + 300),
        (Timing(words="when it rains"), BEGAN, None),
        (None, BEGAN, None),
    ],
)
def test_the_next_run(timing: Timing | None, now: float, expected: float | None) -> None:
    assert next_time(Plan(1, ScheduledJob(timing), BEGAN), now) == expected


def test_the_goal_is_that_of_the_newest_call_on_it() -> None:
    goal = plans(SAMPLES / "codex" / "demo.jsonl", "codex").goal
    assert goal is not None
    assert (goal[1].objective, goal[1].status) == ("Finish the mock scenario", "complete")
    assert (goal[1].token_budget, goal[1].tokens_used) == (50_000, 1_370)
    # A call that says nothing of a goal leaves it unknown.
    assert plans(SAMPLES / "qwen_code" / "printed" / "tools.jsonl", "qwen_code").goal is None
