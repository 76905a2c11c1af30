"""Sessions of Vibe 3: what their entries say, and how the store is read while it is written."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.events import (
    Compaction,
    Event,
    Message,
    Notification,
    ToolResult,
    Topic,
    User,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import StreamKind
from agentview.domain.session_state import SessionState, StateEvidence
from agentview.domain.tool_results import ChangeResult, ReadResult, ShellResult, TodosResult
from agentview.domain.tools import Denial, DeniedBy, ToolCall, ToolKind, ToolState
from agentview.normalize.output_text import text_of
from agentview.providers.vibe.vibe import PROVIDER
from agentview.sources.lines import LineReader, Reset
from agentview.system.paths import sample_sessions_dir
from agentview.timeline.rows.session_store import SessionStore
from tests.providers.joined_log import calls, joined, shown, texts
from tests.providers.vibe.call_count import calls as counted

FOLDER = sample_sessions_dir() / "vibe"
SAMPLES = sorted(FOLDER.glob("*.jsonl"))
STORES = Path(__file__).parent / "stores"
(LIVE,) = (STORES / "live-mid").iterdir()
(RESUMED,) = (STORES / "resume").iterdir()
FIRST = "journal/0000000000000001.jsonl"


def copied(store: Path, to: Path) -> Path:
    return Path(shutil.copytree(store, to / "unified" / store.name))


def found(name: str) -> list[ToolCall]:
    return list(calls(joined(PROVIDER, FOLDER / f"{name}.jsonl")).values())


def lines(reader: LineReader) -> list[Any]:
    return [
        item if isinstance(item, Reset) else json.loads(item.data or b"")
        for item in reader.poll().items
    ]


def facts(store: SessionStore) -> list[object]:
    """What is shown, without the places of the records."""
    return [(each.body, each.started, each.ended) for each in shown(store)]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_each_call_is_shown_once_with_its_result(path: Path):
    made = calls(joined(PROVIDER, path))
    answered = {key: call.state is not ToolState.INPUT_AVAILABLE for key, call in made.items()}
    assert answered == counted(path)


def test_results_are_typed():
    made = found("demo")
    edit = next(call.result for call in made if call.kind is ToolKind.EDIT and call.ok)
    assert isinstance(edit, ChangeResult)
    hunks = edit.files[0].hunks
    assert hunks
    hunk = hunks[0]
    assert (hunk.old_start, hunk.lines[0]) == (6, '-    return "Hello, " + name')
    writes = [call.result for call in made if call.kind is ToolKind.WRITE]
    assert [each.files[0].operation for each in writes if isinstance(each, ChangeResult)] == [
        "create",
        "update",
    ]
    codes = {call.result.exit_code for call in made if isinstance(call.result, ShellResult)}
    assert {0, 3, 7, 127, -9} <= codes
    assert any(isinstance(each.result, TodosResult) for each in made)
    unknown = {call.provider_name for call in made if call.kind is ToolKind.UNKNOWN}
    assert unknown == {
        *(f"mocktools_{name}" for name in ("boom", "echo", "lookup")),
        *("no_such_tool", "run_typescript"),
        "vibe.unified_harness_scratchpad",
    }


def test_a_file_is_numbered_from_its_first_line():
    reads = [call.result for call in found("demo") if isinstance(call.result, ReadResult)]
    part = next(each for each in reads if each.total_lines == 3000)
    assert (part.start, part.line_count, part.truncated) == (101, 5, True)


def test_a_failed_command_is_one_by_its_exit_code_and_a_late_one_by_its_mark():
    shells = [call for call in found("demo") if isinstance(call.result, ShellResult)]
    results = [(call.ok, call.result) for call in shells if isinstance(call.result, ShellResult)]
    known = [(ok, each.exit_code) for ok, each in results if each.exit_code is not None]
    assert len(known) > 10
    assert all(ok is (code == 0) for ok, code in known)
    assert [each.exit_code for _, each in results if each.timed_out] == [-9]


def test_a_long_output_names_its_file():
    results = [call.result for call in found("demo") if isinstance(call.result, ShellResult)]
    (path,) = [each.spill_path for each in results if each.spill_path is not None]
    assert path.endswith("tool-results/bash-call_55a250bb66ccc10d53b7085e.json")


def test_calls_that_are_not_run_stand_where_they_were_asked_for():
    rows = [each.body for each in shown(joined(PROVIDER, FOLDER / "demo.jsonl"))]
    names = [body.provider_name if isinstance(body, ToolCall) else "" for body in rows]
    at = names.index("mocktools_echo")
    assert names[at : at + 6] == [
        "mocktools_echo", "mocktools_lookup", "mocktools_boom", "no_such_tool", "bash", "bash",
    ]  # fmt: skip
    said = rows[at + 6]
    assert isinstance(said, Message)
    assert said.text == "Three at once."
    wrong = rows[at + 4]
    assert isinstance(wrong, ToolCall)
    assert (wrong.ok, wrong.args) == (False, None)
    assert (wrong.error or "").startswith("tool arguments are not valid JSON")


def test_a_call_in_a_response_that_was_discarded_was_not_run():
    rows = [each.body for each in shown(joined(PROVIDER, FOLDER / "compact.jsonl"))]
    bodies = [body for body in rows if isinstance(body, ToolCall)]
    dropped = [body for body in bodies if body.interrupted]
    asked = [str((body.args or {})["command"]).partition(";")[0] for body in dropped]
    assert asked == ["echo step 5", "echo step 9", "echo step 13"]
    assert [body.state for body in dropped] == [ToolState.OUTPUT_AVAILABLE] * 3
    assert len(bodies) == 14


def test_a_refusal_is_the_persons():
    denied = [call.denial for call in found("denied") if call.denial is not None]
    assert [(each.by, each.words) for each in denied] == [(DeniedBy.PERSON, None)] * 3


def test_a_compaction_replaces_the_history_once():
    store = joined(PROVIDER, FOLDER / "compact.jsonl")
    made = [each.body for each in shown(store) if isinstance(each.body, Compaction)]
    assert [each.trigger for each in made] == ["automatic"] * 3


def test_tokens_are_those_of_the_session_and_of_its_summaries():
    total = joined(PROVIDER, FOLDER / "compact.jsonl").summary.total
    assert total is not None
    usage = total[1]
    assert (usage.input_uncached or 0) + (usage.input_cached or 0) == 1_670_700
    demo = joined(PROVIDER, FOLDER / "demo.jsonl").summary.total
    assert demo is not None
    assert (demo[1].input_uncached, demo[1].input_cached, demo[1].output) == (20000, 20000, 3000)


@pytest.mark.parametrize(
    ("name", "state", "about"),
    [
        ("demo", SessionState.YOUR_TURN, None),
        ("errors", SessionState.FAILED, "Client error '400 Bad Request'"),
        ("live-mid", SessionState.WORKING, "for k in 1 2 3; do echo live 4 $k; sleep 0.7; done"),
    ],
)
def test_the_state_is_that_of_the_last_entry(name: str, state: SessionState, about: str | None):
    info = PROVIDER.info(PROVIDER.discovery.ref(FOLDER / f"{name}.jsonl"))
    assert (info.status.state, info.status.evidence) == (state, StateEvidence.LOG)
    assert (info.status.about or "").startswith(about or "")
    assert (info.project or "").startswith("/home/dev/ws/run/vibe/")
    assert info.model == "mock-model"


def test_a_store_is_found_with_its_running_call(tmp_path: Path):
    path = copied(LIVE, tmp_path)
    (ref,) = PROVIDER.scan(tmp_path)
    assert (ref.path, ref.session_id) == (str(path), path.name)
    assert PROVIDER.resume_command(ref) == ("vibe", "--resume", path.name)
    store = joined(PROVIDER, path)
    saved = shown(joined(PROVIDER, FOLDER / "live-mid.jsonl"))
    assert [each.started for each in shown(store)] == [each.started for each in saved]
    last = list(calls(store).values())[-1]
    assert (last.kind, last.state) == (ToolKind.SHELL, ToolState.INPUT_AVAILABLE)
    assert PROVIDER.info(ref).state is SessionState.WORKING


def test_a_snapshot_has_the_turns_whose_journal_is_deleted(tmp_path: Path):
    path = copied(RESUMED, tmp_path)
    said = texts(joined(PROVIDER, path))
    assert [text for text in said if text.startswith("Part") and "SCRIPT" in text] == [
        f"Part {word}. [[SCRIPT:part{number}]]"
        for number, word in enumerate(("one", "two", "three"), 1)
    ]
    shutil.rmtree(path / "journal")
    assert texts(joined(PROVIDER, path)) == said


def commit(path: Path, sequence: int, entries: list[Any], envelope: dict[str, Any]) -> None:
    """A generation as the client writes it: then `CURRENT` is replaced, and old files deleted."""
    chunk = f"{sequence:064x}"
    (path / "chunks").mkdir(exist_ok=True)
    (path / "chunks" / f"{chunk}.json").write_text(json.dumps(entries))
    name = f"{sequence:016}"
    folder = path / "generations" / name
    folder.mkdir()
    manifest = {"snapshot_sequence": sequence, "projection_state": {"chunks": [chunk]}}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / "projection-state.json").write_text(json.dumps({"snapshot": envelope}))
    current = json.loads((path / "CURRENT").read_text())
    old = current["generation"]
    (path / "CURRENT.tmp").write_text(
        json.dumps({**current, "generation": name, "snapshot_sequence": sequence})
    )
    (path / "CURRENT.tmp").replace(path / "CURRENT")
    shutil.rmtree(path / "generations" / old)
    (path / FIRST).unlink(missing_ok=True)
    (path / "journal" / f"{sequence + 1:016}.jsonl").touch()


def test_entries_with_one_id_are_apart_by_when_they_were_created(tmp_path: Path):
    path = copied(LIVE, tmp_path)
    before = len(shown(joined(PROVIDER, path)))
    state = {"status": "completed", "outputText": "0"}
    entry: dict[str, Any] = {
        "id": "shell:0", "type": "effect", "createdAt": 1795400946000, "state": state,
        "detail": {"kind": "tool", "toolName": "no_such_tool", "input": {"at": 0}},
    }  # fmt: skip
    other = {**entry, "createdAt": 1795400947000, "detail": {**entry["detail"], "input": {"at": 1}}}
    ended = {**other, "state": {"status": "completed", "outputText": "1"}}
    for at, each in enumerate((entry, other, ended)):
        change = {"op": "replace_entry" if each is ended else "append_entry", "entry": each}
        written(path, (900 + at, "projection_delta", {"delta": [change]}))
    *_, first, second = shown(joined(PROVIDER, path))
    assert len(shown(joined(PROVIDER, path))) == before + 2
    for at, body in enumerate((first.body, second.body)):
        assert isinstance(body, ToolCall)
        assert (body.args, text_of(body.output)) == ({"at": at}, str(at))


def test_a_session_is_followed_through_a_commit_and_the_deletion_of_its_journal(tmp_path: Path):
    path = copied(LIVE, tmp_path)
    journal = (path / FIRST).read_bytes().splitlines(keepends=True)
    (path / FIRST).write_bytes(b"")
    reader = LineReader(path)
    assert [list(each)[-1] for each in lines(reader)] == ["session", "username"]
    seen: list[Any] = []
    with (path / FIRST).open("ab", buffering=0) as file:
        for line in journal:
            file.write(line[:40])
            assert not any("id" in each for each in lines(reader))
            file.write(line[40:])
            seen += lines(reader)
    whole = joined(PROVIDER, path)
    entries = {each["id"]: each for each in seen if "createdAt" in each}
    assert len(entries) == len(shown(whole))
    envelope = next(
        change["state"]
        for change in reversed(json.loads(journal[-1])["payload"]["delta"])
        if change["op"] == "set_envelope"
    )
    commit(path, json.loads(journal[-1])["sequence"], list(entries.values()), envelope)
    # Nothing is new in the snapshot, and nothing is gone with the journal.
    assert lines(reader) == []
    assert facts(joined(PROVIDER, path)) == facts(whole)


def test_a_snapshot_has_what_the_journal_lost_before_it_was_read(tmp_path: Path):
    path = copied(LIVE, tmp_path)
    reader = LineReader(path)
    before = lines(reader)
    known = [each for each in before if "createdAt" in each]
    later = {**known[-1], "state": {"status": "completed", "outputText": "all"}}
    new = {**known[0], "id": "user-turn-2", "content": [{"type": "text", "text": "More."}]}
    commit(path, 9_999, [*known[:-1], later, new], {})
    assert lines(reader) == [later, new]
    store = joined(PROVIDER, path)
    assert [each.body.text for each in shown(store) if isinstance(each.body, User)][-1] == "More."
    assert list(calls(store).values())[-1].state is ToolState.OUTPUT_AVAILABLE


def test_an_older_snapshot_does_not_take_back_what_the_journal_says(tmp_path: Path):
    path = copied(LIVE, tmp_path)
    reader = LineReader(path)
    last = lines(reader)[-3]
    commit(path, 5, [{**last, "state": {"status": "running", "outputText": "older"}}], {})
    assert lines(reader) == []


def test_a_deleted_session_is_gone(tmp_path: Path):
    path = copied(LIVE, tmp_path)
    reader = LineReader(path)
    assert lines(reader)
    shutil.rmtree(path)
    assert PROVIDER.scan(tmp_path) == []


@pytest.mark.parametrize("name", ["CURRENT", "manifest.json", "projection-state.json", "meta.json"])
def test_a_half_copied_store_shows_what_it_has(tmp_path: Path, name: str):
    path = copied(RESUMED, tmp_path)
    (file,) = path.rglob(name)
    file.write_bytes(file.read_bytes()[:50])
    said = texts(joined(PROVIDER, path))
    # Without its generation only the journal is left.
    whole = name in ("projection-state.json", "meta.json")
    assert ("Part one. [[SCRIPT:part1]]" in said) is whole
    assert "Part three. [[SCRIPT:part3]]" in said


def test_a_missing_chunk_is_one_record_that_cannot_be_read(tmp_path: Path):
    path = copied(RESUMED, tmp_path)
    (chunk,) = (path / "chunks").iterdir()
    data = chunk.read_bytes()
    chunk.unlink()
    reader = LineReader(path)
    first = lines(reader)
    assert [each for each in first if "missing_chunk" in each] == [{"missing_chunk": chunk.stem}]
    chunk.write_bytes(data)
    again = lines(reader)
    assert isinstance(again[0], Reset)
    assert not any("missing_chunk" in each for each in again[1:])
    assert sum(each.get("type") == "effect" for each in again[1:]) == 4


def test_names_in_the_store_lead_nowhere_else(tmp_path: Path):
    path = copied(RESUMED, tmp_path)
    secret = tmp_path / "secret.json"
    secret.write_text('[{"id": "secret"}]')
    (manifest,) = path.rglob("manifest.json")
    told = json.loads(manifest.read_text())
    (chunk,) = told["projection_state"]["chunks"]
    (path / "chunks" / f"{chunk}.json").unlink()
    (path / "chunks" / f"{chunk}.json").symlink_to(secret)
    told["projection_state"]["chunks"] = [chunk, "../../../secret", 5]
    manifest.write_text(json.dumps(told))
    ids = [each.get("id") for each in lines(LineReader(path))]
    assert "secret" not in ids


def written(path: Path, *records: tuple[int, str, dict[str, Any]]) -> None:
    """Lines at the end of the journal, which has numbers up to 999."""
    with (path / FIRST).open("a") as file:
        for sequence, kind, payload in records:
            line = {"payload": payload, "sequence": sequence, "type": kind}
            file.write(json.dumps(line) + "\n")


def response(action: str, *call_ids: str) -> tuple[int, str, dict[str, Any]]:
    parts = [
        {"type": "tool_call", "id": each, "name": "no_such_tool", "arguments_json": '{"a": 1}'}
        for each in call_ids
    ]
    usage = {"input_tokens": 1000, "cached_input_tokens": 400, "output_tokens": 7}
    result = {"result": {"parts": parts, "usage": usage}}
    return 901, "action_result", {"action_id": action, "result": result}


def given(*call_ids: str) -> tuple[int, str, dict[str, Any]]:
    """What the client gives the model's response to its own machine, with its time."""
    (_, _, payload) = response("x", *call_ids)
    inputs = {"command": payload["result"], "determinism": {"time_unix_ms": 1795400946000}}
    return 902, "core_input", {"input": inputs}


