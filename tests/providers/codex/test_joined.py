"""Whole logs as they are shown: nothing twice, nothing lost, in whatever order they are read."""

import json
from pathlib import Path

import pytest

from agentview.domain.activity import Activity
from agentview.domain.content import TextBlock
from agentview.domain.events import Compaction, Message, ToolResult
from agentview.domain.tool_inputs import FileOperation, SubagentPayload
from agentview.domain.tool_results import ChangeResult, ShellResult, SubagentResult
from agentview.domain.tools import Denial, DeniedBy, ToolCall, ToolKind, ToolState
from agentview.domain.usage import Usage
from agentview.providers.codex import PROVIDER
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.view.titles.title import title_of
from tests.providers.codex.log import (
    AT,
    SAMPLES,
    Record,
    answered,
    called,
    finished,
    item,
    joined,
    report,
)
from tests.providers.joined_log import calls, shown, texts, write

LOGS = sorted(SAMPLES.rglob("*.jsonl"))
CODE_MODE = next((SAMPLES / "code_mode").glob("*f74e*.jsonl"))
AGENTS = next((SAMPLES / "agents").glob("*f722*.jsonl"))


def ids(activities: list[Activity]) -> list[str]:
    return [activity.first.id for activity in activities]


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_both_directions_show_the_same(path: Path):
    forward, backward = joined(path), joined(path, backward=True)
    assert ids(shown(forward)) == ids(shown(backward))
    assert forward.summary.usage == backward.summary.usage


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_every_result_has_its_call_and_no_call_stands_twice(path: Path):
    activities = shown(joined(path))
    assert not any(isinstance(activity.body, ToolResult) for activity in activities)
    names = list(calls(joined(path)))
    standing = [activity for activity in activities if hasattr(activity.body, "call_id")]
    assert len(names) == len({*names})
    assert len([a for a in standing if hasattr(a.body, "payload")]) == len(names)


def totals(path: Path) -> dict[str, int]:
    """The last totals that a log states of itself."""
    found: dict[str, int] = {}
    for line in path.read_text().splitlines():
        record: Record = json.loads(line)
        payload: Record = record.get("payload") or {}
        info: Record = payload.get("info") or {}
        found = info.get("total_token_usage") or found
    return found


@pytest.mark.parametrize("name", ["demo", "legacy", "compaction", "errors", "events", "image"])
def test_tokens_add_up_to_the_totals_of_the_log(name: str):
    path = SAMPLES / f"{name}.jsonl"
    usage = joined(path).summary.usage
    last = totals(path)
    inputs = (usage.input_uncached or 0) + (usage.input_cached or 0) + (usage.cache_write or 0)
    assert inputs == last["input_tokens"]
    assert usage.output == last["output_tokens"]


def test_a_generation_says_what_the_next_one_says():
    older, newer = (joined(SAMPLES / f"{name}.jsonl") for name in ("legacy", "demo"))
    assert texts(older)[:3] == texts(newer)[:3]
    for store in (older, newer):
        kinds = [call.kind for call in calls(store).values()]
        assert kinds.count(ToolKind.TODOS) == 3
        assert kinds.count(ToolKind.WEB_SEARCH) == 1
        assert store.summary.turns == 1


def test_a_patch_has_the_hunks_of_its_files():
    call = calls(joined(SAMPLES / "events.jsonl"))["call_patch"]
    assert isinstance(call.result, ChangeResult)
    change = call.result.files[0]
    assert change.operation is FileOperation.UPDATE
    assert change.hunks is not None
    assert (change.hunks[0].old_start, change.hunks[0].new_lines) == (1, 3)
    assert call.ok is True


def test_results_come_before_calls_and_several_for_one():
    found = calls(joined(SAMPLES / "events.jsonl"))
    assert found["call_early"].state is ToolState.OUTPUT_AVAILABLE
    run = found["call_run"]
    assert isinstance(run.result, ShellResult)
    assert (run.result.output, run.result.exit_code) == ("test 1 ok\ntest 2 failed\n", 1)
    assert run.state is ToolState.OUTPUT_ERROR
    (poll,) = run.polls
    assert poll.call_id == "call_poll"
    assert isinstance(poll.result, ShellResult)
    assert poll.result.output == "test 2 failed\n"


def test_a_script_has_all_its_outputs():
    made = (call.maker for call in calls(joined(CODE_MODE)).values() if call.maker is not None)
    script = next(maker for maker in made if "notify(" in maker.args_json)
    assert isinstance(script.result, ShellResult)
    output = script.result.output or ""
    assert [f"progress {i}" in output and f"loop {i}" in output for i in range(5)] == [True] * 5
    assert script.ok is True


