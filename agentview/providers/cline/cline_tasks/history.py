"""The messages that a model gets, in which calls may be tags in the text of a message."""

import re
from collections.abc import Sequence

from agentview.domain.content import Block, TextBlock
from agentview.domain.events import Facts, TokenUsage, ToolResult, User
from agentview.domain.tools import ToolCall
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import mapping
from agentview.normalize.json_values import real_of, text_of, whole_of
from agentview.providers._kit.speakers import spoken_events
from agentview.providers._kit.typed_records import LightEvent, hidden
from agentview.providers.cline.cline_tasks.entries import TaskRecord
from agentview.providers.cline.shared.forms import feedback_in, said_by
from agentview.providers.cline.shared.labels import folder_in, labelled
from agentview.providers.cline.shared.messages import (
    blocks_of,
    parts_of,
    results_and_words,
    said_by_model,
)
from agentview.providers.cline.shared.outcome import outcome_of
from agentview.providers.cline.shared.schema import Message, Metrics, Tokens
from agentview.providers.cline.shared.tools import SPECS, find_tool

_NAMES = "|".join(sorted(name for name in SPECS if name.islower()))
_TAGGED = re.compile(rf"<({_NAMES})>\s*(.*?)\s*</\1>", re.DOTALL)
_PARAMETER = re.compile(r"<(\w{1,40})>\n?(.*?)\n?</\1>", re.DOTALL)
_THINKING = re.compile(r"\s*<thinking>\s*(.*?)\s*</thinking>\s*", re.DOTALL)


def tagged(message: Message) -> bool:
    """Return True if a message of the model has calls as tags, and none as parts."""
    parts = parts_of(message)
    native = any(part.type == "tool_use" for part in parts)
    return not native and any(
        isinstance(each.text, str) and _TAGGED.search(each.text) for each in parts
    )


def message_events(record: TaskRecord) -> Sequence[LightEvent]:
    """Events of a message whose calls and results have ids."""
    role = record.record.role
    if role == "assistant":
        return _assistant(record)[0]
    if role == "user":
        return _user(record, [])
    return [record.unknown(role or "(none)")]


def exchange_events(records: Sequence[TaskRecord]) -> Sequence[LightEvent]:
    """Events of a message with calls as tags, and of the messages that have their results."""
    first, *rest = records
    events, calls = _assistant(first)
    for record in rest:
        events += _user(record, calls)
        calls = []
    return events


def _assistant(record: TaskRecord) -> tuple[list[LightEvent], list[ToolCall]]:
    record.facts = Facts(model=record.model) if record.model is not None else None
    record.response_id = f"{record.name}{record.suffix_end}"
    events: list[LightEvent] = []
    calls: list[ToolCall] = []
    native = not tagged(record.record)
    for at, part in enumerate(parts_of(record.record)):
        if native or part.type != "text":
            events.append(said_by_model(record, at, part))
            continue
        more, made = _text_with_tags(record, at, text_of(part.text) or "")
        events += more
        calls += made
    events += _usage(record)
    return events or [hidden(record, "a message without words", "assistant")], calls


def _usage(record: TaskRecord) -> list[LightEvent]:
    """Tokens of a response, where the message has them."""
    metrics = record.record.metrics or Metrics()
    tokens = metrics.tokens or Tokens()
    given, cached = whole_of(tokens.prompt), whole_of(tokens.cached)
    output, cost = whole_of(tokens.completion), real_of(metrics.cost) or None
    if given is None and output is None and cost is None:
        return []
    uncached = None if given is None else max(0, given - (cached or 0))
    body = TokenUsage(record.name, Usage(uncached, cached, None, output), record.model, cost=cost)
    return [record.usage_part(body)]


def _text_with_tags(
    record: TaskRecord, at: int, words: str
) -> tuple[list[LightEvent], list[ToolCall]]:
    events: list[LightEvent] = []
    calls: list[ToolCall] = []
    thought = _THINKING.match(words)
    if thought is not None:
        events.append(record.thought_part(f"thought/{at}", thought[1]))
        words = words[thought.end() :]
    said = _TAGGED.sub("", words).strip()
    if said:
        events.append(record.text_part(f"text/{at}", said))
    for number, found in enumerate(_TAGGED.finditer(words)):
        own = f"{record.name}{record.suffix_end}/{at}.{number}"
        arguments: dict[str, object] = dict(_PARAMETER.findall(found[2]))
        if "arguments" in arguments:
            arguments["arguments"] = mapping(arguments["arguments"]) or arguments["arguments"]
        call = tool_call(
            call_id=own, name=found[1], arguments=arguments, spec=find_tool(found[1], arguments)
        )
        calls.append(call)
        events.append(record.event(f"call/{at}.{number}", call))
    return events, calls


def _user(record: TaskRecord, calls: list[ToolCall]) -> Sequence[LightEvent]:
    """Results of calls, or what a person wrote."""
    events, said, blocks = results_and_words(record)
    cwd = folder_in(said)
    record.facts = Facts(cwd=cwd) if cwd is not None else None
    results, found = labelled(said), said_by(said)
    events += _answers(record, calls, results, blocks)
    events += _feedback(record, [words for _, words in results[: len(calls)]])
    silent = not found.words.strip() and not found.notes
    if events and (results or silent):
        return events
    if silent and not blocks:
        return [hidden(record, "what the client says of the editor", "user")]
    return [*events, *spoken_events(record, found, blocks if not events else ())]


def _feedback(record: TaskRecord, results: Sequence[str]) -> list[LightEvent]:
    """Prompts that answer a report, which are in the result of the call that gave it."""
    own = (
        blocks_of(record.value_of(part.content))
        for part in parts_of(record.record)
        if part.type == "tool_result"
    )
    said = [block.text for blocks in own for block in blocks if isinstance(block, TextBlock)]
    found = filter(None, map(feedback_in, [*results, *said]))
    return [record.event(f"feedback/{at}", User(words)) for at, words in enumerate(found)]


def _answers(
    record: TaskRecord,
    calls: list[ToolCall],
    results: list[tuple[str, str]],
    blocks: tuple[Block, ...],
) -> list[LightEvent]:
    events: list[LightEvent] = []
    for at, call in enumerate(calls):
        name, said = results[at] if at < len(results) else ("", "")
        own = call.call_id
        known = name == call.provider_name
        media = blocks if known and at == len(calls) - 1 else ()
        result = outcome_of(own, said, media) if known else ToolResult(own, None)
        events.append(record.event(f"result/{at}", result))
    return events