def answered(*call_ids: str) -> tuple[int, str, dict[str, Any]]:
    """The next request to the model, which has the answers to all calls of its response."""
    outcome = {"role": "tool", "outcome": "failure", "content": "no"}
    answers = [{**outcome, "tool_call_id": each} for each in call_ids]
    messages = {"messages": [{"role": "assistant"}, *answers]}
    return 903, "action_intent", {"request": {"model_input": {"messages": messages}}}


@pytest.mark.parametrize("committed", [False, True])
def test_calls_that_only_the_journal_has_are_shown_where_they_were_asked_for(
    tmp_path: Path, committed: bool
):
    path = copied(LIVE, tmp_path)
    known = [each for each in lines(LineReader(path)) if "createdAt" in each]
    run = {"request": {"call_id": "c1", "type": "runtime_builtin_tool_call"}}
    new = {**known[0], "id": "user-turn-2"}
    change = {"delta": [{"op": "append_entry", "entry": new}]}
    written(
        path,
        given("c1", "c2", "c3"),
        (902, "action_intent", run),
        answered("c1", "c2", "c3"),
        (904, "projection_delta", change),
    )
    if committed:
        journal = (path / FIRST).read_bytes()
        commit(path, 904, [*known, new], {})
        (path / FIRST).write_bytes(journal)
    records = [each for each in lines(LineReader(path)) if "call" in each or "createdAt" in each]
    assert [each.get("call", each)["id"] for each in records[-3:]] == ["c2", "c3", "user-turn-2"]
    made = calls(joined(PROVIDER, path))["c2"]
    assert (made.ok, made.error, made.args) == (False, "no", {"a": 1})


