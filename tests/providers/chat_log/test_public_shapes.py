"""Files of messages as the pages of APIs, libraries and exports describe them, in variants."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from agentview.domain.content import ImageBlock, JsonBlock, ResourceBlock, TextBlock
from agentview.domain.events import Message, Reasoning, User
from agentview.domain.tools import ToolCall, ToolKind, ToolState
from agentview.providers import recognise
from agentview.providers.chat_log import PROVIDER
from agentview.timeline.rows.session_store import SessionStore
from tests.providers.joined_log import joined, shown

Json = Any
A, B = {"path": "a"}, {"path": "b"}
PNG = "data:image/png;base64,AAAA"


Call = tuple[str, Json, list[Json]]
"""Name, arguments and output."""


class Expected(NamedTuple):
    prompts: Sequence[str]
    texts: Sequence[str] = ("Done.",)
    calls: Sequence[Call] = ()
    thoughts: Sequence[str] = ()


class Case(NamedTuple):
    text: str
    expected: Expected


def lines(*records: Json) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def document(value: Json) -> str:
    return json.dumps(value, indent=1)


def said(role: str, content: Json, **more: Json) -> Json:
    return {"role": role, "content": content, **more}


def function(own: str | None, arguments: Json, name: str = "ls") -> Json:
    return {"id": own, "type": "function", "function": {"name": name, "arguments": arguments}}


def written(own: str | None, arguments: Json) -> Json:
    return function(own, json.dumps(arguments))


def choice(message: Json, **more: Json) -> Json:
    return {"id": "r", "choices": [{"index": 0, "message": message}], **more}


def constructor(name: str, **kwargs: Json) -> Json:
    own = ["langchain", "schema", "messages", name]
    return {"lc": 1, "type": "constructor", "id": own, "kwargs": kwargs}


ASK, DONE = said("user", "Look."), said("assistant", "Done.")
TWO: list[Call] = [("ls", A, ["one"]), ("ls", B, ["two"])]
ONE = TWO[:1]
CALLS = [written("c1", A), written("c2", B)]
RESULTS = [
    said("tool", "two", tool_call_id="c2"),
    said("tool", "one", tool_call_id="c1"),
]


def openai_chat() -> Case:
    """Requests that repeat, no content next to two calls, results in another order, an image."""
    asked = [
        said("developer", "Be brief."),
        said("user", [
            {"type": "text", "text": "Look."}, {"type": "image_url", "image_url": {"url": PNG}},
        ]),
    ]  # fmt: skip
    called = said("assistant", None, tool_calls=CALLS, refusal=None)
    usage = {"prompt_tokens": 9, "completion_tokens": 1}
    text = lines(
        {"request": {"model": "m", "messages": asked}, "response": choice(called, usage=usage)},
        {
            "request": {"model": "m", "messages": [*asked, called, *RESULTS]},
            "response": choice(DONE, usage=usage),
        },
    )
    return Case(text, Expected(["Look."], calls=TWO))


def openai_shared_ids() -> Case:
    """Each turn has the same id of its call."""
    turn = [
        said("assistant", "", tool_calls=[written("call_0", A)]),
        said("tool", "one", tool_call_id="call_0"),
        DONE,
    ]
    text = document({"messages": [ASK, *turn, said("user", "Again."), *turn]})
    return Case(text, Expected(["Look.", "Again."], ["Done.", "Done."], ONE * 2))


def openai_arguments() -> Case:
    """Arguments that are an object, no JSON, empty or missing; a call of words."""
    calls = [
        function("c1", A),
        function("c2", '{"path": "b'),
        function("c3", ""),
        function("c4", None),
        {"id": "c5", "type": "custom", "custom": {"name": "sh", "input": "raw words"}},
    ]
    results = [said("tool", str(n), tool_call_id=f"c{n}") for n in range(1, 6)]
    expected = [
        ("ls", A, ["1"]), ("ls", '{"path": "b', ["2"]), ("ls", "", ["3"]), ("ls", None, ["4"]),
        ("sh", "raw words", ["5"]),
    ]  # fmt: skip
    text = lines(ASK, said("assistant", None, tool_calls=calls), *results, DONE)
    return Case(text, Expected(["Look."], calls=expected))


def openai_responses() -> Case:
    """A prompt that is a text, calls of the service's own, and results in the next request."""
    first = [
        {"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "Hm."}]},
        {"type": "web_search_call", "id": "ws", "status": "completed", "action": {"query": "tea"}},
        {"type": "function_call", "id": "fc", "call_id": "c1", "name": "ls",
         "arguments": json.dumps(A), "status": "completed"},
        {"type": "mcp_call", "id": "mcp", "name": "roll", "arguments": '{"n": 2}', "output": "3"},
    ]  # fmt: skip
    answer = said("assistant", [{"type": "output_text", "text": "Done.", "annotations": []}])
    text = lines(
        {
            "request": {"model": "m", "instructions": "Be brief.", "input": "Look."},
            "response": {"id": "r1", "model": "m", "output": first},
        },
        {
            "request": {
                "model": "m",
                "previous_response_id": "r1",
                "input": [{"type": "function_call_output", "call_id": "c1", "output": "one"}],
            },
            "response": {"id": "r2", "model": "m", "output": [{"type": "message", **answer}]},
        },
    )
    calls: list[Call] = [
        ("web_search_call", {"action": {"query": "tea"}}, []), *ONE, ("roll", {"n": 2}, ["3"]),
    ]  # fmt: skip
    return Case(text, Expected(["Look."], calls=calls, thoughts=["Hm."]))


def openai_assistants() -> Case:
    """Messages of a thread, whose texts are objects."""
    data = [
        {"object": "thread.message", **said(role, [{"type": "text", "text": {"value": words}}])}
        for role, words in (("user", "Look."), ("assistant", "Done."))
    ]
    return Case(document({"object": "list", "data": data}), Expected(["Look."]))


def openai_realtime() -> Case:
    """Events with an item each; what was spoken is there as words."""
    items = [
        {"type": "message", **said("user", [{"type": "input_text", "text": "Look."}])},
        {"type": "function_call", "call_id": "c1", "name": "ls", "arguments": json.dumps(A)},
        {"type": "function_call_output", "call_id": "c1", "output": "one"},
        {"type": "message", **said("assistant", [{"type": "audio", "transcript": "Done."}])},
    ]
    events = [{"type": "conversation.item.created", "item": item} for item in items]
    return Case(lines(*events), Expected(["Look."], calls=ONE))


def anthropic() -> Case:
    """Instructions as blocks, thoughts, a failed call, words behind results, a search."""
    asked = {"model": "m", "system": [{"type": "text", "text": "Be brief."}]}
    called = said("assistant", [
        {"type": "thinking", "thinking": "Hm.", "signature": "x"},
        {"type": "redacted_thinking", "data": "x"},
        {"type": "tool_use", "id": "t1", "name": "ls", "input": A},
        {"type": "tool_use", "id": "t2", "name": "ls", "input": B},
    ])  # fmt: skip
    results = said("user", [
        {"type": "tool_result", "tool_use_id": "t1", "content": "one"},
        {"type": "tool_result", "tool_use_id": "t2", "is_error": True,
         "content": [{"type": "text", "text": "two"}]},
        {"type": "text", "text": "Search too."},
    ])  # fmt: skip
    found = {"type": "web_search_result", "url": "https://example.org", "title": "Tea"}
    last = said("assistant", [
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "tea"}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [found]},
        {"type": "text", "text": "Done."},
    ])  # fmt: skip
    text = lines(
        {"request": {**asked, "messages": [ASK]}, "response": called},
        {"request": {**asked, "messages": [ASK, called, results]}, "response": last},
    )
    calls = [*TWO, ("web_search", {"query": "tea"}, [found])]
    return Case(text, Expected(["Look.", "Search too."], calls=calls, thoughts=["Hm.", ""]))