def test_servers_are_told_in_three_ways():
    found = calls(joined(SAMPLES / "events.jsonl"))
    assert found["call_mcp"].kind is found["call_mcp2"].kind is ToolKind.MCP
    assert found["call_mcp"].canonical_name == "mcp__tickets__find_ticket"
    assert found["call_mcp"].ok is True
    assert (found["call_mcp2"].ok, found["call_mcp2"].error) == (
        False,
        "tool call error: no such ticket",
    )


def test_refusals_and_interruptions():
    found = calls(joined(SAMPLES / "events.jsonl"))
    assert found["call_denied"].state is ToolState.OUTPUT_DENIED
    assert found["call_denied"].denial == Denial(DeniedBy.PERSON)
    assert found["call_stopped"].interrupted
    ruled = calls(joined(SAMPLES / "denied.jsonl"))
    patch = next(call for call in ruled.values() if call.provider_name == "apply_patch")
    assert patch.denial == Denial(DeniedBy.RULE)
    never = next(call for call in ruled.values() if "policy is Never" in (call.error or ""))
    assert never.denial == Denial(DeniedBy.RULE)
    assert never.state is ToolState.OUTPUT_DENIED


def test_a_search_of_the_web_shows_once():
    found = calls(joined(SAMPLES / "events.jsonl")).values()
    searches = [call.kind for call in found if call.provider_name == "web_search"]
    assert searches == [ToolKind.WEB_SEARCH, ToolKind.WEB_FETCH]


def test_a_compaction_shows_once_with_its_summary():
    for name in ("events", "compaction"):
        found = [a.body for a in shown(joined(SAMPLES / f"{name}.jsonl"))]
        compactions = [body for body in found if isinstance(body, Compaction)]
        assert compactions
        assert all(body.summary for body in compactions)


def test_a_call_that_compaction_dropped_is_abandoned():
    store = joined(SAMPLES / "compaction.jsonl")
    dropped = [call for call in calls(store).values() if call.result is None]
    assert dropped
    assert {call.state for call in dropped} == {ToolState.ABANDONED}


def test_the_same_words_in_another_turn_are_another_message():
    found = [a.body for a in shown(joined(SAMPLES / "events.jsonl"))]
    said = [body.text for body in found if isinstance(body, Message)]
    assert said[:2] == ["Looking at the cart.", "Done."]


def test_agents_are_linked_to_the_calls_that_started_them():
    for path, name in ((CODE_MODE, "spawn_agent"), (AGENTS, "spawn_agent")):
        ref = PROVIDER.discovery.ref(path)
        children = PROVIDER.discovery.children(ref)
        assert len(children) == 2
        store = joined(path)
        for child in children:
            store.set_child(child.stream, joined(Path(child.path)), child.parent_call)
        started = [a for a in shown(store) if a.child_summary is not None]
        assert [getattr(a.body, "provider_name", None) for a in started] == [name, name]
        assert {a.child for a in started} == {child.stream for child in children}


def test_an_agent_shows_only_what_it_did_itself():
    child = next((SAMPLES / "code_mode").glob("*3243*.jsonl"))
    store = joined(child)
    assert texts(store)[0] == "Message Type: NEW_TASK\nTask name: /root/tester\nSender: /root"
    assert len(shown(store)) == 8
    assert store.summary.usage.output == totals(child)["output_tokens"]


def test_waiting_gives_what_the_agents_said():
    wait = calls(joined(SAMPLES / "events.jsonl"))["call_wait"]
    assert isinstance(wait.result, SubagentResult)
    assert wait.result.text == "No findings."


def test_an_agent_that_is_waited_for_is_told_nothing():
    store = joined(next((SAMPLES / "agents").glob("*f722*.jsonl")))
    titles = [title_of(activity) for activity in shown(store)]
    about = [(title.label, title.subject.split()[0]) for title in titles]
    asked = [(label, word) for label, word in about if label in ("Agent", "Message")]
    assert asked == [
        ("Agent", "explorer"),
        ("Agent", "worker"),
        ("Agent", "wait_agent"),
        ("Message", "to"),
        ("Agent", "wait_agent"),
        ("Agent", "close_agent"),
        ("Agent", "close_agent"),
    ]


def test_nested_calls_of_a_script_stand_with_their_outcome():
    found = calls(joined(CODE_MODE))
    nested = [call for name, call in found.items() if name.startswith("exec-")]
    assert {call.kind for call in nested} >= {ToolKind.SHELL, ToolKind.EDIT, ToolKind.MCP}
    assert {call.call_id for call in found.values() if call.via} == {one.call_id for one in nested}
    assert [call.kind for call in found.values()].count(ToolKind.EDIT) == 1
    assert all(call.state is not ToolState.INPUT_AVAILABLE for call in nested)


