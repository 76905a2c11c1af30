"""Kimi Code and Kimi CLI: calls, tokens, agents, refusals, ends of turns, places."""

import hashlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.content import ImageBlock
from agentview.domain.events import (
    Attachment,
    Compaction,
    Event,
    Notification,
    Reasoning,
    SlashCommand,
    Topic,
    Unparsed,
    User,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.domain.session_state import SessionState, SessionStatus
from agentview.domain.tool_inputs import EditPayload, ReadPayload, ShellPayload
from agentview.domain.tool_results import (
    AskResult,
    ChangeResult,
    MatchResult,
    ReadResult,
    ShellResult,
    SubagentResult,
)
from agentview.domain.tools import DeniedBy, ToolCall, ToolKind, ToolState
from agentview.providers import load_provider
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import calls, joined, shown, write

CODE, CLI = (sample_sessions_dir() / name for name in ("kimi_code", "kimi_cli"))
LOGS = sorted(
    path
    for path in (*CODE.rglob("*.jsonl"), *CLI.rglob("*.jsonl"))
    if path.parent.name != "printed"
)
IDS = [str(path.relative_to(sample_sessions_dir())) for path in LOGS]
Record = dict[str, Any]


def provider_of(path: Path):
    return load_provider(path.relative_to(sample_sessions_dir()).parts[0])


def usage_in(record: Record) -> Record:
    """The tokens of a request, in the keys that the clients have for them."""
    payload: Record = record.get("payload") or {}
    return record.get("usage") or payload.get("token_usage") or {}


def records(path: Path) -> list[Record]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def inner(path: Path) -> Iterator[Record]:
    """The loop events of Kimi Code; the messages of Kimi CLI, those of agents too."""
    for record in records(path):
        if CODE in path.parents:
            yield record.get("event") or {}
            continue
        message: Record = record.get("message") or {}
        yield message
        payload: Record = message.get("payload") or {}
        event: Record = payload["event"] if isinstance(payload.get("event"), dict) else {}
        yield event


def decoded(name: str, record: Record, stream: Stream | None = None) -> list[Event]:
    line = json.dumps(record).encode()
    ref = SessionRef(name, "s", "wire.jsonl", stream or Stream())
    return load_provider(name).decode(line, SourceRef("x", 0, len(line)), ref)


@pytest.mark.parametrize("path", LOGS, ids=IDS)
@pytest.mark.parametrize("backward", [False, True])
def test_every_call_is_shown_once(path: Path, backward: bool):
    wanted = [each["toolCallId"] for each in inner(path) if each.get("type") == "tool.call"]
    wanted += [each["payload"]["id"] for each in inner(path) if each.get("type") == "ToolCall"]
    store = joined(provider_of(path), path, backward=backward)
    made = [each.body for each in shown(store) if isinstance(each.body, ToolCall)]
    asked = [request for call in made for request in call.requests]
    assert sorted(call.call_id for call in made) == sorted(wanted)
    assert len(asked) == path.read_text().count('"type":"ApprovalRequest"')
    assert len(wanted) == len(set(wanted))


@pytest.mark.parametrize("path", LOGS, ids=IDS)
def test_tokens_are_those_of_all_requests(path: Path):
    # Those of an agent of Kimi Code are in its own journal.
    told = (
        [usage_in(each) for each in inner(path)]
        if CLI in path.parents
        else [usage_in(each) for each in records(path) if each["type"] == "usage.record"]
    )
    given = sum(each.get("inputOther", each.get("input_other", 0)) for each in told)
    cached = sum(each.get("inputCacheRead", each.get("input_cache_read", 0)) for each in told)
    output = sum(each.get("output", 0) for each in told)
    tokens = joined(provider_of(path), path).summary.tokens
    assert (tokens["input_uncached"], tokens["input_cached"]) == (given, cached)
    assert tokens["output"] == output > 0


@pytest.mark.parametrize("path", LOGS, ids=IDS)
def test_no_record_is_unknown(path: Path):
    for record in records(path):
        for event in decoded(provider_of(path).name, record):
            assert not isinstance(event.body, Unparsed)


def test_every_tool_of_kimi_code_has_its_kind_and_result():
    (path,) = CODE.glob("tools/*/agents/main/wire.jsonl")
    store = joined(load_provider("kimi_code"), path)
    found = calls(store)
    unknown = {call.provider_name for call in found.values() if call.kind is ToolKind.UNKNOWN}
    assert unknown == {"no_such_tool"}
    assert found_kind(found, "mcp__mocktools__echo") is ToolKind.MCP
    shells = [call.result for call in found.values() if isinstance(call.result, ShellResult)]
    assert {3, 7, 0} <= {each.exit_code for each in shells}
    assert sum(each.launched for each in shells) == 2
    late = [call for call in found.values() if isinstance(call.payload, ShellPayload)]
    assert 2 in {call.payload.timeout for call in late if isinstance(call.payload, ShellPayload)}
    matches = [call.result for call in found.values() if isinstance(call.result, MatchResult)]
    assert min(each.match_count or 0 for each in matches) == 0
    assert max(len(each.matches) for each in matches) > 5
    reads = [call.result for call in found.values() if isinstance(call.result, ReadResult)]
    assert any(each.total_lines == 26 for each in reads)
    assert any(isinstance(block, ImageBlock) for each in reads for block in each.media)
    agents = [call.result for call in found.values() if isinstance(call.result, SubagentResult)]
    assert {each.text for each in agents} >= {"docs has one guide.", "src has 180 lines."}
    ended = [
        each.body
        for each in shown(store)
        if isinstance(each.body, ToolCall) and each.body.state is ToolState.OUTPUT_AVAILABLE
    ]
    assert any(isinstance(call.result, ShellResult) and call.result.task_id for call in ended)


def found_kind(found: dict[str, ToolCall], name: str) -> ToolKind:
    return next(call.kind for call in found.values() if call.provider_name == name)


def test_agents_of_kimi_code_have_journals_of_their_own():
    (path,) = CODE.glob("tools/*/agents/main/wire.jsonl")
    provider = load_provider("kimi_code")
    store = joined(provider, path)
    children = provider.discovery.children(provider.discovery.ref(path))
    assert [child.stream.id for child in children] == ["agent-0", "agent-1"]
    for child in children:
        row = store.child_call(child.stream)
        assert row is not None
        body = store.activity(row).body
        assert isinstance(body, ToolCall)
        assert body.kind is ToolKind.SUBAGENT_TASK
        prompts = [
            each.body
            for each in shown(joined(provider, Path(child.path)))
            if isinstance(each.body, User)
        ]
        assert len(prompts) == 1
    assert [ref.stream.id for ref in provider.scan(path.parent.parent.parent)] == [
        "agent-0",
        "agent-1",
        "",
    ]


def test_how_turns_of_kimi_code_end():
    provider = load_provider("kimi_code")
    states = {
        "errors/*/agents/main/wire.jsonl": SessionState.FAILED,
        "tools/*/agents/main/wire.jsonl": SessionState.YOUR_TURN,
        "live-mid.jsonl": SessionState.WORKING,
    }
    for pattern, state in states.items():
        (path,) = CODE.glob(pattern)
        assert provider.info(provider.discovery.ref(path)).state is state
    (path,) = CODE.glob("errors/*/agents/main/wire.jsonl")
    failures = [
        each.body
        for each in shown(joined(load_provider("kimi_code"), path))
        if isinstance(each.body, Notification) and each.body.failed
    ]
    assert [each.text for each in failures] == ["[provider.api_error] 400 mock error"]


def test_what_a_person_did_in_kimi_code():
    store = joined(load_provider("kimi_code"), CODE / "demo.jsonl")
    bodies = [each.body for each in shown(store)]
    found = calls(store)
    assert found["c3"].denial is not None
    assert (found["c3"].denial.by, found["c3"].denial.words) == (DeniedBy.PERSON, "Not yet")
    assert found["c3"].title == "Running: git push"
    assert [each.text for each in bodies if isinstance(each, User)] == [
        "Add tax to the total",
        "Look at the picture",
    ]
    topics = [each.topic for each in bodies if isinstance(each, Notification)]
    assert topics.count(Topic.INTERRUPT) == 1
    assert SlashCommand("/review", "cart") in bodies
    assert Attachment("review", "skill", "# Review\nLook for mistakes.") in bodies
    (compaction,) = [each for each in bodies if isinstance(each, Compaction)]
    assert (compaction.tokens_before, compaction.tokens_after) == (5200, 900)
    assert found["c1"].payload == ReadPayload("src/cart.py", 3, 2)
    assert isinstance(found["c1"].result, ReadResult)
    assert (found["c1"].result.start, found["c1"].result.total_lines) == (3, 9)
    assert isinstance(found["c2"].payload, EditPayload)
    assert found["c2"].kind is ToolKind.EDIT
    assert isinstance(found["c5"].result, AskResult)
    assert found["c5"].result.answers[0].answer == "20 %"


def test_who_put_a_message_into_the_context():
    def message(**origin: Any) -> Record:
        content = [{"type": "text", "text": "Go"}]
        told = {"role": "user", "content": content, "origin": origin}
        return {"type": "context.append_message", "message": told, "time": 1}

    (note,) = decoded("kimi_code", message(kind="injection", variant="plan_mode"))
    assert note.body == Attachment("plan_mode", "note", "Go")
    (planned,) = decoded("kimi_code", message(kind="cron_job"))
    assert planned.body == User("Go", via="cron_job")
    given = message(kind="system_trigger", name="subagent")
    (main,) = decoded("kimi_code", given)
    assert isinstance(main.body, Attachment)
    (agent,) = decoded("kimi_code", given, Stream(StreamKind.SUBAGENT, "agent-0"))
    assert isinstance(agent.body, User)


def test_every_tool_of_kimi_cli_has_its_kind_and_result():
    (path,) = CLI.glob("tools/*/wire.jsonl")
    found = calls(joined(load_provider("kimi_cli"), path))
    unknown = {call.provider_name for call in found.values() if call.kind is ToolKind.UNKNOWN}
    # Tools of servers have no other names than the servers give them.
    assert unknown == {"no_such_tool", "echo", "lookup", "boom", "slow", "Think"}
    edits = [call.result for call in found.values() if isinstance(call.result, ChangeResult)]
    two = next(each for each in edits if each.files[0].path.endswith("/app.py"))
    assert two.files[0].hunks is not None
    first, second = two.files[0].hunks
    assert first.lines[3:5] == (
        '-    return "Hello, " + name',
        '+    return f"Hello, {name}!"',
    )
    assert (second.old_start, second.old_lines, second.new_lines) == (15, 7, 12)
    shells = [call.result for call in found.values() if isinstance(call.result, ShellResult)]
    assert {each.exit_code for each in shells} == {0, 3, 7, None}
    assert sum(each.timed_out for each in shells) == 1


def test_agents_of_kimi_cli_are_in_the_log_of_their_session(tmp_path: Path):
    (path,) = CLI.glob("tools/*/wire.jsonl")
    provider = load_provider("kimi_cli")
    store = joined(provider, path)
    for agent in ("a71d9e259", "a7fa7ba4c"):
        row = store.child_call(Stream(StreamKind.SUBAGENT, agent))
        assert row is not None
        body = store.activity(row).body
        assert isinstance(body, ToolCall)
        assert body.kind is ToolKind.SUBAGENT_TASK
    asked = [each.body for each in shown(store) if isinstance(each.body, Notification)]
    assert sum("longer answer" in each.text for each in asked) == 2
    home = tmp_path / "sessions" / "x" / "s"
    main = write(home / "wire.jsonl", records(CLI / "errors.jsonl"))
    for agent, task in (("a1", None), ("a2", "t1")):
        write(home / "subagents" / agent / "wire.jsonl", records(CLI / "errors.jsonl"))
        meta = {"description": "Count", "last_task_id": task}
        (home / "subagents" / agent / "meta.json").write_text(json.dumps(meta))
    (child,) = provider.discovery.children(provider.discovery.ref(main))
    assert (child.stream, child.label, child.session_id) == (
        Stream(StreamKind.SUBAGENT, "a2"),
        "Count",
        "s",
    )
    assert len(provider.scan(tmp_path / "sessions")) == 2


def test_what_a_person_did_in_kimi_cli():
    store = joined(load_provider("kimi_cli"), CLI / "demo.jsonl")
    found = calls(store)
    assert found["c3"].denial is not None
    assert (found["c3"].denial.by, found["c3"].denial.words) == (DeniedBy.PERSON, "Not yet")
    (request,) = found["c3"].requests
    assert (request.call_id, request.denial) == ("r2", found["c3"].denial)
    assert isinstance(found["c4"].payload, ShellPayload)
    assert found["c4"].payload.command == "pytest -q"
    prompts = [each.body for each in shown(store) if isinstance(each.body, User)]
    assert [each.via for each in prompts] == [None, "steer"]
    assert isinstance(prompts[0].blocks[0], ImageBlock)
    provider = load_provider("kimi_cli")
    stopped = provider.info(provider.discovery.ref(CLI / "errors.jsonl"))
    assert stopped.state is SessionState.INTERRUPTED
    (withheld,) = decoded(
        "kimi_cli",
        {"timestamp": 1.0, "message": {"type": "ContentPart", "payload": {"type": "think"}}},
    )
    assert withheld.body == Reasoning("", withheld=True)


def test_a_question_of_the_client_waits_for_the_person(tmp_path: Path):
    lines = records(CLI / "demo.jsonl")
    at = next(n for n, each in enumerate(lines) if "ApprovalRequest" in json.dumps(each))
    log = write(tmp_path / "wire.jsonl", lines[: at + 1])
    provider = load_provider("kimi_cli")
    info = provider.info(provider.discovery.ref(log))
    assert info.state is SessionState.NEEDS_APPROVAL
    assert info.status.about == "edit file: Edit file `src/cart.py`"


@pytest.mark.parametrize(
    ("name", "variable", "default", "place", "command"),
    [
        ("kimi_code", "KIMI_CODE_HOME", ".kimi-code", "wd_x/{}/agents/main", "session_"),
        ("kimi_cli", "KIMI_SHARE_DIR", ".kimi", "{}/{}", ""),
    ],
)
def test_sessions_are_found_in_their_place(
    name: str, variable: str, default: str, place: str, command: str, tmp_path: Path
):
    provider = load_provider(name)
    own = f"{command}49c25e39-13e5-4a55-8da7-fab156ddd0ce"
    folder = hashlib.md5(b"/home/dev/shop", usedforsecurity=False).hexdigest()
    for home, env in (
        (tmp_path / "a" / default, {"HOME": str(tmp_path / "a")}),
        (tmp_path / "b", {"HOME": "/nowhere", variable: str(tmp_path / "b")}),
    ):
        inside = place.format(own) if name == "kimi_code" else place.format(folder, own)
        log = home / "sessions" / inside / "wire.jsonl"
        log.parent.mkdir(parents=True)
        shutil.copy(sample_sessions_dir() / name / "demo.jsonl", log)
        (home / "kimi.json").write_text('{"work_dirs": [{"path": "/home/dev/shop"}]}')
        root, *_ = provider.discovery.roots(env)
        (ref,) = provider.scan(root)
        assert ref.session_id == own
        info = provider.info(ref)
        assert (info.title, info.project) == ("Add tax to the total", "/home/dev/shop")
        assert provider.resume_command(ref) == ("kimi", "--session", own)


@pytest.mark.parametrize("place", ["request", "payload"])
def test_an_approval_of_kimi_code_waits_until_it_is_decided(tmp_path: Path, place: str):
    path = tmp_path / "session_1" / "agents" / "main" / "wire.jsonl"
    call = {"toolCallId": "c1", "name": "Bash", "args": {"command": "make"}}
    asked = {"toolCallId": "c1", "toolName": "Bash", "action": "Running: make"}
    prompt = {"role": "user", "content": "Go", "origin": {"kind": "user"}}
    written: list[Record] = [
        {"type": "metadata", "protocol_version": "1.5", "created_at": 1795964699377},
        {"type": "context.append_message", "message": prompt},
        {"type": "context.append_loop_event", "event": {"type": "tool.call", **call}},
        {"type": "interaction.request", "id": "a1", "kind": "approval", place: asked},
    ]
    decided = {"type": "interaction.resolved", "id": "a1", "response": {"decision": "approved"}}

    def status(*more: Record) -> SessionStatus:
        lines = [{"time": 1795964700000, **record} for record in (*written, *more)]
        write(path, lines)
        provider = load_provider("kimi_code")
        ref = provider.session_in(path)
        assert ref is not None
        return provider.info(ref).status

    waits = status()
    assert (waits.state, waits.certain) == (SessionState.NEEDS_APPROVAL, True)
    assert waits.about == "Running: make"
    runs = status(decided)
    assert (runs.state, runs.about) == (SessionState.WORKING, "make")


def test_a_name_that_was_given_and_a_long_output(tmp_path: Path):
    provider = load_provider("kimi_code")
    home = tmp_path / "session_1"
    log = write(home / "agents" / "main" / "wire.jsonl", records(CODE / "demo.jsonl"))
    ref = provider.discovery.ref(log)
    (home / "state.json").write_text('{"title": "Taxes", "isCustomTitle": true}')
    assert provider.info(ref).title == "Taxes"
    saved = log.parent / "tasks" / "bash-1" / "output.log"
    saved.parent.mkdir(parents=True)
    saved.write_text("all of it")
    find = provider.discovery.externalized_output
    assert find(ref, "/elsewhere/tasks/bash-1/output.log") == saved
    assert find(ref, "/elsewhere/tasks/../output.log") is None
    assert find(ref, "/etc/passwd") is None
    saved.unlink()
    saved.symlink_to("/etc/passwd")
    assert find(ref, "/elsewhere/tasks/bash-1/output.log") is None


def test_no_event_of_an_agent_has_the_id_of_one_of_its_session():
    (path,) = (CODE / "tools").glob("session_*/agents/main/wire.jsonl")
    provider = load_provider("kimi_code")
    main = provider.discovery.ref(path)
    agents = provider.discovery.children(main)
    assert agents
    ids: list[str] = []
    for ref in (main, *agents):
        offset = 0
        for line in Path(ref.path).read_bytes().splitlines(keepends=True):
            place = SourceRef(ref.path, offset, len(line))
            ids += [event.id for event in provider.decode(line, place, ref)]
            offset += len(line)
    assert len(set(ids)) == len(ids)
