"""Pi: calls and tokens by their own count, branches, how responses end, what is printed."""

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
    Hidden,
    Notification,
    SlashCommand,
    TokenUsage,
    ToolResult,
    Topic,
    Unparsed,
    User,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.session_state import SessionState
from agentview.domain.tool_inputs import GrepPayload, ShellPayload
from agentview.domain.tool_results import ChangeResult, MatchResult, PathsResult, ReadResult
from agentview.domain.tool_results import ShellResult as Shell
from agentview.domain.tools import DeniedBy, ToolCall, ToolKind, ToolState
from agentview.providers import load_provider
from agentview.providers.pi.shared.results import numbered_hunks
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import calls, joined, shown, texts, write

SAMPLES = sample_sessions_dir() / "pi"
LOGS = sorted(SAMPLES.glob("*.jsonl"))
PROVIDER = load_provider("pi")
REF = SessionRef("pi", "s", "s.jsonl")
Record = dict[str, Any]
STAMP = "2026-04-20T09:00:00.000Z"
HEADER: Record = {"type": "session", "version": 3, "id": "s", "timestamp": STAMP, "cwd": "/p"}


def records(path: Path) -> list[Record]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def messages(path: Path) -> Iterator[Record]:
    """Whole messages of a session, or of what was printed."""
    for record in records(path):
        if record["type"] in ("message", "message_end"):
            yield record["message"]


def entry(own: str, parent: str | None, sort: str = "message", **more: Any) -> Record:
    return {"type": sort, "id": own, "parentId": parent, "timestamp": STAMP, **more}


def said(own: str, parent: str | None, role: str, text: str, **more: Any) -> Record:
    content = [{"type": "text", "text": text}]
    return entry(own, parent, message={"role": role, "content": content, **more})


def decoded(record: Record) -> list[Event]:
    line = json.dumps(record).encode()
    return PROVIDER.decode(line, SourceRef("x", 0, len(line)), REF)


@pytest.mark.parametrize("path", LOGS, ids=[path.stem for path in LOGS])
@pytest.mark.parametrize("backward", [False, True])
def test_every_call_is_shown_once(path: Path, backward: bool):
    wanted = [
        part["id"]
        for message in messages(path)
        for part in message.get("content") or ()
        if message["role"] == "assistant" and part["type"] == "toolCall"
    ]
    store = joined(PROVIDER, path, backward=backward)
    made = [each.body.call_id for each in shown(store) if isinstance(each.body, ToolCall)]
    # The branch that was left is folded into a row of its own.
    left = {"c5"} if path.stem == "demo" else set[str]()
    assert sorted(made) == sorted(set(wanted) - left)
    assert len(wanted) == len(set(wanted))


@pytest.mark.parametrize("path", LOGS, ids=[path.stem for path in LOGS])
def test_tokens_and_cost_are_those_of_all_requests(path: Path):
    usages = [message["usage"] for message in messages(path) if "usage" in message]
    usages += [record["usage"] for record in records(path) if record["type"] == "compaction"]
    summary = joined(PROVIDER, path).summary
    for ours, theirs in (
        ("input_uncached", "input"),
        ("input_cached", "cacheRead"),
        ("cache_write", "cacheWrite"),
        ("output", "output"),
    ):
        assert summary.tokens[ours] == sum(usage[theirs] for usage in usages)
    cost = sum(usage["cost"]["total"] for usage in usages)
    assert abs((summary.cost or 0) - cost) < 1e-9


@pytest.mark.parametrize("path", LOGS, ids=[path.stem for path in LOGS])
def test_no_record_is_unknown(path: Path):
    for record in records(path):
        for event in decoded(record):
            assert not isinstance(event.body, Unparsed)


def test_every_tool_has_its_kind_and_result():
    found = calls(joined(PROVIDER, SAMPLES / "tools.jsonl"))
    unknown = {call.provider_name for call in found.values() if call.kind is ToolKind.UNKNOWN}
    assert unknown == {"no_such_tool"}
    typed = (ToolKind.SHELL, ToolKind.READ, ToolKind.GREP, ToolKind.GLOB, ToolKind.LS)
    for call in found.values():
        if call.kind in typed and call.state is ToolState.OUTPUT_AVAILABLE:
            assert call.result is not None, call.provider_name
    shells = [call for call in found.values() if isinstance(call.result, Shell)]
    results = [call.result for call in shells if isinstance(call.result, Shell)]
    assert {each.exit_code for each in results} == {0, 3, 7, None}
    assert [each.timed_out for each in results].count(True) == 1
    (spilled,) = [each for each in results if each.spill_path is not None]
    assert spilled.spill_size == 108894
    assert spilled.output is not None
    assert spilled.output.endswith("20000")
    late = [call.payload for call in shells if call.result in results and call.ok is False]
    assert any(isinstance(each, ShellPayload) and each.timeout == 2 for each in late)
    edits = [call.result for call in found.values() if isinstance(call.result, ChangeResult)]
    assert all(change.files[0].path.endswith("/src/app.py") for change in edits)
    assert all(change.files[0].hunks for change in edits)
    matches = [call.result for call in found.values() if isinstance(call.result, MatchResult)]
    assert min(each.match_count or 0 for each in matches) == 0
    assert max(len(each.matches) for each in matches) > 5
    (image,) = [
        call.result
        for call in found.values()
        if isinstance(call.result, ReadResult) and call.result.media
    ]
    assert isinstance(image.media[0], ImageBlock)