def gemini() -> Case:
    """Calls without ids, thoughts, and a result that is an error."""
    value = {
        "model": "m",
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "Look."}]},
            {"role": "model", "parts": [
                {"text": "Hm.", "thought": True},
                {"functionCall": {"name": "ls", "args": A}},
                {"functionCall": {"name": "ls", "args": B}},
            ]},
            {"role": "user", "parts": [
                {"functionResponse": {"name": "ls", "response": {"output": "one"}}},
                {"functionResponse": {"name": "ls", "response": {"error": "two"}}},
            ]},
            {"role": "model", "parts": [{"text": "Done."}]},
        ],
    }  # fmt: skip
    return Case(document(value), Expected(["Look."], calls=TWO, thoughts=["Hm."]))


def gemini_history() -> Case:
    """A history whose parts are texts, and calls with ids in another order."""
    history = [
        {"role": "user", "parts": ["Look."]},
        {"role": "model", "parts": [
            {"function_call": {"id": "f1", "name": "ls", "args": A}},
            {"function_call": {"id": "f2", "name": "ls", "args": B}},
        ]},
        {"role": "function", "parts": [
            {"function_response": {"id": "f2", "name": "ls", "response": {"output": "two"}}},
            {"function_response": {"id": "f1", "name": "ls", "response": {"output": "one"}}},
        ]},
        {"role": "model", "parts": ["Done."]},
    ]  # fmt: skip
    return Case(document({"history": history}), Expected(["Look."], calls=TWO))


