"""Sessions of Vibe 2: what their messages say, and how their folders are read."""

import json
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.events import Attachment, Compaction, User
from agentview.domain.session import StreamKind
from agentview.domain.session_state import SessionState
from agentview.domain.tool_results import MatchResult, ReadResult, ShellResult, WebFetchResult
from agentview.domain.tools import DeniedBy, ToolCall, ToolKind, ToolState
from agentview.providers import load_provider, recognise
from agentview.providers.vibe.vibe_2 import PROVIDER
from agentview.sources.lines import LineReader, Reset
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import calls, joined, shown
from tests.providers.vibe.call_count import calls as counted

FOLDER = sample_sessions_dir() / "vibe_2"
SAMPLES = sorted(FOLDER.glob("*.jsonl"))


def records(name: str) -> list[Any]:
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text().splitlines()]


def saved(place: Path, name: str, **meta: Any) -> Path:
    """The folder that a client would have written."""
    *messages, kept = records(name)
    place.mkdir(parents=True)
    lines = "".join(json.dumps(message) + "\n" for message in messages)
    (place / "messages.jsonl").write_text(lines)
    (place / "meta.json").write_text(json.dumps({**kept, **meta}, indent=2))
    return place


def found(name: str) -> list[ToolCall]:
    return list(calls(joined(PROVIDER, FOLDER / f"{name}.jsonl")).values())


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_each_call_is_shown_once_with_its_result(path: Path):
    made = calls(joined(PROVIDER, path))
    answered = {key: call.state is not ToolState.INPUT_AVAILABLE for key, call in made.items()}
    assert answered == counted(path)


def test_results_are_typed():
    made = found("demo")
    shells = [call.result for call in made if isinstance(call.result, ShellResult)]
    assert {0, 3, 7} <= {each.exit_code for each in shells}
    failed = next(each for each in shells if each.exit_code == 3)
    assert (failed.stdout, (failed.stderr or "").strip()) == ("out line", "err line")
    assert sum(each.timed_out for each in shells) == 1
    greps = [call.result for call in made if isinstance(call.result, MatchResult)]
    assert [each.match_count for each in greps] == [40, 0]
    part = [call.result for call in made if isinstance(call.result, ReadResult)][-1]
    assert (part.start, part.line_count, part.truncated) == (100, 5, True)
    (page,) = [call.result for call in made if isinstance(call.result, WebFetchResult)]
    assert (page.text or "").startswith("Mock page")
    unknown = {call.provider_name for call in made if call.kind is ToolKind.UNKNOWN}
    assert "task" not in unknown
    assert "todo" not in unknown


def test_calls_that_were_not_permitted_are_denied():
    denied = [call for call in found("denied") if call.denial is not None]
    assert len(denied) == 3
    assert all(call.state is ToolState.OUTPUT_DENIED for call in denied)
    assert {call.denial.by for call in denied if call.denial} == {DeniedBy.APPROVAL}