def test_a_call_is_dropped_once_the_model_is_asked_again_without_it(tmp_path: Path):
    path = copied(LIVE, tmp_path)
    written(path, given("c1", "c2"))
    assert "c1" not in calls(joined(PROVIDER, path))
    run = {"request": {"call_id": "c1", "type": "runtime_builtin_tool_call"}}
    written(path, (904, "action_intent", run))
    assert "c2" not in calls(joined(PROVIDER, path))
    written(path, answered())
    made = calls(joined(PROVIDER, path))
    assert "c1" not in made
    assert made["c2"].interrupted
    assert (made["c2"].ok, made["c2"].error) == (None, None)


def test_tokens_of_requests_count_that_the_client_does_not_count(tmp_path: Path):
    path = copied(LIVE, tmp_path)
    before = joined(PROVIDER, path).summary.total
    assert before is not None
    assert before[1].input_uncached == 2750
    written(path, *(response(f"a{number}") for number in range(20)), response("a1"))
    after = joined(PROVIDER, path).summary.total
    assert after is not None
    assert (after[1].input_uncached, after[1].input_cached) == (20 * 600, 20 * 400)


def test_a_line_of_the_journal_that_is_damaged_is_a_record(tmp_path: Path):
    path = copied(LIVE, tmp_path)
    with (path / FIRST).open("a") as file:
        file.write('{"payload": {"delta": [}, "type": "projection_delta"}\n')
    reader = LineReader(path)
    assert b'{"payload": {"delta": [}, "type": "projection_delta"}' in [
        getattr(item, "data", None) for item in reader.poll().items
    ]


