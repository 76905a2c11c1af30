"""Events of `assistant` records: one part of a model's response each, with its usage."""

import json

import orjson

from agentview.domain.events import (
    Event,
    Hidden,
    Level,
    Message,
    Notification,
    Reasoning,
    TokenUsage,
    Topic,
)
from agentview.domain.tools import ToolCall
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_values import (
    Fields,
    call_id_of,
    fields_of,
    items_of,
    real_of,
    seconds_of,
    text_of,
    whole_of,
)
from agentview.normalize.raw_span import value_span
from agentview.providers._kit.limits import error_topic
from agentview.providers.claude.shared.content import block_of, text_in
from agentview.providers.claude.shared.event_builder import ClaudeRecord, facts_of
from agentview.providers.claude.shared.tool_outcome import result_of
from agentview.providers.claude.shared.tools import SPECS

SYNTHETIC = "<synthetic>"
"""HTTP status of a rate limit."""
_ENDS = {"end_turn": True, "stop_sequence": True, "tool_use": False, "pause_turn": False}
"""Whether the turn ends with a response, by the reason for which that ended. After others, such as
`max_tokens` and `refusal`, the client may ask the model to continue, or another one."""
_CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})


def assistant_events(record: ClaudeRecord, *, with_usage: bool = True) -> list[Event]:
    """Events of an `assistant` record.

    A response is written as several records with one `message.id`, each with a usage object whose
    last copy holds the final counts.
    """
    message = fields_of(record.fields.get("message"))
    if not message:
        return [record.unknown("assistant without a message")]
    model = text_of(message.get("model"))
    if model == SYNTHETIC or record.fields.get("isApiErrorMessage") is True:
        return [_client_text(record, message)]
    response = text_of(message.get("id")) or text_of(record.fields.get("requestId")) or record.name
    record.response_id = response
    record.facts = facts_of(record.fields, model)
    content = message.get("content")
    if isinstance(content, str):
        events = [_text(record, 0, content)]
    else:
        events = [_block(record, index, item) for index, item in enumerate(items_of(content))]
    if not events:
        events = [record.hidden("a part of a response without content", "assistant")]
    if with_usage and isinstance(message.get("usage"), dict):
        counts = usage_of(fields_of(message.get("usage")))
        cost = cost_of(real_of(record.fields.get("costUSD")), counts)
        body = TokenUsage(response, counts, model, cost=cost)
        events.append(record.event("usage", body, replaces=f"usage:{response}"))
    return events


def _client_text(record: ClaudeRecord, message: Fields) -> Event:
    """A text that the client wrote in the model's place: an error, or that nothing was asked."""
    text = text_in(message.get("content")).strip() or "The request failed"
    is_error = record.fields.get("isApiErrorMessage") is True or text.startswith("API Error")
    if not is_error:
        return record.event("0", Notification(Topic.TURN_END, text))
    status = whole_of(record.fields.get("apiErrorStatus"))
    code = text_of(record.fields.get("error"))
    topic = Topic.LIMIT if is_limit(record.fields, text) else Topic.API_ERROR
    details = [
        f"HTTP status {status}" if status is not None else None,
        code,
        text_of(fields_of(record.fields.get("errorDetails")).get("code")),
    ]
    detail = ", ".join(part for part in details if part) or None
    return record.event("0", Notification(topic, text, Level.ERROR, detail))


def is_limit(record: Fields, text: str) -> bool:
    """Return True if an error of the client says that a limit of the service is reached."""
    status, code = whole_of(record.get("apiErrorStatus")), text_of(record.get("error"))
    return error_topic(text, code, status=status) is Topic.LIMIT


def _block(record: ClaudeRecord, index: int, item: object) -> Event:
    block = fields_of(item)
    kind = text_of(block.get("type"))
    if isinstance(item, str):
        return _text(record, index, item)
    if kind == "text":
        return _text(record, index, text_of(block.get("text")) or "")
    if kind == "thinking":
        thought = text_of(block.get("thinking")) or ""
        duration = seconds_of(record.fields.get("thinkingDurationMs"))
        body = Reasoning(thought, withheld=not thought.strip(), duration=duration)
        return record.event(str(index), body)
    if kind == "redacted_thinking":
        return record.event(str(index), Reasoning("", withheld=True))
    if is_call(block):
        return record.event(str(index), _call(record, index, block))
    if kind == "fallback":
        return _fallback(record, index, block)
    if kind == "image":
        return record.event(str(index), Message("", (block_of(block),), _ends_turn(record)))
    if kind is not None and kind.endswith("tool_result"):
        call_id = call_id_of(block.get("tool_use_id"), f"{record.name}:{index}")
        return record.event(str(index), result_of(block, record.fields, None, call_id))
    return record.unknown(f"assistant/{kind}", str(index))


