"""Events of `assistant` records: one part of a model's response each, with its usage."""

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import cast

from msgspec.structs import replace

from agentview.domain.content import Block as Media
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
from agentview.domain.index_entry import Role, Signal
from agentview.domain.tools import ToolCall
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_values import (
    call_id_of,
    fields_of,
    real_of,
    seconds_of,
    whole_of,
)
from agentview.normalize.session_state import SAID
from agentview.normalize.tools import mcp
from agentview.normalize.tools.specs import known_calls
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.typed_records import MESSAGE, REASONING, LightEvent, hidden
from agentview.providers._kit.typed_values import read_as
from agentview.providers.claude.shared.content import block_of, text_in
from agentview.providers.claude.shared.event_builder import SYNTHETIC, ClaudeRecord
from agentview.providers.claude.shared.schema import (
    Block,
    Fallback,
    RequestError,
    Tokens,
    Unparsed,
    UnparsedText,
)
from agentview.providers.claude.shared.tool_outcome import result_of
from agentview.providers.claude.shared.tools import SPECS

_ENDS = {"end_turn": True, "stop_sequence": True, "tool_use": False, "pause_turn": False}
"""Whether the turn ends with a response, by the reason for which that ended. After others, such as
`max_tokens` and `refusal`, the client may ask the model to continue, or another one."""
_ANSWERS = ("message", "fallback_message")
"""Requests whose tokens are those of the response, if they are of its model: the model that was
asked, or another one that answered in its place."""
CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
"""Types of blocks that are calls of a tool, of the client or of the vendor."""


def assistant_events(record: ClaudeRecord, *, with_usage: bool = True) -> Sequence[LightEvent]:
    """Events of an `assistant` record.

    A response is written as several records with one `message.id`, each with a usage object whose
    last copy holds the final counts.
    """
    own, message = record.record, record.message
    if message is None:
        return [record.unknown("assistant without a message")]
    model = message.model or None
    if model == SYNTHETIC or own.is_api_error_message:
        return [_client_text(record)]
    response = record.response_id = message.id or own.request_id or record.name
    content, ends = message.content, ends_turn(message.stop_reason)
    if isinstance(content, list):
        events: list[LightEvent] = [
            _block(record, index, item, ends) for index, item in enumerate(content)
        ]
    else:
        events = [] if content is None else [_text(record, 0, content, ends)]
    if not events:
        events = [hidden(record, "a part of a response without content", "assistant")]
    if with_usage and message.usage is not None:
        counts, asides = parts_of(message.usage, model)
        if message.stop_reason is None and counts.context:
            # A record that is written while the response streams has the count of its beginning.
            counts = replace(counts, unfinished=1)
        paid = None if own.cost_usd is None else cost_of(real_of(own.cost_usd), counts)
        name = _with_speed(model, message.usage)
        usage = TokenUsage(response, counts, name, cost=paid)
        events.append(record.usage_part(usage, f"usage:{response}"))
        for at, other, tokens in asides:
            usage = TokenUsage(f"{response}:{at}", tokens, other, aside=True)
            events.append(record.usage_part(usage, f"usage:{response}:{at}", f"usage:{at}"))
    return events


def _with_speed(model: str | None, usage: Tokens) -> str | None:
    """The name of a model with its speed, which has a price of its own, where it is another one."""
    plain = model is None or usage.speed in (None, "", "standard")
    return model if plain else f"{model}[{usage.speed}]"


def parts_of(usage: Tokens, model: str | None) -> tuple[Usage, list[tuple[int, str | None, Usage]]]:
    """Tokens of the model itself, and those of other requests: their numbers, models and tokens.

    The counts of a response are those of its messages. Where they are those of all requests, what
    was another model's is taken out of them.
    """
    counts = tokens_of(usage)
    requests = [(at, each) for at, each in enumerate(usage.iterations or ()) if each is not None]
    others = [
        (at, _with_speed(each.model or model, each), tokens_of(each))
        for at, each in requests
        if each.type not in _ANSWERS or each.model not in (None, model)
    ]
    if others and _summed(tokens_of(each) for _, each in requests) == _summed([counts]):
        for _, _, tokens in others:
            counts = counts.minus(tokens)
    return counts, others


def _summed(parts: Iterable[Usage]) -> tuple[int, int]:
    """Input and output of all parts."""
    whole = reduce(Usage.plus, parts, Usage())
    return (whole.context or 0) - (whole.output or 0), whole.output or 0


def _client_text(record: ClaudeRecord) -> Event:
    """A text that the client wrote in the model's place: an error, or that nothing was asked."""
    text = text_in(record.message_fields().get("content")).strip() or "The request failed"
    is_error = record.record.is_api_error_message is True or text.startswith("API Error")
    if not is_error:
        return record.event("0", Notification(Topic.TURN_END, text))
    error = record.read_as(RequestError)
    status = whole_of(error.api_error_status)
    topic = Topic.LIMIT if is_limit(error, text) else Topic.API_ERROR
    details = (
        f"HTTP status {status}" if status is not None else None,
        error.error,
        error.error_details and error.error_details.code,
    )
    detail = ", ".join(filter(None, details)) or None
    return record.event("0", Notification(topic, text, Level.ERROR, detail))


