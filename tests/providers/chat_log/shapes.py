"""One conversation in the form of each API and library: a prompt, a call, its result, an answer."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

PROMPT, LOOKING, RESULT, DONE = "Fix a.py", "Looking.", "print(1)", "Done."
COMMAND = {"command": "cat a.py"}
WRITTEN = json.dumps(COMMAND)
SYSTEM = "You are a coder."

Messages = Sequence[Mapping[str, Any]]


def openai_call(call_id: str | None = "call_1", arguments: object = WRITTEN) -> dict[str, Any]:
    call = {"type": "function", "function": {"name": "bash", "arguments": arguments}}
    return call if call_id is None else {"id": call_id, **call}


def lc(name: str, **kwargs: Any) -> dict[str, Any]:
    own = ["langchain", "schema", "messages", name]
    return {"lc": 1, "type": "constructor", "id": own, "kwargs": kwargs}


TOOL_USE = {"type": "tool_use", "id": "t1", "name": "bash", "input": COMMAND}
LC_CALL = {"name": "bash", "args": COMMAND, "id": "call_1", "type": "tool_call"}
AUTOGEN_CALL = {"id": "call_1", "arguments": WRITTEN, "name": "bash"}
AUTOGEN_RESULT = {"content": RESULT, "name": "bash", "call_id": "call_1", "is_error": False}
LC_USAGE = {
    "input_tokens": 10,
    "output_tokens": 4,
    "total_tokens": 14,
    "input_token_details": {"cache_read": 3},
}

SHAPES: Mapping[str, Messages] = {
    "openai-chat": [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": PROMPT},
        {"role": "assistant", "content": LOOKING, "tool_calls": [openai_call()]},
        {"role": "tool", "tool_call_id": "call_1", "content": RESULT},
        {"role": "assistant", "content": DONE},
    ],
    "openai-functions": [
        {"role": "user", "content": [{"type": "text", "text": PROMPT}]},
        {
            "role": "assistant",
            "content": LOOKING,
            "function_call": {"name": "bash", "arguments": WRITTEN},
        },
        {"role": "function", "name": "bash", "content": RESULT},
        {"role": "assistant", "content": DONE},
    ],
    "openai-responses": [
        {"role": "user", "content": [{"type": "input_text", "text": PROMPT}]},
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "content": [{"type": "output_text", "text": LOOKING, "annotations": []}],
        },
        {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "call_1",
            "name": "bash",
            "arguments": WRITTEN,
        },
        {"type": "function_call_output", "call_id": "call_1", "output": RESULT},
        {"role": "assistant", "content": DONE},
    ],
    "agents-js": [
        {"type": "message", "role": "user", "content": PROMPT},
        {
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": LOOKING}],
        },
        {
            "type": "function_call",
            "id": "fc_1",
            "callId": "call_1",
            "name": "bash",
            "arguments": WRITTEN,
        },
        {
            "type": "function_call_result",
            "name": "bash",
            "callId": "call_1",
            "status": "completed",
            "output": {"type": "text", "text": RESULT},
        },
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": DONE}],
        },
    ],
    "anthropic": [
        {"role": "user", "content": PROMPT},
        {"role": "assistant", "content": [{"type": "text", "text": LOOKING}, TOOL_USE]},
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "t1",
                    "content": [{"type": "text", "text": RESULT}],
                }
            ],
        },
        {"role": "assistant", "content": [{"type": "text", "text": DONE}]},
    ],
    "gemini": [
        {"role": "user", "parts": [{"text": PROMPT}]},
        {
            "role": "model",
            "parts": [{"text": LOOKING}, {"functionCall": {"name": "bash", "args": COMMAND}}],
        },
        {
            "role": "user",
            "parts": [{"functionResponse": {"name": "bash", "response": {"output": RESULT}}}],
        },
        {"role": "model", "parts": [{"text": DONE}]},
    ],
    "sharegpt": [
        {"from": "system", "value": SYSTEM},
        {"from": "human", "value": PROMPT},
        {"from": "gpt", "value": LOOKING},
        {"from": "function_call", "value": json.dumps({"name": "bash", "arguments": COMMAND})},
        {"from": "observation", "value": RESULT},
        {"from": "gpt", "value": DONE},
    ],
    "sharegpt-tags": [
        {"from": "human", "value": PROMPT},
        {
            "from": "gpt",
            "value": f'{LOOKING}\n<tool_call>\n{{"name": "bash", "arguments": {WRITTEN}}}\n'
            "</tool_call>",
        },
        {"from": "tool", "value": f"<tool_response>\n{RESULT}\n</tool_response>"},
        {"from": "gpt", "value": DONE},
    ],
    "langchain": [
        {"type": "system", "data": {"content": SYSTEM, "type": "system"}},
        {"type": "human", "data": {"content": PROMPT, "type": "human", "id": None}},
        {
            "type": "ai",
            "data": {
                "content": LOOKING,
                "type": "ai",
                "tool_calls": [LC_CALL],
                "invalid_tool_calls": [],
                "usage_metadata": LC_USAGE,
                "response_metadata": {"model_name": "quay-1"},
            },
        },
        {
            "type": "tool",
            "data": {
                "content": RESULT,
                "type": "tool",
                "tool_call_id": "call_1",
                "status": "success",
            },
        },
        {"type": "ai", "data": {"content": DONE, "type": "ai", "tool_calls": []}},
    ],
    "langgraph": [
        {"content": PROMPT, "type": "human", "additional_kwargs": {}, "id": "m1"},
        {
            "content": [{"type": "text", "text": LOOKING}, {**TOOL_USE, "id": "call_1"}],
            "type": "ai",
            "tool_calls": [LC_CALL],
            "id": "m2",
        },
        {"content": RESULT, "type": "tool", "tool_call_id": "call_1", "id": "m3"},
        {"content": DONE, "type": "ai", "tool_calls": [], "id": "m4"},
    ],
    "langchain-dumps": [
        lc("HumanMessage", content=PROMPT, type="human"),
        lc("AIMessage", content=LOOKING, type="ai", tool_calls=[LC_CALL]),
        lc("ToolMessage", content=RESULT, type="tool", tool_call_id="call_1"),
        lc("AIMessage", content=DONE, type="ai", tool_calls=[]),
    ],
    "llamaindex": [
        {
            "role": "user",
            "additional_kwargs": {},
            "blocks": [{"block_type": "text", "text": PROMPT}],
        },
        {
            "role": "assistant",
            "additional_kwargs": {},
            "blocks": [
                {"block_type": "text", "text": LOOKING},
                {
                    "block_type": "tool_call",
                    "tool_call_id": "call_1",
                    "tool_name": "bash",
                    "tool_kwargs": COMMAND,
                },
            ],
        },
        {
            "role": "tool",
            "additional_kwargs": {"tool_call_id": "call_1", "name": "bash"},
            "blocks": [{"block_type": "text", "text": RESULT}],
        },
        {
            "role": "MessageRole.ASSISTANT",
            "additional_kwargs": {},
            "blocks": [{"block_type": "text", "text": DONE}],
        },
    ],
    "ai-sdk-model": [
        {"role": "user", "content": [{"type": "text", "text": PROMPT}]},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": LOOKING},
                {"type": "tool-call", "toolCallId": "c1", "toolName": "bash", "input": COMMAND},
            ],
        },
        {
            "role": "tool",
            "content": [
                {
                    "type": "tool-result",
                    "toolCallId": "c1",
                    "toolName": "bash",
                    "output": {"type": "text", "value": RESULT},
                }
            ],
        },
        {"role": "assistant", "content": [{"type": "text", "text": DONE}]},
    ],
    "ai-sdk-ui": [
        {"id": "u1", "role": "user", "parts": [{"type": "text", "text": PROMPT}]},
        {
            "id": "a1",
            "role": "assistant",
            "parts": [
                {"type": "step-start"},
                {"type": "text", "text": LOOKING, "state": "done"},
                {
                    "type": "tool-bash",
                    "toolCallId": "c1",
                    "state": "output-available",
                    "input": COMMAND,
                    "output": RESULT,
                },
                {"type": "text", "text": DONE, "state": "done"},
            ],
        },
    ],
    "ai-sdk-ui-4": [
        {
            "id": "u1",
            "role": "user",
            "content": PROMPT,
            "parts": [{"type": "text", "text": PROMPT}],
        },
        {
            "id": "a1",
            "role": "assistant",
            "content": DONE,
            "parts": [
                {"type": "text", "text": LOOKING},
                {
                    "type": "tool-invocation",
                    "toolInvocation": {
                        "state": "result",
                        "toolCallId": "c1",
                        "toolName": "bash",
                        "args": COMMAND,
                        "result": RESULT,
                    },
                },
                {"type": "text", "text": DONE},
            ],
        },
    ],
    "ollama": [
        {"role": "user", "content": PROMPT},
        {"role": "assistant", "content": LOOKING, "tool_calls": [openai_call(None, COMMAND)]},
        {"role": "tool", "content": RESULT, "tool_name": "bash"},
        {"role": "assistant", "content": DONE},
    ],
    "mistral": [
        {"role": "user", "content": PROMPT},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]},
                {"type": "text", "text": LOOKING},
            ],
            "tool_calls": [openai_call("D681PevKs")],
            "prefix": False,
        },
        {"role": "tool", "name": "bash", "content": RESULT, "tool_call_id": "D681PevKs"},
        {"role": "assistant", "content": DONE},
    ],
    "cohere": [
        {"role": "user", "content": PROMPT},
        {
            "role": "assistant",
            "tool_plan": "Hm.",
            "content": LOOKING,
            "tool_calls": [openai_call()],
        },
        {
            "role": "tool",
            "tool_call_id": "call_1",
            "content": [{"type": "text", "text": RESULT}],
        },
        {"role": "assistant", "content": [{"type": "text", "text": DONE}]},
    ],
    "cohere-1": [
        {"role": "USER", "message": PROMPT},
        {
            "role": "CHATBOT",
            "message": LOOKING,
            "tool_calls": [{"name": "bash", "parameters": COMMAND}],
        },
        {
            "role": "TOOL",
            "tool_results": [
                {
                    "call": {"name": "bash", "parameters": COMMAND},
                    "outputs": [{"type": "text", "text": RESULT}],
                }
            ],
        },
        {"role": "CHATBOT", "message": DONE},
    ],
    "bedrock": [
        {"role": "user", "content": [{"text": PROMPT}]},
        {
            "role": "assistant",
            "content": [
                {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "x"}}},
                {"text": LOOKING},
                {"toolUse": {"toolUseId": "t1", "name": "bash", "input": COMMAND}},
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "toolResult": {
                        "toolUseId": "t1",
                        "content": [{"text": RESULT}],
                        "status": "success",
                    }
                }
            ],
        },
        {"role": "assistant", "content": [{"text": DONE}]},
    ],
    "strands": [
        {
            "message": {"role": "user", "content": [{"text": PROMPT}]},
            "message_id": 0,
            "redact_message": None,
            "created_at": "2026-05-04T08:00:00.000000+00:00",
        },
        {
            "message": {
                "role": "assistant",
                "content": [
                    {"text": LOOKING},
                    {"toolUse": {"toolUseId": "t1", "name": "bash", "input": COMMAND}},
                ],
            },
            "message_id": 1,
            "created_at": "2026-05-04T08:00:01.000000+00:00",
        },
        {
            "message": {
                "role": "user",
                "content": [{"toolResult": {"toolUseId": "t1", "content": [{"text": RESULT}]}}],
            },
            "message_id": 2,
            "created_at": "2026-05-04T08:00:02.000000+00:00",
        },
        {"message": {"role": "assistant", "content": [{"text": DONE}]}, "message_id": 3},
    ],
    "smolagents": [
        {"system_prompt": SYSTEM},
        {"task": PROMPT, "task_images": None},
        {
            "step_number": 1,
            "timing": {"start_time": 1777881600.5, "end_time": 1777881601.5, "duration": 1.0},
            "model_input_messages": [{"role": "user", "content": PROMPT}],
            "tool_calls": [openai_call(arguments=COMMAND)],
            "error": None,
            "model_output": LOOKING,
            "observations": RESULT,
            "token_usage": {"input_tokens": 10, "output_tokens": 4, "total_tokens": 14},
            "is_final_answer": False,
        },
        {"step_number": 2, "tool_calls": [], "model_output": DONE, "observations": None},
    ],
    "autogen": [
        {
            "id": "e1",
            "source": "user",
            "models_usage": None,
            "content": PROMPT,
            "type": "TextMessage",
        },
        {
            "source": "coder",
            "models_usage": None,
            "created_at": "2026-05-04T08:00:00Z",
            "content": LOOKING,
            "type": "TextMessage",
        },
        {
            "source": "coder",
            "models_usage": {"prompt_tokens": 10, "completion_tokens": 4},
            "content": [AUTOGEN_CALL],
            "type": "ToolCallRequestEvent",
        },
        {
            "source": "coder",
            "models_usage": None,
            "content": [AUTOGEN_RESULT],
            "type": "ToolCallExecutionEvent",
        },
        {
            "source": "coder",
            "content": RESULT,
            "type": "ToolCallSummaryMessage",
            "tool_calls": [AUTOGEN_CALL],
            "results": [AUTOGEN_RESULT],
        },
        {"source": "coder", "models_usage": None, "content": DONE, "type": "TextMessage"},
    ],
    "autogen-core": [
        {"content": SYSTEM, "type": "SystemMessage"},
        {"content": PROMPT, "source": "user", "type": "UserMessage"},
        {"content": LOOKING, "source": "coder", "type": "AssistantMessage"},
        {"content": [AUTOGEN_CALL], "thought": None, "source": "coder", "type": "AssistantMessage"},
        {"content": [AUTOGEN_RESULT], "type": "FunctionExecutionResultMessage"},
        {"content": DONE, "source": "coder", "type": "AssistantMessage"},
    ],
    "autogen-0.2": [
        {"role": "user", "name": "user", "content": PROMPT},
        {"role": "assistant", "name": "coder", "content": LOOKING, "tool_calls": [openai_call()]},
        {
            "role": "tool",
            "name": "user",
            "content": RESULT,
            "tool_responses": [{"tool_call_id": "call_1", "role": "tool", "content": RESULT}],
        },
        {"role": "assistant", "name": "coder", "content": DONE},
    ],
}
"""Messages by the name of their shape."""
