"""Events of a run's one document: the prompt, the answers and the end.

Source: what OpenClaw 2026.9.6 printed. The document has no calls, only how many there were.
"""

import re
from collections.abc import Iterator, Sequence

from msgspec import UNSET

from agentview.domain.content import Block, ImageBlock, ResourceBlock
from agentview.domain.events import Event, Facts, Level, Message, Notification, Topic
from agentview.normalize.json_values import seconds_of, time_of, whole_of
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.typed_records import LightEvent, TypedBuilder, TypedLines, hidden
from agentview.providers.pi.openclaw_output.schema import (
    Agent,
    Calls,
    Meta,
    Payload,
    Receipt,
    Report,
    Run,
)
from agentview.providers.pi.shared.messages import usage_of

_PICTURE = re.compile(r"\.(?:png|jpe?g|gif|webp)(?:[?#].*)?\Z", re.IGNORECASE)
_NO_META, _NO_AGENT, _NO_REPORT, _NO_RECEIPT = Meta(), Agent(), Report(), Receipt()
_NO_PAYLOAD = Payload()


class Document(TypedBuilder[Run], gc=False):
    """A run."""


def _record_events(record: Document) -> Sequence[LightEvent]:
    own, inner = record.record, record.record.result
    # Some ways of starting a run put what they print around it.
    run = own if inner is None or inner.payloads is UNSET else inner
    if run.payloads is UNSET:
        return [record.unknown("(none)")]
    meta = run.meta or _NO_META
    agent, report = meta.agent_meta or _NO_AGENT, meta.system_prompt_report or _NO_REPORT
    receipt, model = agent.terminal_receipt or _NO_RECEIPT, agent.model or None
    record.record_id = receipt.run_id or own.run_id or None
    record.response_id = record.record_id or record.name
    record.facts = Facts(model=model, cwd=report.workspace_dir or None)
    record.time = time_of(report.generated_at)
    events: list[LightEvent] = []
    if meta.final_prompt_text:
        events.append(record.event("prompt", spoken(meta.final_prompt_text)))
    for at, payload in enumerate(run.payloads or ()):
        events.append(_payload(record, payload or _NO_PAYLOAD, f"payload/{at}"))
    usage = usage_of(record.response_id, agent.usage, model, agent.cost_usd)
    if usage is not None:
        events.append(record.usage_part(usage))
    return [*events, _end(record, meta)]


FORM = TypedLines(Run, Document.of, _record_events, re.compile(r"\{"))


def _payload(record: Document, payload: Payload, suffix: str) -> LightEvent:
    """One answer: words, media, or what went wrong."""
    words, media = payload.text or "", tuple(_media(payload))
    if payload.is_error is True:
        body = Notification(error_topic(words), words or "The run failed", Level.ERROR)
        return record.event(suffix, body)
    if not words and not media:
        return hidden(record, "an answer without contents", "payload", suffix=suffix)
    return record.event(suffix, Message(words, media))


def _media(payload: Payload) -> Iterator[Block]:
    for url in dict.fromkeys(filter(None, (payload.media_url, *(payload.media_urls or ())))):
        picture = _PICTURE.search(url) is not None
        yield ImageBlock(None, None, url) if picture else ResourceBlock(url, None, None)


def _end(record: Document, meta: Meta) -> Event:
    """How the run ended, and how many calls it made, of which nothing else is said."""
    taken, error = seconds_of(meta.duration_ms), meta.error
    time = record.time + taken if record.time is not None and taken is not None else None
    calls = _calls(meta.tool_summary) if meta.tool_summary is not None else None
    if meta.aborted is True:
        body = Notification(Topic.INTERRUPT, "The run was stopped", duration=taken)
    elif error is not None:
        words = error.message or error.kind or ""
        body = Notification(error_topic(words), words or "The run failed", Level.ERROR, calls)
    else:
        body = Notification(Topic.TURN_END, "The turn ended", detail=calls, duration=taken)
    return record.event("end", body, time=time)


def _calls(summary: Calls) -> str | None:
    calls, failures = whole_of(summary.calls), whole_of(summary.failures)
    if calls is None:
        return None
    names = ", ".join(filter(None, summary.tools or ()))
    failed = "" if failures is None else f", {failures} failed"
    return f"Calls: {calls}{failed}" + (f" ({names})" if names else "")
