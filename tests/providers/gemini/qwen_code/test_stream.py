"""What is printed: pieces become the whole, calls have their results, agents their own stream."""

import json
from pathlib import Path

import pytest

from agentview.domain.events import Hidden, Level, Message, Notification, Topic, Unparsed, User
from agentview.domain.session import Stream, StreamKind
from agentview.domain.session_state import SessionState
from agentview.domain.tools import ToolCall, ToolKind, ToolState
from agentview.domain.usage import Usage
from agentview.providers import load_provider, recognise
from agentview.providers.base import HEAD_BYTES
from agentview.providers.gemini.qwen_code import PROVIDER
from agentview.providers.gemini.qwen_code.discovery import DISCOVERY, probe_head
from tests.providers.gemini.qwen_code.log import SAMPLES, Record, bodies, events, joined
from tests.providers.joined_log import shown, texts

PRINTED = SAMPLES / "printed"


def printed(kind: str, **fields: object) -> Record:
    return {"type": kind, "uuid": "u", "session_id": "s", "parent_tool_use_id": None, **fields}


@pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])
def test_pieces_give_way_to_the_whole(backward: bool):
    store = joined(PRINTED / "errors.jsonl", backward=backward)
    said = texts(store)
    assert said[:2] == ["First.", "After the retries."]
    assert [text for text in said if text.startswith("[API Error")] == said[2:4]
    calls = [a.body for a in shown(store) if isinstance(a.body, ToolCall)]
    assert [call.state for call in calls] == [ToolState.OUTPUT_AVAILABLE] * 2
    assert store.summary.usage == Usage(1075, 1075, None, 240)


@pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])
def test_a_call_is_what_the_table_says_though_it_came_in_pieces(backward: bool):
    store = joined(PRINTED / "tools.jsonl", backward=backward)
    calls = [a.body for a in shown(store) if isinstance(a.body, ToolCall)]
    assert len(calls) == 47
    kinds = {call.provider_name: call.kind for call in calls}
    assert kinds["tool_search"] is ToolKind.TOOL_SEARCH
    assert kinds["edit"] is ToolKind.EDIT
    assert all(call.state is not ToolState.INPUT_STREAMING for call in calls)
    children = {event.child for a in shown(store) for event in a.events} - {None}
    assert len(children) == 2


def test_an_agent_has_a_stream_named_by_its_call():
    message = {"role": "user", "content": [{"type": "text", "text": "Count."}]}
    event = events(printed("user", message=message, parent_tool_use_id="c-1"))[0]
    assert event.body == User("Count.")
    assert event.stream == Stream(StreamKind.SUBAGENT, "c-1")


def test_the_session_tells_of_itself_and_is_recognised_by_it():
    init = printed("system", subtype="init", cwd="/w", model="m", qwen_code_version="0.24.4")
    event = events(init)[0]
    assert isinstance(event.body, Hidden)
    assert event.facts is not None
    assert (event.facts.cwd, event.facts.client_version) == ("/w", "0.24.4")
    head = json.dumps(init).encode()
    assert probe_head(head) > 0.9
    assert probe_head(head[:-3]) > 0.5


def test_parts_of_a_response_are_told_apart():
    content = [{"type": "text", "text": "So"}, {"type": "brand_new"}]
    found = bodies(printed("assistant", message={"id": "m", "content": content}))
    assert found[0] == Message("So")
    assert isinstance(found[1], Unparsed)
    report = {"content": [{"type": "text", "text": 'Background agent "x" completed.'}]}
    assert bodies(printed("user", message=report)) == [
        Notification(Topic.BACKGROUND, 'Background agent "x" completed.')
    ]
    assert isinstance(bodies(printed("system", subtype="brand_new"))[0], Unparsed)


def test_all_that_was_printed_may_be_one_list(tmp_path: Path):
    lines = (PRINTED / "errors.jsonl").read_bytes().splitlines()
    log = tmp_path / "answer.json"
    log.write_bytes(b"[" + b",".join(lines) + b"]\n")
    assert recognise(log.read_bytes()[:HEAD_BYTES], log) is load_provider(PROVIDER.name)
    listed, apart = joined(log), joined(PRINTED / "errors.jsonl")
    assert texts(listed) == texts(apart)
    assert listed.summary.usage == apart.summary.usage
    info = PROVIDER.info(DISCOVERY.ref(log))
    assert info.ref.session_id == DISCOVERY.ref(PRINTED / "errors.jsonl").session_id
    assert (info.title, info.state) == ("First.", SessionState.FAILED)


def test_what_client_and_host_ask_of_each_other_is_not_shown():
    request: Record = {
        "subtype": "can_use_tool",
        "tool_name": "edit",
        "tool_use_id": "c-1",
        "input": {},
    }
    asked: Record = {"type": "control_request", "request_id": "r", "request": request}
    assert isinstance(bodies(asked)[0], Hidden)
    answer = {"type": "control_response", "response": {"subtype": "success", "request_id": "r"}}
    assert isinstance(bodies(answer)[0], Hidden)
    told = bodies(printed("system", subtype="tool_denied", data={"message": "Not in plan mode"}))
    assert told == [Notification(Topic.SYSTEM, "Not in plan mode", Level.WARNING)]