def decoded(record: dict[str, Any]) -> list[Event]:
    data = json.dumps(record).encode()
    ref = PROVIDER.discovery.ref(FOLDER / "demo.jsonl")
    return PROVIDER.decode(data, SourceRef("x", 0, len(data)), ref)


def test_a_request_for_approval_waits_until_it_is_resolved(tmp_path: Path):
    path = copied(LIVE, tmp_path)
    effect = list(calls(joined(PROVIDER, path)))[-1]
    routing = {
        "id": "approval-1", "type": "callback", "createdAt": 1795400945458, "title": "Approve it",
        "relatedEntryId": effect, "detail": {"kind": "approval", "effect": {"input": {"a": 1}}},
    }  # fmt: skip
    line = {"type": "callback_registered", "sequence": 900, "payload": {"routing": routing}}
    with (path / FIRST).open("a") as file:
        file.write(json.dumps(line) + "\n")
    info = PROVIDER.info(PROVIDER.discovery.ref(path))
    assert (info.state, info.status.about) == (SessionState.NEEDS_APPROVAL, "Approve it")
    output = {"type": "approval", "decision": {"type": "approve"}}
    answer = {"callback_id": "approval-1", "result": {"output": output}}
    with (path / FIRST).open("a") as file:
        line = {"type": "callback_resolved", "sequence": 901, "payload": answer}
        file.write(json.dumps(line) + "\n")
    assert PROVIDER.info(PROVIDER.discovery.ref(path)).state is SessionState.WORKING