@pytest.mark.parametrize(
    ("said", "by"),
    [
        ("<user_cancellation>User cancelled the operation.</user_cancellation>", "person"),
        ("<user_cancellation>bash</user_cancellation>", "person"),
        ("Tool 'bash' is permanently disabled", "rule"),
        ("<user_cancellation>Tool execution interrupted by user.</user_cancellation>", None),
    ],
)
def test_a_call_that_the_person_or_a_rule_stopped(tmp_path: Path, said: str, by: str | None):
    asked = {"id": "c1", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
    messages = [
        {"role": "user", "content": "list", "injected": False, "message_id": "m1"},
        {"role": "assistant", "tool_calls": [asked], "injected": False, "message_id": "m2"},
        {"role": "tool", "content": said, "name": "bash", "tool_call_id": "c1", "injected": False},
    ]
    log = tmp_path / "messages.jsonl"
    log.write_text("".join(json.dumps(each) + "\n" for each in messages))
    (call,) = calls(joined(PROVIDER, log)).values()
    assert (call.denial.by if call.denial else None) == by
    assert (call.state is ToolState.OUTPUT_DENIED) is (by is not None)
    assert call.interrupted is (by is None)


@pytest.mark.parametrize("words", ["Go on.", ""])
def test_what_the_client_says_of_the_context_is_not_the_persons(tmp_path: Path, words: str):
    warning = "<vibe_warning>You have used 50% of your total context</vibe_warning>"
    said = f"{words}\n\n{warning}" if words else warning
    log = tmp_path / "messages.jsonl"
    log.write_text(json.dumps({"role": "user", "content": said, "message_id": "m1"}) + "\n")
    (body,) = [each.body for each in shown(joined(PROVIDER, log))]
    if words:
        assert body == User("Go on.", context=(warning,))
    else:
        assert body == Attachment("warning", "instructions", warning)


def test_a_folder_gives_what_its_records_in_one_file_give(tmp_path: Path):
    place = saved(tmp_path / "session_20261123_022547_df4905d4", "demo")
    bodies = [each.body for each in shown(joined(PROVIDER, place))]
    assert bodies == [each.body for each in shown(joined(PROVIDER, FOLDER / "demo.jsonl"))]
    info = PROVIDER.info(PROVIDER.discovery.ref(place))
    assert (info.branch, info.model) == ("main", "mock-model")
    assert (info.state, info.status.certain) == (SessionState.YOUR_TURN, False)
    assert (info.started, info.last_activity) == (1795400747.088695, 1795400758.482032)


def test_an_agent_is_found_with_the_call_that_started_it(tmp_path: Path):
    place = saved(tmp_path / "session_20261123_022547_df4905d4", "demo")
    saved(place / "agents" / "explore_20261123_022557_650a1851", "agent")
    main, agent = PROVIDER.scan(tmp_path)
    assert PROVIDER.discovery.children(main) == [agent]
    assert (agent.stream.kind, agent.label) == (StreamKind.SUBAGENT, "explore")
    assert agent.parent_id == main.session_id
    started = calls(joined(PROVIDER, place))[agent.parent_call or ""]
    assert started.kind is ToolKind.SUBAGENT_TASK
    assert PROVIDER.resume_command(agent) is None
    assert PROVIDER.resume_command(main) == ("vibe", "--resume", main.session_id)
    prompt = shown(joined(PROVIDER, Path(agent.path)))[0].body
    assert isinstance(prompt, User)
    assert prompt.text == "Count. [[SCRIPT:sub_a]]"
    assert prompt.context[0].startswith("Scratchpad directory: ")


def test_a_session_after_a_compaction_counts_what_is_its_own(tmp_path: Path):
    first = {"session_prompt_tokens": 600_000, "session_completion_tokens": 900}
    root = "837669d1-09e0-4d38-a5c7-5b66c4ad600a"
    saved(
        tmp_path / "session_20261123_022604_837669d1", "demo",
        session_id=root, title="The root", stats={**first, "session_cost": 0.6},
    )  # fmt: skip
    place = saved(tmp_path / "session_20261123_022605_65d7a355", "compact")
    store = joined(PROVIDER, place)
    assert isinstance(shown(store)[0].body, Compaction)
    total = store.summary.total
    assert total is not None
    assert (total[1].input_uncached, total[1].output) == (813_000, 1170)
    assert total[1].input_cached is None
    assert PROVIDER.info(PROVIDER.discovery.ref(place)).title == "The root"


def lines(reader: LineReader) -> list[Any]:
    return [
        item if isinstance(item, Reset) else json.loads(item.data or b"")
        for item in reader.poll().items
    ]


def test_messages_that_are_added_come_before_what_is_counted_again(tmp_path: Path):
    place = saved(tmp_path / "session_20261123_022547_df4905d4", "demo")
    reader = LineReader(place)
    assert len(lines(reader)) == len(records("demo"))
    more = {"role": "user", "content": "More.", "injected": False, "message_id": "m"}
    meta = json.loads((place / "meta.json").read_text())
    with (place / "messages.jsonl").open("a") as file:
        file.write(json.dumps(more)[:20])
        file.flush()
        assert lines(reader) == []
        file.write(json.dumps(more)[20:] + "\n")
    (place / "meta.json").write_text(json.dumps({**meta, "title": "Other"}))
    added = lines(reader)
    assert [added[0], added[1]["title"]] == [more, "Other"]
    (place / "messages.jsonl").write_text(json.dumps(more) + "\n")
    again = lines(reader)
    assert isinstance(again[0], Reset)
    assert [again[1], again[2]["title"]] == [more, "Other"]


def test_older_messages_are_recognised():
    call = {"id": "c1", "index": 0, "function": {"name": "read_file", "arguments": {"path": "a"}}}
    asked = {"role": "assistant", "content": "Hm.", "message_id": "m2", "tool_calls": [call]}
    prompt = {"role": "user", "content": "Look.", "message_id": "m1"}
    head = "".join(json.dumps(each) + "\n" for each in (prompt, asked)).encode()
    assert recognise(head, Path("messages.jsonl")) is load_provider(PROVIDER.name)
    others: list[dict[str, Any]] = [{"conversation": "x"}, {"role": {}}, {"role": []}]
    for more in others:
        assert PROVIDER.discovery.probe(json.dumps({**prompt, **more}).encode(), Path("x")) == 0.0


def test_where_sessions_are():
    roots = PROVIDER.discovery.roots
    assert roots({"HOME": "/h"}) == [Path("/h/.vibe/logs/session")]
    assert roots({"HOME": "/h", "VIBE_HOME": "/x"}) == [Path("/x/logs/session")]
