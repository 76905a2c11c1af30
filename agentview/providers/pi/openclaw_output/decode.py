"""What happened: the prompt, the answers and the end of a run, which one document says.

Source: what OpenClaw 2026.9.6 printed. The document has no calls, only how many there were.
"""

import re
from collections.abc import Iterator

from agentview.domain.content import Block, ImageBlock, ResourceBlock
from agentview.domain.events import Event, Facts, Level, Message, Notification, Topic
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.normalize.json_values import (
    Fields,
    fields_of,
    items_of,
    real_of,
    seconds_of,
    text_of,
    time_of,
    whole_of,
)
from agentview.providers._kit.json_line import RecordDecoder, line_events
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.prompt_context import spoken
from agentview.providers.pi.shared.event_builder import OpenClawRecord
from agentview.providers.pi.shared.messages import usage_event

_PICTURE = re.compile(r"\.(?:png|jpe?g|gif|webp)(?:[?#].*)?\Z", re.IGNORECASE)


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of a document: pure, never raises, never gives an empty list."""
    return line_events(record, source, session, FORM)


def _record_events(record: OpenClawRecord) -> list[Event]:
    # Some ways of starting a run put what they print around it.
    inner = fields_of(record.fields.get("result"))
    fields = inner if "payloads" in inner else record.fields
    if "payloads" not in fields:
        return [record.unknown("(none)")]
    meta = fields_of(fields.get("meta"))
    agent, report = fields_of(meta.get("agentMeta")), fields_of(meta.get("systemPromptReport"))
    receipt = fields_of(agent.get("terminalReceipt"))
    model = text_of(agent.get("model"))
    record.record_id = text_of(receipt.get("runId")) or text_of(record.fields.get("runId"))
    record.response_id = record.record_id or record.name
    record.facts = Facts(model=model, cwd=text_of(report.get("workspaceDir")))
    record.time = time_of(report.get("generatedAt"))
    asked = text_of(meta.get("finalPromptText"))
    events = [record.event("prompt", spoken(asked))] if asked is not None else []
    for at, payload in enumerate(items_of(fields.get("payloads"))):
        events += _payload(record, fields_of(payload), f"payload/{at}")
    events += usage_event(record, _counts(agent), model)
    return [*events, *_end(record, meta)]


FORM = RecordDecoder(OpenClawRecord, _record_events, re.compile(r"\{"))


def _counts(agent: Fields) -> Fields:
    """Tokens of the whole run, with what it cost."""
    counts = fields_of(agent.get("usage"))
    return counts if counts.get("cost") else {**counts, "cost": {"total": agent.get("costUsd")}}


def _payload(record: OpenClawRecord, payload: Fields, suffix: str) -> list[Event]:
    """One answer: words, media, or what went wrong."""
    words = text_of(payload.get("text")) or ""
    if payload.get("isError") is True:
        body = Notification(error_topic(words), words or "The run failed", Level.ERROR)
        return [record.event(suffix, body)]
    media = tuple(_media(payload))
    if not words and not media:
        return [record.hidden("an answer without contents", "payload", suffix=suffix)]
    return [record.event(suffix, Message(words, media))]


def _media(payload: Fields) -> Iterator[Block]:
    listed = [payload.get("mediaUrl"), *items_of(payload.get("mediaUrls"))]
    for url in dict.fromkeys(filter(None, map(text_of, listed))):
        picture = _PICTURE.search(url) is not None
        yield ImageBlock(None, None, url) if picture else ResourceBlock(url, None, None)


def _end(record: OpenClawRecord, meta: Fields) -> list[Event]:
    """How the run ended, and how many calls it made, of which nothing else is said."""
    taken = seconds_of(real_of(meta.get("durationMs")))
    time = record.time + taken if record.time is not None and taken is not None else None
    error = fields_of(meta.get("error"))
    words = text_of(error.get("message")) or text_of(error.get("kind"))
    if meta.get("aborted") is True:
        body = Notification(Topic.INTERRUPT, "The run was stopped", duration=taken)
    elif error:
        topic = error_topic(words or "")
        body = Notification(topic, words or "The run failed", Level.ERROR, _calls(meta))
    else:
        body = Notification(Topic.TURN_END, "The turn ended", detail=_calls(meta), duration=taken)
    return [record.event("end", body, time=time)]


def _calls(meta: Fields) -> str | None:
    summary = fields_of(meta.get("toolSummary"))
    calls, failures = whole_of(summary.get("calls")), whole_of(summary.get("failures"))
    if calls is None:
        return None
    names = ", ".join(filter(None, map(text_of, items_of(summary.get("tools")))))
    failed = "" if failures is None else f", {failures} failed"
    return f"Calls: {calls}{failed}" + (f" ({names})" if names else "")
