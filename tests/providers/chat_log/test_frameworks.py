"""Files of messages as frameworks for agents, viewers of traces and desktop clients keep them."""

import json
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.events import Message
from agentview.domain.tools import ToolCall, ToolState
from agentview.providers import recognise
from agentview.providers.chat_log import PROVIDER
from tests.providers.chat_log.test_public_shapes import (
    ASK,
    DONE,
    ONE,
    RESULTS,
    A,
    Case,
    Expected,
    Json,
    bodies,
    choice,
    constructor,
    document,
    lines,
    said,
    written,
)
from tests.providers.chat_log.test_public_shapes import (
    test_prompts_and_calls_are_exact as exact,
)
from tests.providers.joined_log import joined

WRITTEN = json.dumps(A)
CALLED = said("assistant", None, tool_calls=[written("c1", A)])
RESULT = RESULTS[1]
USAGE = {"prompt_tokens": 10, "completion_tokens": 4, "total_tokens": 14}


def trace() -> Case:
    """A trace: its first prompt and last answer stand next to the requests between them."""
    observations = [
        {"type": "GENERATION", "input": [said("system", "Be brief."), ASK], "output": CALLED,
         "usageDetails": {"input": 7, "input_cached_tokens": 3, "output": 4, "total": 14}},
        {"type": "TOOL", "name": "ls", "input": A, "output": "one"},
        {"type": "GENERATION", "input": [ASK, CALLED, RESULT], "output": DONE,
         "usage": {"input": 10, "output": 4, "total": 14, "unit": "TOKENS"}},
    ]  # fmt: skip
    value = {
        "id": "t", "sessionId": "s", "input": {"messages": [ASK]}, "output": DONE,
        "observations": observations,
    }  # fmt: skip
    return Case(document(value), Expected(["Look."], calls=ONE))


def spans_of_a_request() -> Case:
    """Spans whose inputs and outputs are JSON texts, behind the request that they are of."""
    inner = [ASK, CALLED, RESULT]
    spans = [{"attributes": {"spanInputs": json.dumps({"model": "m", "messages": inner}),
                             "spanOutputs": json.dumps(choice(DONE))}}]  # fmt: skip
    data = {"request": json.dumps({"messages": [ASK]}), "response": json.dumps(choice(DONE)),
            "spans": spans}  # fmt: skip
    value = {"info": {"request_id": "t"}, "data": data}
    return Case(document(value), Expected(["Look."], calls=ONE))


def wrapped_messages() -> Case:
    """Spans with each message, and each call, in an object of its own."""
    call = {"id": "c1", "function": {"name": "ls", "arguments": WRITTEN}}
    called = {"message": {"role": "assistant", "tool_calls": [{"tool_call": call}]}}
    result = {"message": {"role": "tool", "content": "one", "tool_call_id": "c1"}}
    given = [{"message": ASK}, called, result]
    model = {"input_messages": given, "output_messages": [{"message": DONE}]}
    span = {"context": {"trace_id": "t"}, "attributes": {"llm": model}}
    return Case(lines(span), Expected(["Look."], calls=ONE))


def preferred_answers() -> Case:
    """A row with two answers to one prompt."""
    row = {"chosen": [ASK, DONE], "rejected": [ASK, said("assistant", "No.")]}
    return Case(lines(row), Expected(["Look."], ["Done.", "No."]))


def tree_of_a_client() -> Case:
    """A tree of messages with the current one, and its branch once more as a list."""
    nodes: Json = {
        "1": {"id": "1", "parentId": None, "childrenIds": ["2", "3"], **ASK},
        "2": {"id": "2", "parentId": "1", "childrenIds": [], **said("assistant", "No.")},
        "3": {"id": "3", "parentId": "1", "childrenIds": [], **DONE},
    }
    history: Json = {"messages": nodes, "currentId": "3"}
    value: Json = [{"id": "x", "chat": {"history": history, "messages": [nodes["1"], nodes["3"]]}}]
    return Case(document(value), Expected(["Look."]))


