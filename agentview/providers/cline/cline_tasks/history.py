"""The messages that a model gets, in which calls may be tags in the text of a message."""

import re

from agentview.domain.content import Block
from agentview.domain.events import Event, Facts, Message, Reasoning, ToolResult
from agentview.domain.tools import ToolCall
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import mapping
from agentview.normalize.json_values import (
    Fields,
    fields_of,
    items_of,
    text_of,
    time_of,
)
from agentview.providers._kit.event_builder import EventBuilder
from agentview.providers.cline.shared.labels import folder_in, labelled, without_context
from agentview.providers.cline.shared.messages import (
    contents,
    prompted,
    results_and_words,
    said_by_model,
)
from agentview.providers.cline.shared.outcome import outcome_of
from agentview.providers.cline.shared.tools import SPECS, find_tool

_NAMES = "|".join(sorted(name for name in SPECS if name.islower()))
_TAGGED = re.compile(rf"<({_NAMES})>\s*(.*?)\s*</\1>", re.DOTALL)
_PARAMETER = re.compile(r"<(\w{1,40})>\n?(.*?)\n?</\1>", re.DOTALL)
_THINKING = re.compile(r"\s*<thinking>\s*(.*?)\s*</thinking>\s*", re.DOTALL)


def tagged(fields: Fields) -> bool:
    """Return True if a message of the model has calls as tags, and none as parts."""
    content = fields.get("content")
    parts = [fields_of(part) for part in items_of(content)]
    words = [content, *(part.get("text") for part in parts)]
    native = any(part.get("type") == "tool_use" for part in parts)
    return not native and any(isinstance(each, str) and _TAGGED.search(each) for each in words)


def message_events(record: EventBuilder) -> list[Event]:
    """Events of a message whose calls and results have ids."""
    record.time = time_of(record.fields.get("ts"))
    role = text_of(record.fields.get("role"))
    if role == "assistant":
        return _assistant(record)[0]
    if role == "user":
        return _user(record, [])
    return [record.unknown(role or "(none)")]


def exchange_events(records: list[EventBuilder]) -> list[Event]:
    """Events of a message with calls as tags, and of the messages that have their results."""
    first, *rest = records
    first.time = time_of(first.fields.get("ts"))
    events, calls = _assistant(first)
    for record in rest:
        record.time = time_of(record.fields.get("ts"))
        events += _user(record, calls)
        calls = []
    return events


def _assistant(record: EventBuilder) -> tuple[list[Event], list[ToolCall]]:
    model = text_of(fields_of(record.fields.get("modelInfo")).get("modelId"))
    record.facts = Facts(model=model) if model is not None else None
    record.response_id = f"{record.name}{record.suffix_end}"
    events: list[Event] = []
    calls: list[ToolCall] = []
    native = not tagged(record.fields)
    for at, part in contents(record):
        if native or part.get("type") != "text":
            events.append(said_by_model(record, at, part))
            continue
        more, made = _text_with_tags(record, at, text_of(part.get("text")) or "")
        events += more
        calls += made
    return events or [record.hidden("a message without words", "assistant")], calls


def _text_with_tags(
    record: EventBuilder, at: int, words: str
) -> tuple[list[Event], list[ToolCall]]:
    events: list[Event] = []
    calls: list[ToolCall] = []
    thought = _THINKING.match(words)
    if thought is not None:
        events.append(record.event(f"thought/{at}", Reasoning(thought[1])))
        words = words[thought.end() :]
    said = _TAGGED.sub("", words).strip()
    if said:
        events.append(record.event(f"text/{at}", Message(said)))
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


def _user(record: EventBuilder, calls: list[ToolCall]) -> list[Event]:
    """Results of calls, or what a person wrote."""
    events, said, blocks = results_and_words(record)
    cwd = folder_in(said)
    record.facts = Facts(cwd=cwd) if cwd is not None else None
    results = labelled(said)
    events += _answers(record, calls, results, blocks)
    if events and (results or not without_context(said)):
        return events
    rest = without_context(said)
    if not rest and not blocks:
        return [record.hidden("what the client says of the editor", "user")]
    return [*events, prompted(record, rest, blocks if not events else ())]


def _answers(
    record: EventBuilder,
    calls: list[ToolCall],
    results: list[tuple[str, str]],
    blocks: tuple[Block, ...],
) -> list[Event]:
    events: list[Event] = []
    for at, call in enumerate(calls):
        name, said = results[at] if at < len(results) else ("", "")
        own = call.call_id
        known = name == call.provider_name
        media = blocks if known and at == len(calls) - 1 else ()
        result = outcome_of(own, said, media) if known else ToolResult(own, None)
        events.append(record.event(f"result/{at}", result))
    return events
