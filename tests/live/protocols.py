"""The responses of the model in the protocols that clients speak.

The shapes are those of the public references: OpenAI Responses and chat completions, Anthropic
Messages, Gemini generateContent.
"""

import itertools
import json
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.live.client import ToolCall

_PAUSE = 0.3
"""Seconds between the pieces of a text that streams slowly."""
_INPUT, _OUTPUT = 1000, 120
"""Tokens that each response says it used."""


@dataclass(frozen=True)
class Response:
    """What the model says: a text, then at most one call."""

    model: str
    text: str
    call: ToolCall | None
    is_endless: bool = False

    def pieces(self) -> Iterator[str]:
        """The text; an endless one until nobody reads."""
        if not self.is_endless:
            if self.text:
                yield self.text
            return
        while True:
            yield self.text
            time.sleep(_PAUSE)


def _id(prefix: str) -> str:
    return prefix + uuid.uuid4().hex[:24]


def _event(data: Mapping[str, Any], name: str = "") -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data)}\n\n".encode()


def responses(said: Response) -> Iterator[bytes]:
    """The stream of OpenAI Responses."""
    numbers = itertools.count()

    def event(kind: str, **fields: Any) -> bytes:
        return _event({"type": kind, "sequence_number": next(numbers), **fields}, kind)

    base = {"id": _id("resp_"), "object": "response", "created_at": int(time.time())}
    yield event("response.created", response={**base, "status": "in_progress", "output": []})
    items: list[dict[str, Any]] = []
    if said.text:
        message: dict[str, Any] = {
            "type": "message",
            "id": _id("msg_"),
            "role": "assistant",
            "phase": "commentary" if said.call else "final_answer",
        }
        started: dict[str, Any] = {**message, "status": "in_progress", "content": []}
        place = {"item_id": message["id"], "output_index": 0, "content_index": 0}
        yield event("response.output_item.added", output_index=0, item=started)
        part: dict[str, Any] = {"type": "output_text", "text": "", "annotations": []}
        yield event("response.content_part.added", **place, part=part)
        for piece in said.pieces():
            yield event("response.output_text.delta", **place, delta=piece)
        yield event("response.output_text.done", **place, text=said.text)
        items.append({**message, "status": "completed", "content": [{**part, "text": said.text}]})
        yield event("response.output_item.done", output_index=0, item=items[0])
    if said.call:
        items.append(_responses_call(said.call))
        index = len(items) - 1
        yield event("response.output_item.added", output_index=index, item=items[-1])
        yield event("response.output_item.done", output_index=index, item=items[-1])
    usage = {
        "input_tokens": _INPUT,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": _OUTPUT,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": _INPUT + _OUTPUT,
    }
    done = {**base, "status": "completed", "output": items, "usage": usage}
    yield event("response.completed", response={**done, "end_turn": said.call is None})


def _responses_call(call: ToolCall) -> dict[str, Any]:
    common = {"call_id": _id("call_"), "name": call.name, "status": "completed"}
    if call.is_freeform:
        return {
            "type": "custom_tool_call",
            "id": _id("ctc_"),
            "input": call.arguments["input"],
            **common,
        }
    arguments = json.dumps(call.arguments)
    item = {"type": "function_call", "id": _id("fc_"), "arguments": arguments, **common}
    return {**item, "namespace": call.namespace} if call.namespace else item


def chat(said: Response) -> Iterator[bytes]:
    """The stream of OpenAI chat completions."""
    base = {"id": _id("chatcmpl-"), "created": int(time.time()), "model": said.model}
    base["object"] = "chat.completion.chunk"

    def chunk(delta: Mapping[str, Any], finish: str | None = None) -> bytes:
        return _event({**base, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    yield chunk({"role": "assistant", "content": ""})
    for piece in said.pieces():
        yield chunk({"content": piece})
    if said.call:
        yield chunk({"tool_calls": [{"index": 0, **_chat_call(said.call)}]})
    yield chunk({}, "tool_calls" if said.call else "stop")
    yield _event({**base, "choices": [], "usage": _chat_usage()})
    yield b"data: [DONE]\n\n"


def _chat_call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": json.dumps(call.arguments)}
    return {"id": _id("call_"), "type": "function", "function": function}


def _chat_usage() -> dict[str, int]:
    return {
        "prompt_tokens": _INPUT,
        "completion_tokens": _OUTPUT,
        "total_tokens": _INPUT + _OUTPUT,
    }


def chat_document(said: Response) -> dict[str, Any]:
    """A chat completion at once."""
    message: dict[str, Any] = {"role": "assistant", "content": said.text}
    if said.call:
        message["tool_calls"] = [_chat_call(said.call)]
    finish = "tool_calls" if said.call else "stop"
    return {
        "id": _id("chatcmpl-"),
        "object": "chat.completion",
        "created": int(time.time()),
        "model": said.model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": _chat_usage(),
    }


def messages_document(said: Response) -> dict[str, Any]:
    """A message of Anthropic at once."""
    blocks: list[dict[str, Any]] = [{"type": "text", "text": said.text}] if said.text else []
    if said.call:
        call = {"name": said.call.name, "input": said.call.arguments}
        blocks.append({"type": "tool_use", "id": _id("toolu_"), **call})
    return {
        "id": _id("msg_"),
        "type": "message",
        "role": "assistant",
        "model": said.model,
        "content": blocks,
        "stop_reason": "tool_use" if said.call else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": _INPUT, "output_tokens": _OUTPUT},
    }


def messages(said: Response) -> Iterator[bytes]:
    """The stream of Anthropic Messages."""

    def event(kind: str, **fields: Any) -> bytes:
        return _event({"type": kind, **fields}, kind)

    document = messages_document(said)
    yield event("message_start", message={**document, "content": [], "stop_reason": None})
    for index, block in enumerate(document["content"]):
        if block["type"] == "text":
            yield event("content_block_start", index=index, content_block={**block, "text": ""})
            for piece in said.pieces():
                delta = {"type": "text_delta", "text": piece}
                yield event("content_block_delta", index=index, delta=delta)
        else:
            yield event("content_block_start", index=index, content_block={**block, "input": {}})
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)
    ended = {"stop_reason": document["stop_reason"], "stop_sequence": None}
    yield event("message_delta", delta=ended, usage=document["usage"])
    yield event("message_stop")


def gemini(said: Response) -> Iterator[bytes]:
    """The stream of Gemini."""
    for piece in said.pieces():
        yield _event(_gemini_part(said, {"text": piece}))
    if said.call:
        call = {"functionCall": {"name": said.call.name, "args": said.call.arguments}}
        yield _event(_gemini_part(said, call))
    yield _event({**_gemini_part(said, {"text": ""}, "STOP"), "usageMetadata": _gemini_usage()})


def gemini_document(said: Response) -> dict[str, Any]:
    """A response of Gemini at once."""
    return {**_gemini_part(said, {"text": said.text}, "STOP"), "usageMetadata": _gemini_usage()}


def _gemini_part(
    said: Response, part: Mapping[str, Any], finish: str | None = None
) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": [part]}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], "modelVersion": said.model, "responseId": "scripted"}


def _gemini_usage() -> dict[str, int]:
    return {
        "promptTokenCount": _INPUT,
        "candidatesTokenCount": _OUTPUT,
        "totalTokenCount": _INPUT + _OUTPUT,
    }


Stream = Callable[[Response], Iterator[bytes]]
Document = Callable[[Response], Mapping[str, Any]]
