"""Messages of all shapes and in all containers, joined as they are shown."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.content import JsonBlock, TextBlock
from agentview.domain.events import Event, Message, TokenUsage, Unparsed, User
from agentview.domain.record_ref import SourceRef
from agentview.domain.tool_inputs import ShellPayload
from agentview.domain.tools import ToolCall, ToolState
from agentview.domain.usage import Usage
from agentview.normalize.json_values import Fields
from agentview.providers import recognise
from agentview.providers.chat_log import PROVIDER, conversation
from agentview.providers.chat_log.conversation import role_of
from agentview.sources.line_splitter import Line
from agentview.timeline.rows.reading import log_reader
from agentview.timeline.rows.session_store import SessionStore
from tests.providers.chat_log.shapes import (
    DONE,
    LOOKING,
    PROMPT,
    RESULT,
    SHAPES,
    Messages,
    openai_call,
)
from tests.providers.joined_log import joined, shown

each_shape = pytest.mark.parametrize("shape", SHAPES)


def lines(messages: Messages) -> str:
    return "".join(json.dumps(each) + "\n" for each in messages)


CONTAINERS: Mapping[str, Callable[[Messages], str]] = {
    "lines": lines,
    "list": lambda messages: json.dumps(messages, indent=1),
    "list on one line": json.dumps,
    "document": lambda messages: json.dumps(
        {"id": "1", "messages": messages, "end": True}, indent=2
    ),
    "document on one line": lambda messages: json.dumps({"history": messages}) + "\n",
    "row": lambda messages: json.dumps({"id": 1, "conversations": messages}) + "\n",
    "deep": lambda messages: json.dumps({"values": {"state": {"messages": messages}}}, indent=1),
    "text in a row": lambda messages: json.dumps({"messages": json.dumps(messages)}) + "\n",
    "pretty-printed values": lambda messages: "\n".join(
        json.dumps(each, indent=2) for each in messages
    ),
    "values on one line": lambda messages: "".join(map(json.dumps, messages)),
    "envelopes": lambda messages: lines(
        [{"at": n, "run": "r", "message": each} for n, each in enumerate(messages)]
    ),
}


def log(folder: Path, text: str) -> Path:
    path = folder / "x.json"
    path.write_text(text)
    return path


def bodies(store: SessionStore, kind: type) -> list[Any]:
    return [each.body for each in shown(store) if isinstance(each.body, kind)]


def output(call: ToolCall) -> list[object]:
    return [
        block.text if isinstance(block, TextBlock) else block.value
        for block in call.output
        if isinstance(block, TextBlock | JsonBlock)
    ]


def assert_said(store: SessionStore) -> None:
    assert [each.text for each in bodies(store, User)] == [PROMPT]
    assert [each.text for each in bodies(store, Message)] == [LOOKING, DONE]
    (call,) = bodies(store, ToolCall)
    assert call.provider_name == "bash"
    assert isinstance(call.payload, ShellPayload)
    assert call.payload.command == "cat a.py"
    assert call.state is ToolState.OUTPUT_AVAILABLE
    assert output(call) in ([RESULT], [{"output": RESULT}])


def checked(shape: str, container: str, folder: Path) -> None:
    path = log(folder, CONTAINERS[container](SHAPES[shape]))
    assert_said(joined(PROVIDER, path))
    assert_said(joined(PROVIDER, path, backward=True))


@pytest.mark.parametrize("container", ["lines", "row"])
@each_shape
def test_a_conversation_of_every_shape_is_read(shape: str, container: str, tmp_path: Path):
    checked(shape, container, tmp_path)


OTHERS = {"openai-responses": "codex", "agents-js": "codex", "gemini": "gemini_cli"}
"""Shapes that a client writes as they come from its API."""


@each_shape
def test_it_is_recognised_where_no_client_has_the_shape(shape: str, tmp_path: Path):
    for container, text in CONTAINERS.items():
        path = log(tmp_path, text(SHAPES[shape]))
        found = recognise(path.read_bytes(), path)
        assert found is not None, container
        assert found.name in ("chat_log", OTHERS.get(shape)), container


@pytest.mark.parametrize("container", CONTAINERS)
def test_a_conversation_is_read_in_every_container(container: str, tmp_path: Path):
    checked("openai-chat", container, tmp_path)
    checked("anthropic", container, tmp_path)


REQUEST = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": PROMPT}]
CALLED = {"role": "assistant", "content": LOOKING, "tool_calls": [openai_call()]}
ANSWER = {"role": "tool", "tool_call_id": "call_1", "content": RESULT}
TOKENS = {
    "prompt_tokens": 100,
    "completion_tokens": 7,
    "prompt_tokens_details": {"cached_tokens": 60},
    "completion_tokens_details": {"reasoning_tokens": 2},
}


def response(name: str, message: object) -> dict[str, object]:
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {"id": name, "model": "quay-1-0613", "choices": [choice], "usage": TOKENS}


def requests() -> list[dict[str, object]]:
    """Requests that repeat what was said before, with their responses."""
    second = [*REQUEST, CALLED, ANSWER]
    done = {"role": "assistant", "content": DONE, "refusal": None}
    return [
        {
            "response": response("r1", CALLED),
            "request": {"model": "quay-1", "messages": REQUEST, "tools": [{"role": "x"}]},
        },
        {"request": {"model": "quay-1", "messages": second}, "response": response("r2", done)},
        {"request": {"messages": second}, "response": {"error": "overloaded"}},
    ]


def usages(path: Path) -> dict[str, TokenUsage]:
    events = [event for record in records(path) for event in record]
    found = [event.body for event in events if isinstance(event.body, TokenUsage)]
    return {each.response_id: each for each in found}


def records(path: Path) -> list[list[Event]]:
    ref = PROVIDER.discovery.ref(path)
    reader = log_reader(PROVIDER, path)
    items = [*reader.poll(1 << 30).items, *reader.finish()]
    found = [item for item in items if isinstance(item, Line)]
    return [
        PROVIDER.decode(line.data or b"", SourceRef(str(path), line.offset, line.length), ref)
        for line in found
    ]


def test_what_requests_repeat_is_shown_once(tmp_path: Path):
    path = log(tmp_path, lines(requests()))
    for backward in (False, True):
        assert_said(joined(PROVIDER, path, backward=backward))
    used = usages(path)
    assert used == {
        name: TokenUsage(name, Usage(40, 60, None, 7, 2), "quay-1-0613") for name in ("r1", "r2")
    }


def test_a_log_of_messages_repeats_what_was_said_twice(tmp_path: Path):
    path = log(tmp_path, lines([*SHAPES["openai-chat"], *SHAPES["openai-chat"]]))
    store = joined(PROVIDER, path)
    assert [each.text for each in bodies(store, User)] == [PROMPT, PROMPT]
    assert len(bodies(store, ToolCall)) == 2


def test_rows_are_conversations_of_their_own(tmp_path: Path):
    rows = [
        {"messages": [{"role": "user", "content": words}, {"role": "assistant", "content": DONE}]}
        for words in ("One", "Two")
    ]
    store = joined(PROVIDER, log(tmp_path, lines(rows)))
    assert [each.text for each in bodies(store, User)] == ["One", "Two"]
    assert [each.text for each in bodies(store, Message)] == [DONE, DONE]


@pytest.mark.parametrize(
    ("counts", "usage"),
    [
        ({"usage": TOKENS}, Usage(40, 60, None, 7, 2)),
        (
            {"usage": {"input_tokens": 5, "cache_read_input_tokens": 90, "output_tokens": 3}},
            Usage(5, 90, None, 3),
        ),
        (
            {"usage": {"input_tokens": 9, "cache_creation_input_tokens": 4, "output_tokens": 3}},
            Usage(9, None, 4, 3),
        ),
        (
            {"usageMetadata": {
                "promptTokenCount": 50, "cachedContentTokenCount": 20,
                "candidatesTokenCount": 6, "thoughtsTokenCount": 4, "totalTokenCount": 60,
            }},
            Usage(30, 20, None, 10, 4),
        ),
        (
            {"usage": {"inputTokens": 8, "outputTokens": 2, "cachedInputTokens": 3}},
            Usage(5, 3, None, 2),
        ),
        (
            {"usage_metadata": {"input_tokens": 10, "output_tokens": 4,
                                "input_token_details": {"cache_read": 3}}},
            Usage(7, 3, None, 4),
        ),
        ({"prompt_eval_count": 11, "eval_count": 4}, Usage(11, None, None, 4)),
        ({"models_usage": {"prompt_tokens": 3, "completion_tokens": 1}}, Usage(3, None, None, 1)),
        ({"response_metadata": {"token_usage": {"completion_tokens": 1}}}, Usage(output=1)),
        ({"usage": {}}, None),
        ({"usage": "much"}, None),
    ],
)  # fmt: skip
def test_tokens_have_the_names_of_all_apis(
    counts: dict[str, Any], usage: Usage | None, tmp_path: Path
):
    message = {"role": "assistant", "content": DONE, "id": "m", **counts}
    path = log(tmp_path, lines([{"role": "user", "content": PROMPT}, message]))
    found = usages(path)
    assert found == ({"m": TokenUsage("m", usage)} if usage is not None else {})


def test_the_tree_of_an_export_is_its_current_branch(tmp_path: Path):
    def node(own: str, parent: str | None, role: str, words: str, **more: Any) -> Any:
        content = {"content_type": "text", "parts": [words]}
        message = {"author": {"role": role}, "content": content, "create_time": 1e9, **more}
        return {"id": own, "parent": parent, "children": [], "message": message}

    nodes = [
        {"id": "root", "message": None, "parent": None},
        node("a", "root", "user", PROMPT),
        node("old", "a", "assistant", "Left."),
        node("b", "a", "assistant", "print(1)", recipient="python"),
        node("c", "b", "tool", RESULT),
        node("d", "c", "assistant", DONE, recipient="all"),
    ]
    tree = {"title": "Tea", "mapping": {each["id"]: each for each in nodes}, "current_node": "d"}
    path = log(tmp_path, json.dumps([tree]))
    store = joined(PROVIDER, path)
    assert [each.text for each in bodies(store, User)] == [PROMPT]
    assert [each.text for each in bodies(store, Message)] == [DONE]
    (call,) = bodies(store, ToolCall)
    assert (call.provider_name, output(call)) == ("python", [RESULT])
    assert PROVIDER.info(PROVIDER.discovery.ref(path)).title == "Tea"


def test_an_export_with_senders_is_read(tmp_path: Path):
    said = [
        {"uuid": "1", "sender": "human", "text": PROMPT,
         "content": [{"type": "text", "text": PROMPT}]},
        {"uuid": "2", "sender": "assistant", "text": "", "content": [
            {"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": LOOKING},
            {"type": "tool_use", "name": "bash", "input": {"command": "cat a.py"}},
            {"type": "tool_result", "name": "bash", "content": [{"type": "text", "text": RESULT}]},
            {"type": "text", "text": DONE},
        ]},
    ]  # fmt: skip
    path = log(tmp_path, json.dumps([{"uuid": "c", "name": "Tea", "chat_messages": said}]))
    assert_said(joined(PROVIDER, path))


def test_a_response_has_what_was_asked_as_a_text(tmp_path: Path):
    items = SHAPES["openai-responses"][1:]
    row = {"id": "resp_1", "model": "quay-1", "instructions": "Be brief.", "input": PROMPT,
           "output": items, "usage": {"input_tokens": 4, "output_tokens": 2}}  # fmt: skip
    path = log(tmp_path, json.dumps(row, indent=1))
    assert_said(joined(PROVIDER, path))
    assert usages(path) == {"resp_1": TokenUsage("resp_1", Usage(4, output=2), "quay-1")}


def test_calls_without_ids_get_their_results_in_order(tmp_path: Path):
    calls = [openai_call(None, {"command": f"echo {n}"}) for n in range(3)]
    answers = [{"role": "tool", "content": str(n)} for n in range(3)]
    path = log(tmp_path, lines([{"role": "assistant", "tool_calls": calls}, *answers]))
    found = bodies(joined(PROVIDER, path), ToolCall)
    assert [(call.args["command"], output(call)) for call in found] == [
        (f"echo {n}", [str(n)]) for n in range(3)
    ]


def test_a_call_that_failed_says_so(tmp_path: Path):
    failed = {
        "type": "tool_result",
        "tool_use_id": "t1",
        "content": "no such file",
        "is_error": True,
    }
    messages = [*SHAPES["anthropic"][:2], {"role": "user", "content": [failed]}]
    (call,) = bodies(joined(PROVIDER, log(tmp_path, lines(messages))), ToolCall)
    assert (call.state, call.error) == (ToolState.OUTPUT_ERROR, "no such file")


def test_what_is_no_message_is_shown_as_unknown(tmp_path: Path):
    path = log(tmp_path, lines([*SHAPES["openai-chat"], {"weather": "rain"}]) + '{"role": "us\n')
    last = records(path)[-2:]
    assert [type(event.body) for record in last for event in record] == [Unparsed, Unparsed]
    assert_said(joined(PROVIDER, path))


@pytest.mark.parametrize(
    "text",
    [
        '{"type":"user","name":"Ada","email":"ada@example.org"}\n',
        '[{"id":1,"title":"first","content":"x"}]',
        '{"role":"admin","name":"Ada"}\n',
        '{"message":"GET /","status":200}\n',
        '{"prompt":"x","output":"y"}\n',
        "[[[[" * 2_000,
        '{"a":' * 2_000,
    ],
)
def test_other_json_has_no_messages(text: str):
    assert PROVIDER.discovery.probe(text.encode(), Path("x.json")) == 0.0


def test_what_is_in_the_folder_of_a_client_is_left_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HOME", str(tmp_path))
    head = lines(SHAPES["openai-chat"]).encode()
    own = tmp_path / ".claude" / "projects" / "p" / "tool-results" / "x.jsonl"
    assert PROVIDER.discovery.probe(head, own) == 0.0
    assert PROVIDER.discovery.probe(head, tmp_path / "x.jsonl") > 0.0


def test_the_first_message_is_enough_to_recognise_a_document(monkeypatch: pytest.MonkeyPatch):
    looked_at: list[Fields] = []

    def noting(fields: Fields) -> str | None:
        looked_at.append(fields)
        return role_of(fields)

    monkeypatch.setattr(conversation, "role_of", noting)
    messages = [{"role": "user", "content": str(n)} for n in range(1_000)]
    head = json.dumps(messages, indent=1).encode()[:65_536]
    assert PROVIDER.discovery.probe(head, Path("x.json")) > 0.0
    assert 0 < len(looked_at) < 10