def test_a_part_of_a_file_has_its_lines_and_its_note():
    call = entry("a", None, message={
        "role": "assistant", "content": [
            {"type": "toolCall", "id": "c", "name": "read",
             "arguments": {"path": "x.py", "offset": 40, "limit": 2}}]})  # fmt: skip
    text = "one\ntwo\n\n[58 more lines in file. Use offset=42 to continue.]"
    result = said("b", "a", "toolResult", text, toolCallId="c", toolName="read", isError=False)
    (first,), (second,) = decoded(call), decoded(result)
    assert isinstance(first.body, ToolCall)
    assert isinstance(second.body, ToolResult)
    read = PROVIDER.reading.attach_result(first.body, second.body).result
    assert isinstance(read, ReadResult)
    assert (read.content, read.start, read.line_count) == ("one\ntwo", 40, 2)


def test_a_branch_that_was_left():
    path = SAMPLES / "demo.jsonl"
    for backward in (False, True):
        store = joined(PROVIDER, path, backward=backward)
        prompts = [each.body.text for each in shown(store) if isinstance(each.body, User)]
        assert prompts == ["Round the prices of the cart to cents", "Change the test instead"]
        topics = [each.body.topic for each in shown(store) if isinstance(each.body, Notification)]
        assert topics == [Topic.REWIND, Topic.MODEL]


def test_a_prompt_behind_an_earlier_entry_leaves_what_followed_it(tmp_path: Path):
    log = write(
        tmp_path / "s.jsonl",
        [
            HEADER, said("1", None, "user", "a"), said("2", "1", "assistant", "A"),
            said("3", "2", "user", "b"), said("4", "3", "assistant", "B"),
            said("5", "2", "user", "c"), said("6", "5", "assistant", "C"),
        ],
    )  # fmt: skip
    for backward in (False, True):
        assert texts(joined(PROVIDER, log, backward=backward)) == ["a", "A", "c", "C"]


def test_entries_without_ids_follow_each_other(tmp_path: Path):
    older = {**HEADER, "provider": "x", "modelId": "m", "thinkingLevel": "off"}
    del older["version"]
    log = write(
        tmp_path / "s.jsonl",
        [
            older, *({"type": "message", "timestamp": STAMP, "message": {
                "role": role, "content": [{"type": "text", "text": text}]}}
                for role, text in (("user", "a"), ("assistant", "A"), ("user", "b"))),
        ],
    )  # fmt: skip
    assert texts(joined(PROVIDER, log)) == ["a", "A", "b"]
    assert PROVIDER.discovery.probe(log.read_bytes(), log) > 0.8


def test_how_a_response_ended():
    stops = {
        "aborted": (Topic.INTERRUPT, "Request was aborted."),
        "error": (Topic.LIMIT, "429 rate limit reached"),
    }
    for stop, (topic, words) in stops.items():
        response: Record = {
            "role": "assistant",
            "content": [],
            "stopReason": stop,
            "errorMessage": words,
        }
        (event,) = decoded(entry("a", None, message=response))
        assert isinstance(event.body, Notification)
        assert event.body.topic is topic
    for sample, state in (("errors", SessionState.YOUR_TURN), ("live-mid", SessionState.WORKING)):
        ref = PROVIDER.discovery.ref(SAMPLES / f"{sample}.jsonl")
        assert PROVIDER.info(ref).state is state


def test_a_running_call_has_no_result():
    found = calls(joined(PROVIDER, SAMPLES / "live-mid.jsonl"))
    running = [call for call in found.values() if call.state is ToolState.INPUT_AVAILABLE]
    assert [call.provider_name for call in running] == ["bash"]


def test_who_refused_a_call():
    for text, by in (
        ("Blocked by user", DeniedBy.PERSON),
        ("Tool execution was blocked by an extension", DeniedBy.RULE),
        ("cat: no such file, blocked by user", None),
    ):
        (event,) = decoded(
            said("a", None, "toolResult", text, toolCallId="c", toolName="bash", isError=True)
        )
        assert isinstance(event.body, ToolResult)
        assert (event.body.denial.by if event.body.denial else None) is by