def answers_inside() -> Case:
    """Messages that have the answers to them inside, and say whether the user wrote them."""
    answer: Json = {"sender": "Quay 2", "text": "Done.", "isCreatedByUser": False, "children": []}
    asked: Json = {"sender": "User", "text": "Look.", "isCreatedByUser": True, "children": [answer]}
    return Case(document({"conversationId": "c", "messages": [asked]}), Expected(["Look."]))


def roles_as_objects() -> Case:
    """Messages whose role is an object, and whose content is a list of `contents`."""

    def one(role: str, content: Json) -> Json:
        own = {"type": "role", "value": role}
        return {"type": "chat_message", "role": own, "contents": [content]}

    messages = [
        one("user", {"type": "text", "text": "Look."}),
        one("assistant", {"type": "function_call", "call_id": "c1", "name": "ls",
                          "arguments": WRITTEN}),
        one("tool", {"type": "function_result", "call_id": "c1", "result": "one"}),
        one("assistant", {"type": "text", "text": "Done."}),
    ]  # fmt: skip
    return Case(document({"messages": messages}), Expected(["Look."], calls=ONE))


def capitals() -> Case:
    """Messages whose members begin with capitals, with the type of each part."""
    messages = [
        {"Role": {"Label": "user"}, "Items": [{"$type": "TextContent", "Text": "Look."}]},
        {"Role": {"Label": "assistant"}, "Items": [
            {"$type": "FunctionCallContent", "Id": "c1", "FunctionName": "ls", "Arguments": A},
        ]},
        {"Role": {"Label": "tool"}, "Items": [
            {"$type": "FunctionResultContent", "CallId": "c1", "Result": "one"},
        ]},
        {"Role": {"Label": "assistant"}, "Items": [{"$type": "TextContent", "Text": "Done."}]},
    ]  # fmt: skip
    return Case(document(messages), Expected(["Look."], calls=ONE))


def named_agents() -> Case:
    """Events of named agents, whose content has the role."""

    def one(author: str, role: str, part: Json) -> Json:
        return {"author": author, "content": {"role": role, "parts": [part]}, "invocationId": "e"}

    events = [
        one("user", "user", {"text": "Look."}),
        one("coder", "model", {"functionCall": {"id": "c1", "args": A, "name": "ls"}}),
        one("coder", "user", {"functionResponse": {"id": "c1", "response": {"output": "one"}}}),
        one("coder", "model", {"text": "Done."}),
    ]
    value = {"id": "s", "appName": "a", "events": events}
    return Case(document(value), Expected(["Look."], calls=ONE))


def types_as_roles() -> Case:
    """Messages whose type, in capitals, is the role."""
    request = {"id": "c1", "name": "ls", "arguments": WRITTEN}
    messages = [
        {"type": "SYSTEM", "text": "Be brief."},
        {"type": "USER", "contents": [{"type": "TEXT", "text": "Look."}]},
        {"type": "AI", "toolExecutionRequests": [request]},
        {"type": "TOOL_EXECUTION_RESULT", "id": "c1", "toolName": "ls", "text": "one"},
        {"type": "AI", "text": "Done."},
    ]
    return Case(document(messages), Expected(["Look."], calls=ONE))


def origin_of_a_result() -> Case:
    """A result that has the call as where it comes from."""
    origin = {"tool_name": "ls", "arguments": A, "id": "c1"}
    messages = [
        {"role": "user", "content": [{"text": "Look."}]},
        {"role": "assistant", "content": [{"tool_call": origin}]},
        {"role": "tool", "content": [
            {"tool_call_result": {"result": "one", "error": True, "origin": origin}},
        ]},
        {"role": "assistant", "content": [{"text": "Done."}]},
    ]  # fmt: skip
    return Case(document({"messages": messages}), Expected(["Look."], calls=ONE))


