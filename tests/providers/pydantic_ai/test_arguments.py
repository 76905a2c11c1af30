"""One call has one form of arguments, whichever path they came by."""

import json

import pytest

from agentview.domain.content import ImageBlock, ResourceBlock, TextBlock
from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import McpPayload
from agentview.domain.tools import ToolCall, ToolKind, ToolOrigin, ToolState
from agentview.domain.usage import Usage
from agentview.providers import map_tool_name_to_kind
from agentview.providers.pydantic_ai import tools
from agentview.providers.pydantic_ai.content import blocks_of
from agentview.providers.pydantic_ai.messages import usage_of
from tests.providers.pydantic_ai.log import Record, bodies, events


def part(args: object, name: str = "sow") -> Record:
    return {"tool_name": name, "args": args, "tool_call_id": "c1", "part_kind": "tool-call"}


def paths(args: object, name: str = "sow") -> dict[str, ToolCall]:
    """The call as each path gives it."""
    response = {"kind": "response", "parts": [part(args, name)], "model_name": None}
    records: dict[str, Record | bytes] = {
        "message": response,
        "line of a log": {"seq": 1, "agent": "a", "depth": 0, "message": response},
        "list on a line": json.dumps([response]).encode(),
        "indented": json.dumps(response, indent=3, ensure_ascii=False).encode(),
        "function_tool_call": {"event_kind": "function_tool_call", "part": part(args, name)},
        "output_tool_call": {"event_kind": "output_tool_call", "part": part(args, name)},
        "part_end": {"event_kind": "part_end", "index": 0, "part": part(args, name)},
        "worker": {"type": "tool_call", "worker": "w", **part(args, name)},
    }
    found: dict[str, ToolCall] = {}
    for path, record in records.items():
        (found[path],) = [body for body in bodies(record) if isinstance(body, ToolCall)]
    return found


OBJECTS: list[dict[str, object]] = [
    {},
    {"b": 1, "a": [1.5, None, True], "é": "früh \U0001f331"},
    {"path": "a\\b\n", "nested": {"z": {}, "y": ""}},
    {"large": 12345678901234567890123},
]


@pytest.mark.parametrize("value", OBJECTS)
def test_text_and_object_are_the_same_arguments_on_every_path(value: dict[str, object]):
    texts = [json.dumps(value), json.dumps(value, indent=1), json.dumps(value, ensure_ascii=False)]
    for text in texts:
        found = paths(text).values()
        assert {call.args_json for call in found} == {text}
        assert all(call.args == json.loads(json.dumps(_plain(value))) for call in found)
        assert {call.state for call in found} == {ToolState.INPUT_AVAILABLE}
    for path, call in paths(value).items():
        written = json.dumps(value, ensure_ascii=False) if path == "indented" else json.dumps(value)
        assert call.args == _plain(value)
        assert "".join(call.args_json.split()) == "".join(written.split())


def _plain(value: dict[str, object]) -> dict[str, object]:
    """Numbers of more than 64 bits are exact in the text alone."""
    large = {key: each for key, each in value.items() if isinstance(each, int) and each >> 64}
    return {**value, **{key: float(each) for key, each in large.items()}}


def test_a_text_keeps_its_spaces_and_a_key_that_is_doubled():
    text = '{ "path" : "a",\n"path":"b" }'
    for call in paths(text).values():
        assert (call.args_json, call.args) == (text, {"path": "b"})
    record = json.dumps({"kind": "response", "parts": [part({"x": 0})]}).replace(
        '{"x": 0}', '{ "path" : "a", "path":"\\u0062" }'
    )
    (call,) = [body for body in bodies(record.encode()) if isinstance(body, ToolCall)]
    assert (call.args_json, call.args) == ('{ "path" : "a", "path":"\\u0062" }', {"path": "b"})


@pytest.mark.parametrize("args", [None, "", "{}", {}, " "])
def test_no_arguments_are_the_empty_object(args: object):
    written = args if isinstance(args, str) else "" if args is None else "{}"
    assert {(call.args_json, str(call.args)) for call in paths(args).values()} == {(written, "{}")}


@pytest.mark.parametrize("text", ['{"path": "a"', "[1]", "words", "NaN", '{"x": NaN}', "[" * 9999])
def test_text_that_is_no_object_stays_as_it_is(text: str):
    for call in paths(text).values():
        assert call.args_json == text
        assert call.args is None
        assert call.args_error


def test_a_lone_surrogate_can_be_written():
    text = '{"a": "\\ud83d"}'
    for call in paths(text).values():
        assert (call.args_json, call.args) == (text, {"a": "�"})


def test_a_call_of_a_worker_may_carry_its_text_beside_the_object():
    record = {"type": "tool_call", "worker": "w", **part({"a": 1}), "args_json": '{"a":  1}'}
    call = bodies(record)[0]
    assert isinstance(call, ToolCall)
    assert call.args_json == '{"a":  1}'


KINDS = {
    "read_file": ToolKind.READ,
    "run_shell": ToolKind.SHELL,
    "sow": ToolKind.UNKNOWN,
    "final_result": ToolKind.UNKNOWN,
    "image_generation": ToolKind.UNKNOWN,
    "web_search": ToolKind.WEB_SEARCH,
    "web_fetch": ToolKind.WEB_FETCH,
    "url_context": ToolKind.WEB_FETCH,
    "code_execution": ToolKind.SHELL,
    "mcp_server:weather": ToolKind.MCP,
    "mcp__weather__forecast": ToolKind.MCP,
}