def test_a_request_has_its_answer_also_where_its_entry_says_it():
    output = {"type": "approval", "decision": {"type": "deny"}, "feedback": "not now"}
    entry: dict[str, Any] = {
        "id": "approval-1", "type": "callback", "createdAt": 1795400945458, "title": "Approve it",
        "detail": {"kind": "approval"}, "state": {"status": "answered", "output": output},
    }  # fmt: skip
    asked, answer = decoded(entry)
    resolved = {"callback_id": "approval-1", "result": {"output": output}}
    (again,) = decoded({"callback_resolved": resolved})
    assert isinstance(asked.body, ToolCall)
    assert isinstance(answer.body, ToolResult)
    assert answer.body.call_id == asked.body.call_id == "approval-1"
    assert answer.body.denial == Denial(DeniedBy.PERSON, "not now")
    assert (answer.body, answer.dedupe_key) == (again.body, again.dedupe_key)
    entry["state"] = {"status": "open", "output": None}
    assert len(decoded(entry)) == 1


@pytest.mark.parametrize(
    ("turn", "topic"),
    [
        ({"status": "completed"}, Topic.TURN_END),
        ({"status": "cancelled"}, Topic.INTERRUPT),
        ({"status": "failed", "error": {"message": "no"}}, Topic.API_ERROR),
        ({"status": "failed", "error": {"details": {"httpStatus": 429}}}, Topic.LIMIT),
    ],
)
def test_a_turn_ends(turn: dict[str, Any], topic: Topic):
    times = {"startedAt": 1795400945000, "completedAt": 1795400946500}
    (event,) = decoded({"latestTurn": {"id": "turn-1", **times, **turn}})
    assert isinstance(event.body, Notification)
    assert (event.body.topic, event.body.duration) == (topic, 1.5)