def channels() -> Case:
    """Messages by channel, one of which is what the model thinks."""
    call = said("assistant", WRITTEN, channel="commentary", recipient="ls")
    text = lines(
        ASK, said("assistant", "Hm.", channel="analysis"), call,
        said("tool", "one", recipient="assistant"), said("assistant", "Done.", channel="final"),
    )  # fmt: skip
    return Case(text, Expected(["Look."], calls=ONE, thoughts=["Hm."]))


def versions() -> Case:
    """Messages with the versions that were tried, and steps of an answer."""

    def one(*tried: Json, at: int = 0) -> Json:
        return {"versions": [*tried], "currentlySelected": at}

    def step(*content: Json) -> Json:
        return {"type": "contentBlock", "content": [*content]}

    answer = said("assistant", [{"type": "text", "text": "No."}], type="singleStep")
    request = {"type": "toolCallRequest", "toolCallId": "c1", "name": "ls", "parameters": A}
    result = {"type": "toolCallResult", "toolCallId": "c1", "content": "one"}
    done = {"type": "text", "text": "Done."}
    steps = {"type": "multiStep", "role": "assistant",
             "steps": [step(request), step(result), step(done)]}  # fmt: skip
    asked = said("user", [{"type": "text", "text": "Look."}], type="singleStep")
    value = {"name": "x", "messages": [one(asked), one(answer, steps, at=1)]}
    return Case(document(value), Expected(["Look."], calls=ONE))


def chunk(delta: Json, **more: Json) -> Json:
    return {"id": "r", "object": "chat.completion.chunk", "model": "m",
            "choices": [{"index": 0, "delta": delta}], **more}  # fmt: skip


def called(arguments: str, **more: Json) -> Json:
    return {"tool_calls": [{"index": 0, "function": {"arguments": arguments, **more}}]}


CHUNKS: list[Json] = [
    chunk({"role": "assistant", "content": ""}), chunk({"reasoning_content": "H"}),
    chunk({"reasoning_content": "m."}), chunk({"content": "Do"}), chunk({"content": "ne."}),
    chunk(called("", name="ls")), chunk(called(WRITTEN[:4])), chunk(called(WRITTEN[4:])),
    {**chunk({}), "choices": [], "usage": USAGE},
]  # fmt: skip
BLOCKS: list[Json] = [
    {"type": "message_start", "message": {"id": "m1", "role": "assistant", "content": [],
     "model": "m", "usage": {"input_tokens": 10, "output_tokens": 1}}},
    {"type": "content_block_start", "index": 0,
     "content_block": {"type": "thinking", "thinking": ""}},
    {"type": "content_block_delta", "index": 0,
     "delta": {"type": "thinking_delta", "thinking": "Hm."}},
    {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "Do"}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "ne."}},
    {"type": "ping"},
    {"type": "content_block_start", "index": 2,
     "content_block": {"type": "tool_use", "id": "c1", "name": "ls", "input": {}}},
    {"type": "content_block_delta", "index": 2,
     "delta": {"type": "input_json_delta", "partial_json": WRITTEN[:4]}},
    {"type": "content_block_delta", "index": 2,
     "delta": {"type": "input_json_delta", "partial_json": WRITTEN[4:]}},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 4}},
    {"type": "message_stop"},
]  # fmt: skip
ITEM: Json = {"type": "function_call", "call_id": "c1", "name": "ls", "arguments": WRITTEN}
ITEMS: list[Json] = [
    {"type": "response.created", "response": {"id": "r", "model": "m", "output": []}},
    {"type": "response.output_text.delta", "delta": "Done."},
    {"type": "response.output_item.done", "item": DONE},
    {"type": "response.output_item.done", "item": ITEM},
    {"type": "response.completed", "response": {"id": "r", "model": "m", "output": [DONE, ITEM],
     "usage": {"input_tokens": 10, "output_tokens": 4}}},
]  # fmt: skip
STREAMS: dict[str, Json] = {"chunks": CHUNKS, "blocks": BLOCKS, "items": ITEMS}