def ai_studio() -> Case:
    """A saved prompt, in which a chunk is marked as a thought."""
    chunks = [
        {"text": "Look.", "role": "user"},
        {"text": "Hm.", "role": "model", "isThought": True},
        {"text": "Done.", "role": "model"},
    ]
    value = {"systemInstruction": {"text": "Be brief."}, "chunkedPrompt": {"chunks": chunks}}
    return Case(document(value), Expected(["Look."], thoughts=["Hm."]))


def langsmith() -> Case:
    """A run, with messages that a library would make again."""
    call = [{"name": "ls", "args": own, "id": key, "type": "tool_call"}
            for key, own in (("c1", A), ("c2", B))]  # fmt: skip
    asked = [
        constructor("SystemMessage", content="Be brief."),
        constructor("HumanMessage", content="Look.", type="human"),
        constructor("AIMessage", content="", type="ai", tool_calls=call,
                    additional_kwargs={"tool_calls": CALLS}),
        constructor("ToolMessage", content="one", type="tool", tool_call_id="c1"),
        constructor("ToolMessage", content="two", type="tool", tool_call_id="c2"),
    ]  # fmt: skip
    answer = {"text": "Done.", "message": constructor("AIMessage", content="Done.", type="ai")}
    run = {"run_type": "llm", "inputs": {"messages": [asked]},
           "outputs": {"generations": [[answer]]}}  # fmt: skip
    return Case(lines(run), Expected(["Look."], calls=TWO))


def langchain_before() -> Case:
    """Messages whose type is next to their data only, with a call of an older API."""
    call = {"function_call": {"name": "ls", "arguments": json.dumps(A)}}
    value = [
        {"type": "human", "data": {"content": "Look."}},
        {"type": "ai", "data": {"content": "", "additional_kwargs": call}},
        {"type": "function", "data": {"content": "one", "name": "ls"}},
        {"type": "ChatMessage", "data": {"content": "Done.", "role": "assistant"}},
    ]
    return Case(document(value), Expected(["Look."], calls=ONE))


def ai_sdk_ui() -> Case:
    """Parts with a state: one that failed, one of any tool, one that goes on; a file."""
    parts = [
        {"type": "step-start"},
        {"type": "reasoning", "text": "Hm.", "state": "done"},
        {"type": "tool-ls", "toolCallId": "c1", "state": "output-error", "input": A,
         "errorText": "one"},
        {"type": "dynamic-tool", "toolName": "ls", "toolCallId": "c2", "state": "output-available",
         "input": B, "output": "two"},
        {"type": "tool-ls", "toolCallId": "c3", "state": "input-available", "input": A},
        {"type": "text", "text": "Done."},
    ]  # fmt: skip
    file = {"type": "file", "mediaType": "image/png", "url": PNG}
    value = {"messages": [
        {"id": "1", "role": "user", "parts": [{"type": "text", "text": "Look."}, file]},
        {"id": "2", "role": "assistant", "parts": parts},
    ]}  # fmt: skip
    calls: list[Call] = [*TWO, ("ls", A, [])]
    return Case(document(value), Expected(["Look."], calls=calls, thoughts=["Hm."]))