def test_what_only_the_client_and_its_extensions_say():
    store = joined(PROVIDER, SAMPLES / "demo.jsonl")
    bodies = [each.body for each in shown(store)]
    (command,) = [body for body in bodies if isinstance(body, SlashCommand)]
    assert (command.name, command.output) == ("git diff --stat", " 2 files changed\n")
    assert command.shell
    assert any(isinstance(body, Attachment) and body.name == "reviewer" for body in bodies)
    (compaction,) = [body for body in bodies if isinstance(body, Compaction)]
    assert compaction.tokens_before == 18200
    info = PROVIDER.info(PROVIDER.discovery.ref(SAMPLES / "demo.jsonl"))
    assert (info.title, info.project) == ("Round the prices of the cart", "/home/dev/shop")
    (hidden,) = decoded(entry("a", None, "custom_message", customType="x", display=False))
    assert isinstance(hidden.body, Hidden)
    (unknown,) = decoded(entry("a", None, "entry_of_tomorrow"))
    assert isinstance(unknown.body, Unparsed)
    usage = {"input": 5, "output": 1, "cacheRead": 0, "cacheWrite": 3}
    (warmed,) = decoded(entry("a", None, "usage", kind="cache_warm", model="m", usage=usage))
    assert isinstance(warmed.body, TokenUsage)
    assert (warmed.body.model, warmed.body.usage.cache_write) == ("m", 3)


def test_a_file_in_front_of_a_prompt_is_context():
    prompts = [
        each.body
        for each in shown(joined(PROVIDER, SAMPLES / "image.jsonl"))
        if isinstance(each.body, User)
    ]
    assert prompts[0].text == "What is this? [[SCRIPT:image]]"
    assert prompts[0].context[0].startswith('<file name="')
    assert isinstance(prompts[0].blocks[0], ImageBlock)


def test_what_is_printed_says_the_same_as_the_session():
    printed, kept = (joined(PROVIDER, SAMPLES / f"{name}.jsonl") for name in ("stream", "errors"))
    assert texts(printed)[:3] == texts(kept)[:3]
    assert {key: call.result for key, call in calls(printed).items()} == {
        key: call.result for key, call in calls(kept).items()
    }
    assert printed.summary.tokens == kept.summary.tokens
    assert PROVIDER.discovery.ref(SAMPLES / "stream.jsonl").session_id == (
        PROVIDER.discovery.ref(SAMPLES / "errors.jsonl").session_id
    )
    nameless = (SAMPLES / "stream.jsonl").read_bytes().partition(b"\n")[2]
    assert PROVIDER.discovery.probe(nameless, Path("x")) > 0.8


def test_hunks_of_a_diff_with_numbers():
    diff = "     ...\n   1 a\n-118 old\n+118 new\n+119 more\n     ...\n   9 b\n+203 added"
    first, second = numbered_hunks(diff)
    assert (first.old_start, first.old_lines, first.new_start, first.new_lines) == (117, 2, 117, 3)
    assert first.lines == (" a", "-old", "+new", "+more")
    assert (second.old_start, second.new_start) == (201, 202)
    assert numbered_hunks("--- a\n+++ b\n") == ()


def test_old_edits_and_searches():
    found = calls(joined(PROVIDER, SAMPLES / "demo.jsonl"))
    grep, paths, edit = (found[own] for own in ("c1", "c2", "c3"))
    assert isinstance(grep.payload, GrepPayload)
    assert grep.payload.ignore_case
    assert isinstance(grep.result, MatchResult)
    assert [match.context for match in grep.result.matches] == [False, True]
    assert grep.result.truncated
    assert paths.result == PathsResult(count=0)
    assert isinstance(edit.result, ChangeResult)
    (file,) = edit.result.files
    assert file.hunks is not None
    assert (file.path, file.hunks[0].old_start) == ("src/cart.py", 2)
    assert found["c6"].kind is ToolKind.SUBAGENT_TASK


def test_sessions_are_found_in_their_place(tmp_path: Path):
    own = "01a5c2d4-7b1e-7c3a-9d2e-5f6a7b8c9d01"
    places: tuple[tuple[str, dict[str, str]], ...] = (
        (".pi/agent/sessions/--p--", {}),
        ("own/sessions/--p--", {"PI_CODING_AGENT_DIR": "own"}),
        ("kept/--p--", {"PI_CODING_AGENT_SESSION_DIR": "kept"}),
    )
    for number, (place, env) in enumerate(places):
        home = tmp_path / str(number)
        (home / place).mkdir(parents=True)
        shutil.copy(SAMPLES / "demo.jsonl", home / place / f"2026_{own}.jsonl")
        told = {name: str(home / value) for name, value in env.items()}
        roots = PROVIDER.discovery.roots({"HOME": str(home), **told})
        (ref,) = [ref for root in roots if root.exists() for ref in PROVIDER.scan(root)]
        assert ref.session_id == own
        assert PROVIDER.resume_command(ref) == ("pi", "--session", own)