def test_an_outcome_without_a_call_still_stands(tmp_path: Path):
    lone = finished(
        type="CommandExecution",
        id="call_9",
        command=["/bin/bash", "-lc", "cat a.py"],
        cwd="file:///w",
        aggregated_output="x = 1\n",
        exit_code=0,
        status="completed",
    )
    call = calls(joined(write(tmp_path / "a.jsonl", [lone])))["call_9"]
    assert (call.ok, call.kind) == (True, ToolKind.SHELL)
    assert call.reading is not None
    assert call.reading.kind is ToolKind.READ


def test_a_call_of_the_model_counts_before_the_record_of_its_outcome(tmp_path: Path):
    end = report(
        type="exec_command_end",
        call_id="call_1",
        command=["bash", "-lc", "ls"],
        aggregated_output="a\n",
        exit_code=0,
    )
    call = called("exec_command", {"cmd": "ls", "justification": "look"})
    for records in ([call, end, answered("Output:\na\n")], [end, answered("x"), call]):
        found = calls(joined(write(tmp_path / "a.jsonl", records)))
        assert [*found] == ["call_1"]
        assert isinstance(found["call_1"].result, ShellResult)
        assert found["call_1"].result.output == "a\n"


def test_what_a_server_answered_inside_a_script_is_shown(tmp_path: Path):
    record = finished(
        type="McpToolCall",
        id="exec-1",
        server="tickets",
        tool="find",
        arguments={"q": 1},
        status="completed",
        result={"content": [{"type": "text", "text": "SHOP-7"}]},
    )
    call = calls(joined(write(tmp_path / "a.jsonl", [record])))["exec-1"]
    assert call.output == (TextBlock("SHOP-7"),)


def test_an_image_that_was_made_shows_once(tmp_path: Path):
    fields = {"status": "completed", "revised_prompt": "A cart", "result": "AAAA"}
    records = [
        item(type="image_generation_call", id="ig_1", **fields),
        report(type="image_generation_end", call_id="ig_1", **fields),
    ]
    found = calls(joined(write(tmp_path / "a.jsonl", records)))
    assert len(found["ig_1"].output) == 1


def _agents(found: SessionStore) -> dict[str, Activity]:
    """The activities of calls that started an agent, by what the agent was asked."""
    started = (each for each in shown(found) if isinstance(each.body, ToolCall))
    return {
        call.payload.prompt or "": each
        for each in started
        if isinstance(call := each.body, ToolCall)
        and isinstance(call.payload, SubagentPayload)
        and call.canonical_name == "Task"
    }


@pytest.mark.parametrize(
    ("log", "asked", "answer"),
    [
        (CODE_MODE, "Run the tests. [[SCRIPT:sub_test]]", "Tests: 1 failed"),
        (SAMPLES / "printed" / "agents.jsonl", "Count lines. [[SCRIPT:sub_a]]", "docs has one"),
        (AGENTS, "Count lines. [[SCRIPT:sub_a]]", "docs has one"),
    ],
)
def test_an_agent_that_was_started_is_over_when_its_end_is_reported(
    log: Path, asked: str, answer: str
):
    agent = _agents(joined(log))[asked]
    assert isinstance(agent.body, ToolCall)
    assert agent.body.state is ToolState.OUTPUT_AVAILABLE
    assert agent.body.ok is True
    assert agent.outcome is not None
    assert (agent.outcome.detail or "").startswith(answer)


def test_an_agent_that_was_stopped_has_no_success():
    agent = _agents(joined(AGENTS))["Do work. [[SCRIPT:sub_b]]"]
    assert isinstance(agent.body, ToolCall)
    assert (agent.body.state, agent.body.ok) == (ToolState.OUTPUT_AVAILABLE, None)


@pytest.mark.parametrize(
    ("state", "ok"), [("completed", True), ("errored", False), ("shutdown", None)]
)
def test_the_state_of_an_agent_decides_and_its_last_message_is_the_answer(
    tmp_path: Path, state: str, ok: bool | None
):
    path = "/root/reviewer"
    said = f"Message Type: FINAL_ANSWER\nTask name: /root\nSender: {path}\nPayload:\nLooks good."
    activity = {"type": "SubAgentActivity", "agent_thread_id": "t1", "agent_path": path}
    records = [
        item(type="function_call", name="spawn_agent", call_id="c1",
             arguments='{"task_name": "reviewer", "message": "Review."}'),
        finished(**activity, id="c1", kind="started"),
        item(type="function_call_output", call_id="c1", output='{"task_name": "/root/reviewer"}'),
    ]  # fmt: skip
    running = _agents(joined(write(tmp_path / "a.jsonl", records)))["Review."]
    assert isinstance(running.body, ToolCall)
    assert running.body.state is ToolState.INPUT_AVAILABLE
    records += [
        finished(**activity, id="end-1", kind=state),
        item(type="agent_message", author=path, recipient="/root",
             content=[{"type": "input_text", "text": said}]),
    ]  # fmt: skip
    ended = _agents(joined(write(tmp_path / "b.jsonl", records)))["Review."]
    assert isinstance(ended.body, ToolCall)
    assert ended.body.ok is ok
    assert ended.outcome is not None
    assert ended.outcome.text == f"Agent {path}: {state}"
    assert ended.outcome.detail == "Looks good."