def among_lines(pieces: Json) -> str:
    return lines(ASK, *pieces, RESULT, {**ASK, "content": "Go on."})


def only_pieces(pieces: Json) -> str:
    return lines(*pieces)


def as_events(pieces: Json) -> str:
    sent = (f"event: {each.get('type', '')}\ndata: {json.dumps(each)}\n\n" for each in pieces)
    body = "".join(sent) + "data: [DONE]\n\n"
    return lines({"request": {"model": "m", "messages": [ASK]}, "response": {"body": body}})


@pytest.mark.parametrize("container", [among_lines, only_pieces, as_events])
@pytest.mark.parametrize("stream", STREAMS)
def test_pieces_of_a_response_are_one(stream: str, container: Any, tmp_path: Path):
    path = tmp_path / "log.jsonl"
    path.write_text(container(STREAMS[stream]))
    provider = recognise(path.read_bytes(), path)
    assert provider is not None
    assert provider.name == PROVIDER.name
    store = joined(PROVIDER, path)
    assert [each.text for each in bodies(store, Message)] == ["Done."]
    made: list[ToolCall] = bodies(store, ToolCall)
    assert [(call.provider_name, json.loads(call.args_json or "")) for call in made] == [("ls", A)]
    tokens = store.summary.tokens
    assert (tokens["input_uncached"], tokens["output"]) == (10, 4)


def test_a_response_that_was_cut_has_no_output_tokens(tmp_path: Path):
    assert counted(lines(*BLOCKS[:6]), tmp_path) == (10, None, None)


CASES = (
    trace, spans_of_a_request, wrapped_messages, preferred_answers, tree_of_a_client,
    answers_inside, roles_as_objects, capitals, named_agents, types_as_roles, origin_of_a_result,
    channels, versions,
)  # fmt: skip


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_they_are_read_as_those_of_apis(case: Any, backward: bool, tmp_path: Path):
    exact(case, backward, tmp_path)


Counts = tuple[int | None, int | None, int | None]
"""Input, what a cache gave, output."""


def counted(text: str, folder: Path) -> Counts:
    path = folder / "log.json"
    path.write_text(text)
    tokens = joined(PROVIDER, path).summary.tokens
    return tokens.get("input_uncached"), tokens.get("input_cached"), tokens.get("output")


ANSWER = constructor(
    "AIMessage", content="", tool_calls=[{"name": "ls", "args": A, "id": "c1"}],
    usage_metadata={"input_tokens": 10, "output_tokens": 4, "total_tokens": 14},
)  # fmt: skip
HUMAN = constructor("HumanMessage", content="Look.")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (trace().text, (17, 3, 8)),
        (lines({"input": [ASK], "output": [{"message": DONE}], "metrics": USAGE}), (10, None, 4)),
        (lines({**ASK, "metrics": {"duration": 1}},
               {**DONE, "metrics": {"input_tokens": 10, "output_tokens": 4}}), (10, None, 4)),
        (lines(ASK, {**DONE, "metadata": {"totalUsage": {"inputTokens": 10, "outputTokens": 4}}}),
         (10, None, 4)),
        (lines({"inputs": {"messages": [HUMAN]}, "outputs": {"message": ANSWER}},
               {"inputs": {"messages": [HUMAN, ANSWER]}, "outputs": {"message": DONE}}),
         (10, None, 4)),
    ],
    ids=["details", "metrics", "metrics of a message", "metadata", "repeated"],
)  # fmt: skip
def test_each_response_is_counted_once(text: str, expected: Counts, tmp_path: Path):
    assert counted(text, tmp_path) == expected


def test_a_result_that_says_so_has_failed(tmp_path: Path):
    path = tmp_path / "log.json"
    path.write_text(origin_of_a_result().text)
    made: list[ToolCall] = bodies(joined(PROVIDER, path), ToolCall)
    assert [call.state for call in made] == [ToolState.OUTPUT_ERROR]