def ai_sdk_model() -> Case:
    """Messages for a model, with the output of a call in two versions."""
    calls = [
        {"type": "tool-call", "toolCallId": "c1", "toolName": "ls", "input": A},
        {"type": "tool-call", "toolCallId": "c2", "toolName": "ls", "args": B},
    ]
    results = [
        {"type": "tool-result", "toolCallId": "c1", "toolName": "ls",
         "output": {"type": "error-text", "value": "one"}},
        {"type": "tool-result", "toolCallId": "c2", "toolName": "ls", "result": "two"},
    ]  # fmt: skip
    text = lines(said("system", "Be brief."), ASK, said("assistant", calls), said("tool", results),
                 DONE)  # fmt: skip
    return Case(text, Expected(["Look."], calls=TWO))


def sharegpt() -> Case:
    """A row whose model thinks and calls between tags, and one in which it does not."""
    calls = "\n".join(
        f"<tool_call>\n{json.dumps({'name': 'ls', 'arguments': own})}\n</tool_call>"
        for own in (A, B)
    )
    results = "".join(f"<tool_response>\n{own}\n</tool_response>\n" for own in ("one", "two"))
    rows = [
        {"id": "x", "system": "Be brief.", "tools": "[]", "conversations": [
            {"from": "human", "value": "Look."},
            {"from": "gpt", "value": f"<think>\nHm.\n</think>\n{calls}"},
            {"from": "tool", "value": results},
            {"from": "gpt", "value": "Done."},
        ]},
        {"conversations": [{"from": "user", "value": "Look."}, {"from": "bot", "value": "No."}]},
    ]  # fmt: skip
    expected = Expected(["Look.", "Look."], ["Done.", "No."], TWO, ["Hm."])
    return Case(lines(*rows), expected)


def autogen() -> Case:
    """A chat of 0.2, in which a message of a tool has its results twice."""
    results = [said("tool", own, tool_call_id=key) for key, own in (("c1", "one"), ("c2", "two"))]
    history = [
        said("user", "Look.", name="user_proxy"),
        said("assistant", None, tool_calls=CALLS, name="coder"),
        said("tool", "one\n\ntwo", tool_responses=results, name="user_proxy"),
        said("assistant", "Done.", name="coder"),
    ]
    return Case(document({"chat_history": history, "cost": {}}), Expected(["Look."], calls=TWO))


def autogen_state() -> Case:
    """The saved state of a team of 0.4."""
    calls = [{"id": "c1", "arguments": json.dumps(A), "name": "ls"}]
    results = [{"content": "one", "name": "ls", "call_id": "c1", "is_error": False}]
    messages = [
        {"content": "Look.", "source": "user", "type": "UserMessage"},
        {"content": calls, "thought": None, "source": "coder", "type": "AssistantMessage"},
        {"content": results, "type": "FunctionExecutionResultMessage"},
        {"content": "Done.", "source": "coder", "type": "AssistantMessage"},
    ]
    state = {"type": "AssistantAgentState", "llm_context": {"messages": messages}}
    value = {"type": "TeamState", "agent_states": {"coder": {"agent_state": state}}}
    return Case(document(value), Expected(["Look."], calls=ONE))


def litellm() -> Case:
    """Payloads of the logger: a call with an index, and a thought in two forms."""
    called = said(
        "assistant", "Looking.", tool_calls=[{"index": 0, **written("c1", A)}], function_call=None,
        reasoning_content="Hm.", thinking_blocks=[{"type": "thinking", "thinking": "Hm."}],
    )  # fmt: skip
    payload = {"call_type": "acompletion", "model": "m", "trace_id": "t", "startTime": 1772359200.5}
    text = lines(
        {**payload, "messages": [ASK], "response": choice(called)},
        {**payload, "messages": [ASK, called, RESULTS[1]], "response": choice(DONE)},
    )
    expected = Expected(["Look."], ["Looking.", "Done."], ONE, ["Hm."])
    return Case(text, expected)


