"""Events of an item of the history, or of what is around it."""

import re
from collections import Counter
from collections.abc import Sequence

from msgspec import UNSET

from agentview.domain.content import Block, TextBlock
from agentview.domain.events import (
    Attachment,
    Compaction,
    Event,
    Facts,
    Reset,
    Title,
    TitleSource,
    TokenUsage,
    ToolProgress,
    ToolResult,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import Denial, DeniedBy, ToolCall
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import as_text, mapping
from agentview.normalize.json_values import Fields, fields_of, real_of, text_of, whole_of
from agentview.normalize.project_path import project_path
from agentview.normalize.tools.specs import known_calls
from agentview.providers._kit.event_builder import model_facts, whole_response
from agentview.providers._kit.images import words_and_blocks
from agentview.providers._kit.json_documents import TypedDocuments
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.typed_records import LightEvent, Records, TypedBuilder, hidden
from agentview.providers.continue_cli.schema import (
    Asked,
    Cached,
    Content,
    Counts,
    Function,
    Given,
    Item,
    Message,
    State,
)
from agentview.providers.continue_cli.tools import SPECS, known_spec

_BEGIN = re.compile(r'\{\s*"(?:message|sessionId|contextItems)"\s*:')
_UNTITLED = frozenset({"Untitled Session", "New Session"})
_RULE = re.compile(r"(?i)blocked by|security policy|excluded|not allowed")
_CALLING = frozenset({"generating", "generated", "calling"})
_OUTCOMES = {"done": True, "errored": False, "canceled": False}
_NO_MESSAGE = Message()


class HistoryItem(TypedBuilder[Item], gc=False):
    """An item of the history, or what is around it."""

    @property
    def message(self) -> Message:
        return self.record.message or _NO_MESSAGE

    def said(self, content: Content) -> tuple[str, tuple[Block, ...]]:
        """The words of a content, and what is not words."""
        if not isinstance(content, list):
            return content or "", ()
        return words_and_blocks([self.value_of(each) for each in content], _images)


def _images(part: Fields) -> list[str] | None:
    link = fields_of(part.get("imageUrl")) or fields_of(part.get("image_url"))
    uri = text_of(link.get("url"))
    return None if uri is None else [uri]


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    return FORM.events(record, source, session)


RECORDS = Records[HistoryItem](hidden={"system": "instructions"})


def _record_events(record: HistoryItem) -> Sequence[LightEvent]:
    if record.record.session_id is not UNSET:
        return _around(record)
    return RECORDS(record, record.message.role or None)


def _around(record: HistoryItem) -> Sequence[LightEvent]:
    """Events of the parts in front of the history and behind it."""
    own = record.record
    facts = Facts(
        cwd=project_path(own.workspace_directory or "") or None,
        model=own.chat_model_title or None,
        mode=own.mode or None,
    )
    around = hidden(record, "what is around the history", "document", facts=facts)
    events: list[LightEvent] = [around]
    if own.title and own.title not in _UNTITLED:
        events.append(record.event("title", Title(own.title, TitleSource.AI)))
    counts = own.usage or Counts()
    if whole_of(counts.prompt) is not None or whole_of(counts.completion) is not None:
        # Each response has its own tokens, with what a cache gave, which this does not count.
        reason = "tokens of the whole session"
        events.append(hidden(record, reason, "usage", suffix="usage"))
    return events


FORM = TypedDocuments(Item, HistoryItem.of, _record_events, _BEGIN, around=_around)


@RECORDS.on("user")
def _user(record: HistoryItem) -> Sequence[LightEvent]:
    words, others = record.said(record.message.content)
    added = (_context(each) for each in record.record.context_items or () if each is not None)
    prompt = spoken(words, others, context=tuple(filter(None, added)))
    return [record.event("prompt", prompt), *_summary(record)]


def _context(item: Given) -> str | None:
    return item.content if item.content and isinstance(item.content, str) else item.name


@RECORDS.on("assistant", "thinking")
def _assistant(record: HistoryItem) -> Sequence[LightEvent]:
    """A response: a thought, words, calls with what became of them, and its tokens."""
    own, message = record.record, record.message
    usage = message.usage or Counts()
    record.facts = model_facts(usage.model) if usage.model else None
    record.response_id = record.name
    words, others = record.said(message.content)
    thought = own.reasoning.text if own.reasoning else None
    if message.role == "thinking":
        thought, words = words or thought, ""
    events: list[LightEvent] = []
    if thought:
        events.append(record.thought_part("thought", thought))
    if words.strip() or others:
        events.append(record.text_part("said", words, others))
    events += _calls(record)
    events += _usage(record, usage)
    events += _summary(record)
    return whole_response(events) or [hidden(record, "a response without words", "assistant")]


def _calls(record: HistoryItem) -> Sequence[LightEvent]:
    """The calls of a response, each with its state; a state may have one that is nowhere else."""
    states = [each or State() for each in record.record.tool_call_states or ()]
    asked = [each or Asked() for each in record.message.calls or ()]
    known = {call.id or None for call in asked}
    asked += [each.call or Asked() for each in states if (each.call_id or None) not in known]
    stated: dict[str | None, list[State]] = {}
    for state in states:
        stated.setdefault(state.call_id or None, []).append(state)
    more = Counter(call.id or None for call in asked)
    events: list[LightEvent] = []
    for at, call in enumerate(asked):
        given = call.id or None
        call_id = given or f"{record.name}/{at}"
        more[given] -= 1
        left = stated.get(given, [])
        # Calls of a response that have one id have a state each, in their order.
        own = [left.pop(0)] if left and more[given] else left
        printed = [_printed(record, state) for state in own]
        events.append(_call(record, at, call_id, call.function or Function(), printed))
        for state, said in zip(own, printed, strict=True):
            events += _outcome(record, call_id, state.status, said, at)
    return events


def _call(
    record: HistoryItem, at: int, call_id: str, function: Function, printed: list[str]
) -> LightEvent:
    name = function.name or "(none)"
    missing = any(f"Tool {name} not found" in said for said in printed)
    made = (record, call_id, name, function, missing)
    return record.call_event(f"call/{at}", call_id, _known(name), _whole_call, made)


_known = known_calls(SPECS.get)


def _whole_call(
    record: HistoryItem, call_id: str, name: str, function: Function, missing: bool
) -> ToolCall:
    given = record.value_of(function.arguments)
    return tool_call(
        call_id=call_id,
        name=name,
        arguments=given if isinstance(given, str) else fields_of(given),
        spec=SPECS.get(name) if missing else known_spec(name, mapping(given)),
    )


def _outcome(
    record: HistoryItem, call_id: str, status: str | None, said: str, at: int
) -> Sequence[LightEvent]:
    if status in _CALLING:
        return [record.event(f"progress/{at}", ToolProgress(call_id, said))] if said else []
    ok = _OUTCOMES.get(status or "")
    denial = None
    if status == "canceled":
        by = DeniedBy.RULE if _RULE.search(said[:400]) is not None else DeniedBy.PERSON
        denial = Denial(by, said or None)
    failed = None if ok is None else not ok
    made = (call_id, ok, said, (), denial)
    return [record.result_part(f"result/{at}", call_id, _result, made, failed=failed)]


def _result(
    call_id: str, ok: bool | None, said: str, others: tuple[Block, ...], denial: Denial | None
) -> ToolResult:
    return ToolResult(
        call_id,
        ok,
        (*((TextBlock(said),) if said else ()), *others),
        error=said if ok is False and denial is None else None,
        denial=denial,
    )


def _printed(record: HistoryItem, state: State) -> str:
    words = (record.said(each.content)[0] for each in state.output or () if each is not None)
    return "\n".join(filter(None, words))


@RECORDS.on("tool")
def _result_message(record: HistoryItem) -> Sequence[LightEvent]:
    """A result as a message of its own, as older versions have it."""
    call_id = record.message.call_id
    words, others = record.said(record.message.content)
    if not call_id:
        return [record.event("output", Attachment("output", "output", words))]
    made = (call_id, True, words, others, None)
    return [record.result_part("result", call_id, _result, made, failed=False)]


def _usage(record: HistoryItem, usage: Counts) -> Sequence[LightEvent]:
    """Tokens of a response; what a cache gave is part of its input."""
    given = _either(usage.prompt_tokens, usage.prompt)
    output = _either(usage.completion_tokens, usage.completion)
    if given is None and output is None:
        return []
    details = usage.prompt_tokens_details or usage.details or Cached()
    cached = _either(details.cached_tokens, details.cached)
    written = _either(details.cache_write_tokens, details.written)
    uncached = None if given is None else max(0, given - (cached or 0) - (written or 0))
    cents = real_of(usage.cost_cents)
    body = TokenUsage(
        record.name,
        Usage(uncached, cached, written, output),
        usage.model or None,
        cost=cents / 100 if cents else None,
    )
    return [record.usage_part(body)]


def _either(first: object, second: object) -> int | None:
    return whole_of(second if first is None else first)


def _summary(record: HistoryItem) -> Sequence[LightEvent]:
    """Return the summary that replaced the items up to this one."""
    summary = as_text(record.record.conversation_summary)
    if not summary:
        return []
    return [record.event("compacted", Compaction(summary=summary), resets=Reset.COMPACTED)]