@pytest.mark.parametrize(("name", "kind"), KINDS.items())
def test_kinds(name: str, kind: ToolKind):
    assert map_tool_name_to_kind("pydantic_ai", name) is kind


def test_the_table_of_kinds_leaves_no_known_tool_out():
    assert set(tools.SPECS) <= set(KINDS)


def test_a_tool_of_a_server_that_the_models_service_calls():
    given: dict[str, object] = {"action": "call_tool", "tool_name": "forecast", "tool_args": {}}
    call = paths(given, "mcp_server:weather")["message"]
    assert call.payload == McpPayload("weather", "forecast")
    assert (call.canonical_name, call.origin) == ("mcp__weather__forecast", ToolOrigin.MCP)


def outcome(part_kind: str, **fields: object) -> ToolResult:
    inner = {"part_kind": part_kind, "tool_name": "sow", "tool_call_id": "c1", **fields}
    found = bodies({"kind": "request", "parts": [inner]})[0]
    assert isinstance(found, ToolResult)
    return found


OUTCOMES = {
    "success": (True, None),
    "failed": (False, "no bed"),
    "retried": (False, "no bed"),
    "interrupted": (False, "no bed"),
    None: (None, None),
}


@pytest.mark.parametrize("word", OUTCOMES)
def test_outcomes(word: str | None):
    found = outcome("tool-return", content="no bed", outcome=word)
    assert (found.ok, found.error) == OUTCOMES[word]
    assert found.interrupted == (word == "interrupted")
    assert found.denial is None


@pytest.mark.parametrize(("code", "ok"), [(0, True), (3, False)])
@pytest.mark.parametrize("word", ["success", None])
def test_a_command_failed_by_its_exit_code(word: str | None, code: int, ok: bool):
    found = outcome("tool-return", content={"stderr": "", "exit_code": code}, outcome=word)
    assert (found.ok, found.error) == (ok, None)


def test_a_denied_call_keeps_the_words():
    found = outcome("tool-return", content="not today", outcome="denied")
    assert found.denial is not None
    assert (found.ok, found.denial.words, found.output) == (False, "not today", ())


def test_a_retry_says_what_is_wrong():
    findings: list[dict[str, object]] = [
        {"type": "missing", "loc": ["bed", 0], "msg": "Field required", "input": {}}
    ]
    assert outcome("retry-prompt", content=findings).error == "bed.0: Field required"
    assert outcome("retry-prompt", content="x must be 2").error == "x must be 2"
    assert outcome("retry-prompt", content=[{"odd": 1}]).error == '[{"odd":1}]'


def test_the_result_of_both_generations_of_the_stream():
    inner = {"part_kind": "tool-return", "tool_name": "sow", "tool_call_id": "c1", "content": "ok"}
    old = {"event_kind": "function_tool_result", "result": inner, "content": None}
    new = {"event_kind": "function_tool_result", "part": {**inner, "outcome": "success"}}
    first, second = events(old)[0], events(new)[0]
    assert isinstance(first.body, ToolResult)
    assert isinstance(second.body, ToolResult)
    assert (first.body.ok, second.body.ok) == (None, True)
    assert first.body.output == second.body.output == (TextBlock("ok"),)
    assert first.dedupe_key == second.dedupe_key


USAGES: list[tuple[object, Usage | None]] = [
    (None, None),
    ({"requests": 1, "request_tokens": None, "response_tokens": None, "details": None}, None),
    ({"request_tokens": 62, "response_tokens": 16, "total_tokens": 78}, Usage(62, None, None, 16)),
    (
        {"request_tokens": 60, "response_tokens": 9, "details": {"cached_tokens": 50}},
        Usage(10, 50, None, 9),
    ),
    (
        {
            "input_tokens": 100,
            "cache_read_tokens": 60,
            "cache_write_tokens": 30,
            "output_tokens": 7,
            "output_reasoning_tokens": 4,
        },
        Usage(10, 60, 30, 7, 4),
    ),
    ({"input_tokens": 5, "output_tokens": 0}, Usage(5, None, None, 0)),
]


@pytest.mark.parametrize(("recorded", "usage"), USAGES)
def test_usage_of_all_generations(recorded: object, usage: Usage | None):
    assert usage_of(recorded) == usage


def test_content_of_prompts():
    found = blocks_of(
        [
            "look",
            {"kind": "image-url", "url": "https://example.org/a.png"},
            {"kind": "binary", "data": "iVBORw0KGgo=", "media_type": "image/png"},
            {"kind": "binary", "data": "AAAA", "media_type": "application/pdf", "identifier": "p"},
            {"kind": "document-url", "url": "https://example.org/a.pdf"},
            {"kind": "cache-point"},
        ]
    )
    assert found == (
        TextBlock("look"),
        ImageBlock(uri="https://example.org/a.png"),
        ImageBlock(media_type="image/png", data="iVBORw0KGgo=", byte_size=8),
        ResourceBlock(name="p", media_type="application/pdf", byte_size=3),
        ResourceBlock(uri="https://example.org/a.pdf"),
    )


@pytest.mark.parametrize("depth", [300, 700, 1_000, 20_000])
def test_nesting_of_any_depth_is_accounted_for(depth: int):
    nested = b"[" * depth + b'"\\ud83d"' + b"]" * depth
    record = b'{"kind":"response","parts":[{"part_kind":"tool-call","tool_name":"x","args":'
    assert events(record + nested + b"}]}")
    assert events(record + b'{"a":' + nested + b"}}]}")