def litellm_rows() -> Case:
    """Rows of the table of its spending, which has values as JSON texts."""
    called = said("assistant", None, tool_calls=CALLS[:1])
    rows = [
        {"request_id": "1", "messages": json.dumps([ASK]), "response": json.dumps(choice(called))},
        {
            "request_id": "2",
            "messages": json.dumps([ASK, called, RESULTS[1]]),
            "response": json.dumps(choice(DONE)),
        },
    ]
    return Case(lines(*rows), Expected(["Look."], calls=ONE))


def chatgpt() -> Case:
    """An export of two conversations, with a thought, a call, and a branch that was left."""

    def node(own: str, parent: str | None, role: str, content: Json, **more: Json) -> Json:
        message = {"id": own, "author": {"role": role}, "content": content, **more}
        return {"id": own, "message": message, "parent": parent, "children": []}

    def words(text: str) -> Json:
        return {"content_type": "text", "parts": [text]}

    def conversation(title: str, last: str, *nodes: Json) -> Json:
        mapping = {"root": {"id": "root", "message": None}} | {each["id"]: each for each in nodes}
        return {"title": title, "mapping": mapping, "current_node": last, "conversation_id": title}

    picture = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://f"}
    thoughts = {"content_type": "thoughts", "thoughts": [{"summary": "S", "content": "Hm."}]}
    value = [
        conversation(
            "Tea", "f",
            node("a", "root", "user", words("Look.")),
            node("x", "a", "assistant", words("Left.")),
            node("b", "a", "assistant", thoughts),
            node("c", "b", "assistant", {"content_type": "code", "text": "print(1)"},
                 recipient="python"),
            node("d", "c", "tool", {"content_type": "execution_output", "text": "1"}),
            node("e", "d", "assistant", words("Done."), recipient="all"),
            node("f", "e", "user",
                 {"content_type": "multimodal_text", "parts": [picture, "And this?"]}),
        ),
        conversation("Rum", "a", node("a", "root", "user", words("Look."))),
    ]  # fmt: skip
    calls = [("python", "print(1)", ["1"])]
    expected = Expected(["Look.", "And this?", "Look."], calls=calls, thoughts=["Hm."])
    return Case(json.dumps(value), expected)


def claude_ai() -> Case:
    """An export of two conversations, the older one without content; calls without ids."""
    content = [
        {"type": "thinking", "thinking": "Hm."},
        {"type": "tool_use", "id": None, "name": "ls", "input": A},
        {"type": "tool_result", "tool_use_id": None, "name": "ls", "is_error": False,
         "content": [{"type": "text", "text": "one"}]},
        {"type": "text", "text": "Done."},
    ]  # fmt: skip
    file = {"file_name": "a.txt", "file_type": "txt", "extracted_content": "tea"}
    value = [
        {"uuid": "1", "name": "Tea", "chat_messages": [
            {"uuid": "2", "sender": "human", "text": "Look.", "attachments": [file], "files": [],
             "content": [{"type": "text", "text": "Look."}]},
            {"uuid": "3", "sender": "assistant", "text": "Done.", "content": content},
        ]},
        {"uuid": "4", "name": "Rum", "chat_messages": [
            {"uuid": "5", "sender": "human", "text": "Again."},
            {"uuid": "6", "sender": "assistant", "text": "No."},
        ]},
    ]  # fmt: skip
    expected = Expected(["Look.", "Again."], ["Done.", "No."], ONE, ["Hm."])
    return Case(json.dumps(value), expected)


def rows_of_a_dataset() -> Case:
    """Rows with calls without ids, whose arguments are objects; two have the same prompt."""
    calls = [{"type": "function", "function": {"name": "ls", "arguments": own}} for own in (A, B)]
    first = [said("system", "Be brief."), ASK, said("assistant", None, tool_calls=calls),
             said("tool", "one", name="ls"), said("tool", "two", name="ls"), DONE]  # fmt: skip
    text = lines(
        {"messages": first, "tools": [{"type": "function", "function": {"name": "ls"}}]},
        {"messages": [ASK, said("assistant", "No.")], "tools": None},
    )
    return Case(text, Expected(["Look.", "Look."], ["Done.", "No."], TWO))