def is_limit(error: RequestError, text: str) -> bool:
    """Return True if an error of the client says that a limit of the service is reached."""
    status = whole_of(error.api_error_status)
    return error_topic(text, error.error or None, status=status) is Topic.LIMIT


def _block(
    record: ClaudeRecord, index: int, block: Block | str | None, ends: bool | None
) -> LightEvent:
    if block is None or isinstance(block, str):
        return (
            record.unknown("assistant/None", str(index))
            if block is None
            else _text(record, index, block, ends)
        )
    kind = block.type
    if kind == "text":
        return _text(record, index, block.text or "", ends)
    if kind == "thinking":
        duration = seconds_of(record.record.thinking_duration_ms)
        return _thought(record, index, block.thinking or "", duration)
    if kind == "redacted_thinking":
        return _thought(record, index, "", None)
    if kind in CALLS:
        return _call(record, index, block)
    if kind == "fallback":
        return _fallback(record, index, read_as(record.block_fields(index), Fallback))
    if kind == "image":
        return _message(record, index, ("", (block_of(record.block_fields(index)),), ends))
    if kind is not None and kind.endswith("tool_result"):
        call_id = call_id_of(block.tool_use_id, f"{record.name}:{index}")
        return record.event(str(index), result_of(record, block, None, call_id))
    return record.unknown(f"assistant/{kind or None}", str(index))


def _text(record: ClaudeRecord, index: int, text: str, ends: bool | None) -> LightEvent:
    if not text or text.isspace():
        return record.event(str(index), Hidden("an empty part of a response", "assistant/text"))
    return _message(record, index, (text, (), ends))


def _message(
    record: ClaudeRecord, index: int, made: tuple[str, tuple[Media, ...], bool | None]
) -> LightEvent:
    return record.part(str(index), MESSAGE, 0, Message, made, Role.NONE, None, SAID[made[2]])


def _thought(record: ClaudeRecord, index: int, thought: str, duration: float | None) -> LightEvent:
    made = (thought, not thought or thought.isspace(), duration)
    return record.part(str(index), REASONING, 0, Reasoning, made, Role.NONE, None, Signal.AGENT)


def ends_turn(stop_reason: str | None) -> bool | None:
    """Return whether the turn ends with a response that ended for this reason.

    None where the record has none: it is written, or printed, before the response has ended.
    """
    return _ENDS.get(stop_reason or "")


def _fallback(record: ClaudeRecord, index: int, block: Fallback) -> Event:
    old = (block.before and block.before.model) or "a model"
    new = (block.after and block.after.model) or "another model"
    text = f"{new} answered in place of {old}"
    return record.event(str(index), Notification(Topic.MODEL, text, Level.WARNING))


def _call(record: ClaudeRecord, index: int, block: Block) -> LightEvent:
    name, call_id = tool_name(block), block.id
    if call_id is None:
        call_id = f"{record.name}:{index}"
    args = (record, index, block, name, call_id)
    return record.call_event(str(index), call_id, _known_call(name), _call_body, args)


_known_call = known_calls(lambda name: SPECS.get(name) or mcp.named(name))


def _call_body(record: ClaudeRecord, index: int, block: Block, name: str, call_id: str) -> ToolCall:
    given, spec = record.value_of(block.input), SPECS.get(name)
    broken = _unparsed(given)
    if broken is not None:
        return tool_call(call_id=call_id, name=name, arguments=broken, spec=spec)
    if given is None or isinstance(given, str):
        return tool_call(call_id=call_id, name=name, arguments=given, spec=spec)
    exact = record.exact(block.input, "message", "content", index, "input")
    is_object = isinstance(cast("object", given), dict)
    arguments = fields_of(given) if is_object else exact.decode("utf-8", "replace")
    return tool_call(call_id=call_id, name=name, arguments=arguments, spec=spec, raw=exact)


def tool_name(block: Block) -> str:
    """Name of the tool that a block calls; one of an MCP server with the name of the server."""
    name = block.name or ""
    if block.server_name and block.type == "mcp_tool_use":
        return f"mcp__{block.server_name}__{name}"
    return name


def _unparsed(given: object) -> str | None:
    """The text of arguments that the client itself could not read (`__unparsedToolInput`)."""
    broken = read_as(given, Unparsed).text
    return (broken.raw if isinstance(broken, UnparsedText) else broken) or None


def cost_of(reported: float | None, usage: Usage) -> float | None:
    """Return a response's cost by the client's own figure (`costUSD`, up to 1.0.8), US dollars.

    Where tokens went and nothing is said to have been paid, the client had no price.
    """
    return (
        None if reported is None or reported < 0 or (reported == 0 and usage.context) else reported
    )


def tokens_of(usage: Tokens) -> Usage:
    """Tokens of a response. Cache writes may be split by age."""
    written, by_age = whole_of(usage.cache_creation_input_tokens), usage.cache_creation
    hour = None
    if by_age:
        counts = [count for value in by_age.values() if (count := whole_of(value)) is not None]
        written = max(written or 0, sum(counts)) if counts else written
        hour = whole_of(by_age.get("ephemeral_1h_input_tokens"))
    details = usage.output_tokens_details
    return Usage(
        whole_of(usage.input_tokens),
        whole_of(usage.cache_read_input_tokens),
        written,
        whole_of(usage.output_tokens),
        None if details is None else whole_of(details.thinking_tokens),
        hour,
    )
