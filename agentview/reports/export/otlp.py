"""A session as OpenTelemetry spans, by the semantic conventions for generative AI, in OTLP JSON.

The session is the root span `invoke_agent`, an agent that it started a child `invoke_agent`, a call
`execute_tool`, a response `chat`. Ids are made of ids of the log, so that sending twice sends the
same spans. Tokens and cost are those that `agentview stats` adds up.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b
from typing import cast

import agentview
from agentview.domain.content import Block
from agentview.domain.events import Facts, Level, Topic
from agentview.domain.session import Stream, StreamKind
from agentview.domain.tools import ToolState
from agentview.facts.usage.report import CountedResponse
from agentview.reports.export.encoding import Object
from agentview.reports.export.events import Fields, Status
from agentview.reports.export.session_data import SessionData
from agentview.timeline.view.activity.activity_text import blocks_text

SPANS = 500
"""Spans of a request at most."""

_LONGEST = 16_384
"""Characters of a text at most."""
_INTERNAL, _CLIENT, _ERROR = 1, 3, 2
"""Kinds of spans, and the status of one that failed, as numbers of OTLP."""
_SPEAKING = ("message", "reasoning")
_REQUEST_ERRORS = (Topic.API_ERROR, Topic.LIMIT)
_ERRORS: Mapping[object, str] = {
    ToolState.OUTPUT_ERROR: "tool_error",
    ToolState.OUTPUT_DENIED: "denied",
}


@dataclass(slots=True)
class _Chat:
    """A response of a model: what it said, what was asked, what it used."""

    stream: Stream
    name: str
    prompts: list[str] = field(default_factory=list[str])
    said: list[Fields] = field(default_factory=list[Fields])
    times: list[float] = field(default_factory=list[float])
    used: CountedResponse | None = None
    error: Fields | None = None


class SessionSpans:
    """The spans of one session, from its lines and from what was counted."""

    def __init__(self, data: SessionData) -> None:
        self._data = data
        self._ref = data.ref
        self._chats: dict[tuple[str, str], _Chat] = {}
        self._calls: list[Fields] = []
        self._asked: dict[str, list[str]] = {}
        self._agents: dict[str, list[float]] = {}
        """Times of all that is in a stream, by its id."""
        self._started_by: dict[str, str] = {}
        """Spans of the calls that started an agent, by the id of its stream."""
        self._cwd: str | None = None
        self._take(data.lines)
        self._count(data.responses)

    def spans(self) -> list[Object]:
        return [
            self._root(),
            *(self._agent(stream) for stream in self._agents if stream),
            *map(self._chat, self._chats.values()),
            *map(self._call, self._calls),
        ]

    def _take(self, lines: Iterable[Fields]) -> None:
        callers: dict[str, str] = {}
        parents: dict[str, str] = {}
        for line in lines:
            if line["status"] not in (Status.ACTIVE, Status.ABANDONED):
                continue
            stream, time = cast("Stream", line["stream"]), _seconds(line["time"])
            times = self._agents.setdefault(stream.id, [])
            times += [] if time is None else [time]
            facts = line.get("facts")
            if isinstance(facts, Facts) and not stream.id:
                self._cwd = facts.cwd or self._cwd
            if line["type"] == "tool_call":
                self._calls.append(line)
                callers[str(line["call_id"])] = self._call_id(line)
                child = line.get("child")
                if isinstance(child, Stream) and child.kind is not StreamKind.RUN:
                    self._started_by[child.id] = self._call_id(line)
            if line.get("parent_call") is not None:
                parents[stream.id] = str(line["parent_call"])
            self._take_part(line, stream, time)
        for stream_id, call in parents.items():
            if call in callers:
                self._started_by.setdefault(stream_id, callers[call])

    def _take_part(self, line: Fields, stream: Stream, time: float | None) -> None:
        """Take a line as a part of a response, or of what was asked."""
        kind, name = line["type"], line.get("response_id")
        if kind == "user":
            self._asked.setdefault(stream.id, []).append(str(line["text"]))
            return
        failed = (
            kind == "notification"
            and line["topic"] in _REQUEST_ERRORS
            and line["level"] is Level.ERROR
        )
        if kind == "token_usage" and line.get("total"):
            return
        if kind in _SPEAKING or failed:
            name = name or line["id"]
        elif kind not in ("tool_call", "token_usage"):
            return
        if not isinstance(name, str) or not name:
            return
        chat = self._chats.setdefault((stream.id, name), _Chat(stream, name))
        chat.prompts += self._asked.pop(stream.id, [])
        chat.times += [] if time is None else [time]
        if kind in _SPEAKING:
            chat.said.append(line)
        if failed:
            chat.error = line

    def _count(self, responses: Iterable[CountedResponse]) -> None:
        for used in responses:
            name = f"total {used.id}" if used.is_correction else used.id
            key = used.stream.id, name
            chat = self._chats.setdefault(key, _Chat(used.stream, name))
            if chat.used is not None:
                # The same id in two logs is two responses.
                chat = self._chats[*key[:1], f"{name}\x00{used.log.path}"] = _Chat(
                    used.stream, f"{name}\x00{used.log.path}"
                )
            chat.used = used
            chat.times += [] if used.time is None else [used.time]
            self._agents.setdefault(used.stream.id, [])

    def _root(self) -> Object:
        usage, ref = self._data.usage, self._ref
        times = [time for time in (usage.started, usage.ended) if time is not None]
        attributes = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": self._data.label,
            "process.working_directory": self._cwd,
            "agentview.session.path": ref.path,
            "agentview.session.client_cost": usage.cost.client,
        }
        return self._span(
            self._id("session"), f"invoke_agent {self._data.label}", attributes, times, parent=None
        )

    def _agent(self, stream: str) -> Object:
        label = self._data.agent_labels.get(stream)
        attributes = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.id": stream,
            "gen_ai.agent.name": label,
        }
        parent = self._started_by.get(stream, self._id("session"))
        name = f"invoke_agent {label or stream}"
        return self._span(
            self._stream_id(stream), name, attributes, self._agents[stream], parent=parent
        )

    def _chat(self, chat: _Chat) -> Object:
        used = chat.used
        model = None if used is None else used.model
        attributes: Object = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": self._data.vendor(model),
            "gen_ai.request.model": model,
            "gen_ai.response.model": model,
            "gen_ai.response.id": None if used is None or used.is_correction else used.id,
            "gen_ai.input.messages": _messages("user", "text", chat.prompts),
            "gen_ai.output.messages": _output(chat.said),
        }
        if used is not None:
            attributes |= _usage(used)
        error = None if chat.error is None else str(chat.error["topic"])
        text = "" if chat.error is None else str(chat.error["text"])
        return self._span(
            self._id("chat", chat.stream.id, chat.name),
            f"chat {model}" if model else "chat",
            attributes,
            chat.times,
            parent=self._parent(chat.stream),
            kind=_CLIENT,
            error=error,
            message=text,
        )

    def _call(self, line: Fields) -> Object:
        name = str(line["provider_name"] or line["canonical_name"])
        output = blocks_text(cast("Sequence[Block]", line["output"]))
        attributes: Object = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.call.id": line["call_id"],
            "gen_ai.tool.type": "extension" if line["origin"] == "mcp" else "function",
            "gen_ai.tool.call.arguments": _cut(str(line["args_json"])),
            "gen_ai.tool.call.result": _cut(output) or None,
            "agentview.tool.kind": str(line["kind"]),
            "agentview.tool.state": str(line["state"]),
        }
        times = [_seconds(line["time"]), _seconds(line["ended"])]
        error = _ERRORS.get(line["state"])
        if line["interrupted"]:
            error = "interrupted"
        return self._span(
            self._call_id(line),
            f"execute_tool {name}",
            attributes,
            [time for time in times if time is not None],
            parent=self._parent(cast("Stream", line["stream"])),
            error=error,
            message=str(line["error"] or ""),
        )

    def _span(
        self,
        own: str,
        name: str,
        attributes: Mapping[str, object],
        times: Sequence[float],
        *,
        parent: str | None,
        kind: int = _INTERNAL,
        error: str | None = None,
        message: str = "",
    ) -> Object:
        start = min(times, default=self._data.usage.started)
        end = max(times, default=start)
        known = {"gen_ai.conversation.id": self._ref.session_id, **attributes, "error.type": error}
        span: Object = {
            "traceId": self._hash(16, "session"),
            "spanId": own,
            "name": name,
            "kind": kind,
            "startTimeUnixNano": _nanoseconds(start),
            "endTimeUnixNano": _nanoseconds(end),
            "attributes": [_attribute(key, value) for key, value in known.items()
                           if value is not None],
        }  # fmt: skip
        if parent is not None:
            span["parentSpanId"] = parent
        if error is not None:
            span["status"] = {"code": _ERROR, "message": _cut(message)}
        return span

    def _parent(self, stream: Stream) -> str:
        return self._stream_id(stream.id) if stream.id else self._id("session")

    def _stream_id(self, stream: str) -> str:
        return self._id("agent", stream)

    def _call_id(self, line: Fields) -> str:
        return self._id("call", line["id"])

    def _id(self, *parts: object) -> str:
        return self._hash(8, *parts)

    def _hash(self, size: int, *parts: object) -> str:
        text = "\x00".join(map(str, (self._ref.provider, self._ref.session_id, *parts)))
        return blake2b(text.encode("utf-8", "replace"), digest_size=size).hexdigest()


def requests(data: SessionData) -> Iterable[Object]:
    """The spans of a session as `ExportTraceServiceRequest` objects of OTLP JSON."""
    spans = SessionSpans(data).spans()
    resource = {"attributes": [_attribute("service.name", data.ref.provider)]}
    scope = {"name": "agentview", "version": agentview.__version__}
    for start in range(0, len(spans), SPANS):
        scoped = [{"scope": scope, "spans": spans[start : start + SPANS]}]
        yield {"resourceSpans": [{"resource": resource, "scopeSpans": scoped}]}


def _usage(used: CountedResponse) -> Object:
    usage = used.usage
    given = [usage.input_uncached, usage.input_cached, usage.cache_write]
    known = [count for count in given if count is not None]
    return {
        "gen_ai.usage.input_tokens": sum(known) if known else None,
        "gen_ai.usage.cache_read.input_tokens": usage.input_cached,
        "gen_ai.usage.cache_creation.input_tokens": usage.cache_write,
        "gen_ai.usage.output_tokens": usage.output,
        "gen_ai.usage.reasoning.output_tokens": usage.reasoning,
        "gen_ai.usage.cost": used.client_cost,
        "agentview.facts.usage.cost_estimate": None if used.price is None else used.price.cost,
        "agentview.facts.usage.unfinished": usage.unfinished,
        "agentview.facts.usage.correction": True if used.is_correction else None,
        "agentview.turn": used.turn,
    }


def _output(said: Sequence[Fields]) -> str | None:
    parts = [
        {"type": "reasoning" if line["type"] == "reasoning" else "text", "content": text}
        for line in said
        if (text := _cut(str(line["text"])))
    ]
    if not parts:
        return None
    return json.dumps([{"role": "assistant", "parts": parts}], ensure_ascii=False)


def _messages(role: str, kind: str, texts: Sequence[str]) -> str | None:
    if not texts:
        return None
    messages = [{"role": role, "parts": [{"type": kind, "content": _cut(text)}]} for text in texts]
    return json.dumps(messages, ensure_ascii=False)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text)} characters)"


def _attribute(key: str, value: object) -> Object:
    return {"key": key, "value": _any_value(value)}


def _any_value(value: object) -> Object:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    return {"stringValue": str(value)}


def _seconds(text: object) -> float | None:
    return datetime.fromisoformat(text).timestamp() if isinstance(text, str) else None


def _nanoseconds(time: float | None) -> str:
    """The time as OTLP has it; 0 stands for an unknown one."""
    return "0" if time is None or time < 0 else str(round(time * 1e3) * 1_000_000)