def rows_with_empty_ids() -> Case:
    """The ids of all calls are empty."""
    calls = [written("", A), written("", B)]
    results = [said("tool", own, tool_call_id="") for own in ("one", "two")]
    row = {"messages": [ASK, said("assistant", "", tool_calls=calls), *results, DONE]}
    return Case(lines(row), Expected(["Look."], calls=TWO))


def rows_of_a_viewer() -> Case:
    """The answer of a viewer of datasets, with each row in an envelope."""
    rows: Json = [{"row_idx": 0, "row": {"conversation": [ASK, DONE]}, "truncated_cells": []}]
    return Case(document({"features": [], "rows": rows}), Expected(["Look."]))


def rows_of_messages() -> Case:
    """A row for each message."""
    text = lines(
        {"message_id": "1", "parent_id": None, "role": "prompter", "text": "Look."},
        {"message_id": "2", "parent_id": "1", "role": "assistant", "text": "Done."},
    )
    return Case(text, Expected(["Look."]))


CASES = (
    openai_chat, openai_shared_ids, openai_arguments, openai_responses, openai_assistants,
    openai_realtime, anthropic, gemini, gemini_history, ai_studio, langsmith, langchain_before,
    ai_sdk_ui, ai_sdk_model, sharegpt, autogen, autogen_state, litellm, litellm_rows, chatgpt,
    claude_ai, rows_of_a_dataset, rows_with_empty_ids, rows_of_a_viewer, rows_of_messages,
)  # fmt: skip


def bodies(store: SessionStore, kind: type) -> list[Any]:
    return [each.body for each in shown(store) if isinstance(each.body, kind)]


def arguments(call: ToolCall) -> Json:
    try:
        return json.loads(call.args_json) if call.args_json else call.args_json
    except ValueError:
        return call.args_json


def output(call: ToolCall) -> list[Json]:
    return [
        block.text if isinstance(block, TextBlock) else block.value
        for block in call.output
        if isinstance(block, TextBlock | JsonBlock)
    ]


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_prompts_and_calls_are_exact(case: Any, backward: bool, tmp_path: Path):
    text, expected = case()
    path = tmp_path / "log.json"
    path.write_text(text)
    provider = recognise(text.encode(), path)
    assert provider is not None
    assert provider.name == PROVIDER.name
    store = joined(PROVIDER, path, backward=backward)
    assert [each.text for each in bodies(store, User)] == [*expected.prompts]
    assert [each.text for each in bodies(store, Message)] == [*expected.texts]
    assert [each.text for each in bodies(store, Reasoning)] == [*expected.thoughts]
    made: list[ToolCall] = bodies(store, ToolCall)
    found = [(call.provider_name, arguments(call) or None, output(call)) for call in made]
    assert found == [(name, own or None, given) for name, own, given in expected.calls]
    assert all(call.inferred for call in made if call.kind is not ToolKind.UNKNOWN)


FAILED: Mapping[str, list[bool]] = {
    "anthropic": [False, True, False], "gemini": [False, True], "ai_sdk_ui": [True, False, False],
}  # fmt: skip


@pytest.mark.parametrize("case", [anthropic, gemini, ai_sdk_ui], ids=lambda case: case.__name__)
def test_a_failed_call_is_known_by_what_each_api_says(case: Any, tmp_path: Path):
    path = tmp_path / "log.json"
    path.write_text(case().text)
    made: list[ToolCall] = bodies(joined(PROVIDER, path), ToolCall)
    assert [call.state is ToolState.OUTPUT_ERROR for call in made] == FAILED[case.__name__]


@pytest.mark.parametrize(
    ("case", "block"),
    [
        (openai_chat, ImageBlock("image/png", "AAAA")),
        (ai_sdk_ui, ImageBlock("image/png", "AAAA")),
        (chatgpt, ImageBlock(uri="file-service://f")),
        (claude_ai, ResourceBlock(name="a.txt", text="tea")),
    ],
    ids=lambda case: getattr(case, "__name__", ""),
)
def test_what_was_sent_along_is_with_its_prompt(case: Any, block: object, tmp_path: Path):
    path = tmp_path / "log.json"
    path.write_text(case().text)
    prompts: list[User] = bodies(joined(PROVIDER, path), User)
    assert [each for prompt in prompts for each in prompt.blocks] == [block]