def _text(record: ClaudeRecord, index: int, text: str) -> Event:
    if not text.strip():
        return record.event(str(index), Hidden("an empty part of a response", "assistant/text"))
    return record.event(str(index), Message(text, ends_turn=_ends_turn(record)))


def _ends_turn(record: ClaudeRecord) -> bool | None:
    stop = text_of(fields_of(record.fields.get("message")).get("stop_reason"))
    return ends_turn(stop)


def ends_turn(stop_reason: str | None) -> bool | None:
    """Return whether the turn ends with a response that ended for this reason.

    None where the record has none: it is written, or printed, before the response has ended.
    """
    return _ENDS.get(stop_reason or "")


def _fallback(record: ClaudeRecord, index: int, block: Fields) -> Event:
    old = text_of(fields_of(block.get("from")).get("model")) or "a model"
    new = text_of(fields_of(block.get("to")).get("model")) or "another model"
    text = f"{new} answered in place of {old}"
    return record.event(str(index), Notification(Topic.MODEL, text, Level.WARNING))


def _call(record: ClaudeRecord, index: int, block: Fields) -> ToolCall:
    name = tool_name(block)
    call_id = call_id_of(block.get("id"), f"{record.name}:{index}")
    value = given = block.get("input")
    broken = _unparsed(given)
    if broken is not None:
        return tool_call(call_id=call_id, name=name, arguments=broken, spec=SPECS.get(name))
    if given is None or isinstance(given, str):
        return tool_call(call_id=call_id, name=name, arguments=given, spec=SPECS.get(name))
    exact = _exact(record, index, given)
    is_object = isinstance(given, dict)
    arguments = fields_of(value) if is_object else exact.decode("utf-8", "replace")
    return tool_call(
        call_id=call_id, name=name, arguments=arguments, spec=SPECS.get(name), raw=exact
    )


def is_call(block: Fields) -> bool:
    """Return True if a content block is a call of a tool, of the client or of the vendor."""
    return text_of(block.get("type")) in _CALLS


def tool_name(block: Fields) -> str:
    """Name of the tool that a block calls; one of an MCP server with the name of the server."""
    name = block.get("name")
    name = name if isinstance(name, str) else ""
    server = text_of(block.get("server_name"))
    if block.get("type") == "mcp_tool_use" and server is not None:
        return f"mcp__{server}__{name}"
    return name


def _unparsed(given: object) -> str | None:
    """The text of arguments that the client itself could not read (`__unparsedToolInput`)."""
    broken = fields_of(given).get("__unparsedToolInput")
    return text_of(broken) or text_of(fields_of(broken).get("raw"))


def _exact(record: ClaudeRecord, index: int, given: object) -> bytes:
    """Return the text of the arguments as it is in the record.

    The client writes compact JSON, so that writing the value again nearly always gives its text;
    the search proves it and is many times quicker than finding the place.
    """
    try:
        written = orjson.dumps(given)
    except TypeError:
        written = json.dumps(given).encode()
    if written in record.raw:
        return written
    span = value_span(record.raw, (*record.path, "message", "content", index, "input"))
    return record.raw[span[0] : span[1]] if span is not None else written


def cost_of(reported: float | None, usage: Usage) -> float | None:
    """Return what a response cost by the client's own figure (`costUSD`, up to 1.0.8), US dollars.

    Where tokens went and nothing is said to have been paid, the client had no price.
    """
    return (
        None if reported is None or reported < 0 or (reported == 0 and usage.context) else reported
    )


def usage_of(usage: Fields) -> Usage:
    """Tokens of a response; `input_tokens` excludes the cache. Cache writes may be split by age."""
    written = whole_of(usage.get("cache_creation_input_tokens"))
    by_age = usage.get("cache_creation")
    if by_age:
        counts = [
            count for value in fields_of(by_age).values() if (count := whole_of(value)) is not None
        ]
        written = max(written or 0, sum(counts)) if counts else written
    details = fields_of(usage.get("output_tokens_details"))
    return Usage(
        input_uncached=whole_of(usage.get("input_tokens")),
        input_cached=whole_of(usage.get("cache_read_input_tokens")),
        cache_write=written,
        output=whole_of(usage.get("output_tokens")),
        reasoning=whole_of(details.get("thinking_tokens")),
        cache_write_1h=whole_of(fields_of(by_age).get("ephemeral_1h_input_tokens")),
    )