def test_what_is_printed_counts_once():
    found = joined(SAMPLES / "printed" / "tools.jsonl")
    kinds = [call.kind for call in calls(found).values()]
    assert kinds.count(ToolKind.TODOS) == 1
    assert found.summary.usage == Usage(31025, 31025, None, 4080, 1020)


def test_a_plan_stands_once_whether_an_item_has_it_or_only_what_was_said(tmp_path: Path):
    said = "Here it is.\n\n<proposed_plan>\n1. Sort\n</proposed_plan>\n"
    message = item(
        type="message", role="assistant", content=[{"type": "output_text", "text": said}]
    )
    told = report(type="agent_message", message="Here it is.")
    plan = finished(type="Plan", id="plan_1", text="1. Sort\n")
    for records in ([told, plan, message], [message]):
        store = joined(write(tmp_path / "log.jsonl", records))
        assert [call.kind for call in calls(store).values()] == [ToolKind.PLAN]
        assert [a.body.text for a in shown(store) if isinstance(a.body, Message)] == ["Here it is."]


def test_items_may_be_named_as_in_the_interface_of_the_client(tmp_path: Path):
    command: Record = {
        "command": ["bash", "-lc", "make"],
        "aggregatedOutput": "no rule",
        "exitCode": 2,
    }
    started: Record = {"tool": "spawnAgent", "status": "completed", "receiverThreadIds": ["t-9"]}
    records = [
        finished(type="CommandExecution", id="c1", status="failed", **command),
        finished(type="CollabAgentToolCall", id="c2", prompt="Look", **started),
    ]
    found = calls(joined(write(tmp_path / "log.jsonl", records)))
    assert found["c1"].result == ShellResult(output="no rule", exit_code=2)
    agent = found["c2"]
    assert (agent.kind, agent.state) == (ToolKind.SUBAGENT_TASK, ToolState.INPUT_AVAILABLE)
    assert agent.result == SubagentResult("completed", "t-9", launched=True)


def test_what_the_person_is_told_of_is_known(tmp_path: Path):
    records = [
        report(type="model_reroute", from_model="m-1", to_model="m-2", reason="busy"),
        report(type="hook_completed", run={"event_name": "stop", "status": "failed"}),
        report(type="exec_approval_request", command=["rm", "a"], reason="Outside"),
        report(type="elicitation_request", request={"message": "Which account?"}),
    ]
    store = joined(write(tmp_path / "log.jsonl", records))
    assert texts(store) == [
        "Another model answers: m-2", "Hook: stop: failed", "Asks for leave: rm a",
        "Asks the person",
    ]  # fmt: skip
    assert store.summary.latest["model"].value == "m-2"


def test_a_goal_is_told_of_once_in_each_state(tmp_path: Path):
    def goal(status: str, used: int) -> Record:
        told = {"objective": "Mend the build", "status": status, "tokensUsed": used}
        return report(type="thread_goal_updated", threadId="t", goal=told)

    records = [goal("active", 0), goal("active", 70), goal("complete", 90)]
    store = joined(write(tmp_path / "log.jsonl", [*records, report(type="thread_goal_updated")]))
    assert texts(store) == ["Goal active: Mend the build", "Goal complete: Mend the build"]


def test_a_message_between_agents_stands_once_whichever_record_has_it(tmp_path: Path):
    head = "Message Type: NEW_TASK\nTask name: /root/a\nSender: /root\nPayload:\n"
    said: Record = {"author": "/root", "recipient": "/root/a", "trigger_turn": True}
    passed: Record = {"timestamp": AT, "type": "inter_agent_communication"}
    passed["payload"] = {**said, "content": f"{head}Count the lines"}
    sent = item(type="agent_message", **said, content=[{"text": f"{head}Count the lines"}])
    closed: Record = {**passed, "payload": {**said, "encrypted_content": "x"}}
    for records in ([passed, sent], [passed, closed], [sent, closed]):
        found = shown(joined(write(tmp_path / "log.jsonl", records)))
        assert [getattr(a.body, "detail", None) for a in found] == ["Count the lines"]