def test_an_agent_is_found_from_the_session_that_lists_it(tmp_path: Path):
    path = copied(LIVE, tmp_path)
    child = path.with_name("agent-1")
    shutil.copytree(RESUMED, child)
    meta = json.loads((path / "meta.json").read_text())
    meta["child_sessions"] = ["agent-1", "../agent-1", {"session_id": "agent-1"}, None, "gone"]
    (path / "meta.json").write_text(json.dumps(meta))
    own = json.loads((child / "meta.json").read_text())
    (child / "meta.json").write_text(
        json.dumps({**own, "session_id": "agent-1", "parent_session_id": path.name})
    )
    ref = PROVIDER.discovery.ref(path)
    (agent, _) = PROVIDER.discovery.children(ref)
    assert (agent.stream.kind, agent.parent_id) == (StreamKind.SUBAGENT, path.name)
    assert PROVIDER.resume_command(agent) is None
    (generation,) = (child / "generations").iterdir()
    (generation / "runtime-state.json").write_text('{"identity": {"kind": "root", "depth": 0}}')
    assert PROVIDER.discovery.children(ref) == []


def test_a_tool_of_a_server_is_known_by_its_namespace():
    entry = {
        "id": "effect-1", "type": "effect", "createdAt": 1, "state": {"status": "running"},
        "detail": {"kind": "tool", "toolName": "tickets.list_issues", "input": {"q": "x"}},
    }  # fmt: skip
    call = decoded(entry)[0].body
    assert isinstance(call, ToolCall)
    assert (call.kind, call.canonical_name) == (ToolKind.MCP, "mcp__tickets__list_issues")


def test_where_sessions_are():
    roots = PROVIDER.discovery.roots
    assert roots({"HOME": "/h"}) == [Path("/h/.vibe/logs/session/unified")]
    assert roots({"HOME": "/h", "VIBE_HOME": "/x"}) == [Path("/x/logs/session/unified")]


def test_the_state_does_not_depend_on_how_much_the_store_has_that_is_no_record(tmp_path: Path):
    place = copied(RESUMED, tmp_path)
    before = PROVIDER.info(PROVIDER.discovery.ref(place)).status
    with next((place / "journal").iterdir()).open("ab") as journal:
        journal.write(b'{"type": "checkpoint", "payload": "%s"}\n' % (b"x" * 400_000))
    ref = PROVIDER.discovery.ref(place)
    assert (ref.size or 0) > 400_000
    assert PROVIDER.info(ref).status == before
