"""What happened: the events of a message, or of what is around the list of messages."""

import re

from agentview.domain.events import Attachment, Event, Facts, TokenUsage
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.usage import Usage
from agentview.normalize.json_values import (
    Fields,
    fields_of,
    real_of,
    text_of,
    time_of,
    whole_of,
)
from agentview.providers._kit.event_builder import EventBuilder, whole_response
from agentview.providers._kit.json_documents import document_events
from agentview.providers._kit.json_line import RecordDecoder
from agentview.providers.cline.shared.messages import (
    contents,
    failed_request,
    prompted,
    results_and_words,
    said_by_model,
)

_BEGIN = re.compile(r'\{\s*"(?:id|role|content|ts|version|updated_at|messages)"\s*:')
_FOLDER = re.compile(r"^[ \t]*(?:\d+\. )?(?:Current )?Working Directory: (\S.*)$", re.MULTILINE)


class _Record(EventBuilder):
    """A message with its id and its time."""

    __slots__ = ()

    def __init__(self, fields: Fields, raw: bytes, source: SourceRef, session: SessionRef) -> None:
        super().__init__(fields, raw, source, session)
        self.record_id = text_of(fields.get("id"))
        self.time = time_of(fields.get("ts"))


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one record: pure, never raises, never gives an empty list."""
    return document_events(record, source, session, FORM, _around)


def _record_events(record: _Record) -> list[Event]:
    fields = record.fields
    role = text_of(fields.get("role"))
    if role == "user":
        return _user(record)
    if role == "assistant":
        return _assistant(record)
    if role is None and ("messages" in fields or "sessionId" in fields):
        return _around(record)
    return [record.unknown(role or "(none)")]


def _user(record: _Record) -> list[Event]:
    """Results of calls, or what a person wrote."""
    events, said, blocks = results_and_words(record)
    metadata = fields_of(record.fields.get("metadata"))
    if not said and not blocks:
        return events or [record.hidden("a message without words", "user")]
    if metadata.get("displayOnly") is True or metadata.get("hidden") is True:
        events.append(record.event("note", Attachment("note of the client", "note", said)))
    else:
        events.append(prompted(record, said, blocks))
    return events


def _assistant(record: _Record) -> list[Event]:
    fields = record.fields
    model = text_of(fields_of(fields.get("modelInfo")).get("id"))
    record.facts = Facts(model=model) if model is not None else None
    parts = contents(record)
    if fields_of(fields.get("metadata")).get("displayRole") == "error":
        said = "\n".join(text_of(part.get("text")) or "" for _, part in parts)
        return [failed_request(record, said.strip() or "a request failed")]
    record.response_id = record.name
    events = [said_by_model(record, at, part) for at, part in parts]
    events += _usage(record, model)
    return whole_response(events) or [record.hidden("a message without words", "assistant")]


def _usage(record: _Record, model: str | None) -> list[Event]:
    """Tokens of a response; those of the prompt are recorded with what the cache gave."""
    metrics = fields_of(record.fields.get("metrics"))
    given, output, read, written = (
        whole_of(metrics.get(f"{key}Tokens"))
        for key in ("input", "output", "cacheRead", "cacheWrite")
    )
    if given is None and output is None:
        return []
    fresh = None if given is None else max(0, given - (read or 0) - (written or 0))
    # Nothing is written where nothing is known of prices.
    cost = real_of(metrics.get("cost")) or None
    body = TokenUsage(record.name, Usage(fresh, read, written, output), model, cost=cost)
    return [record.event("usage", body)]


def _around(record: EventBuilder) -> list[Event]:
    """Return what is in front of the messages, or behind them."""
    fields = record.fields
    origin = fields_of(fields.get("origin"))
    prompt = text_of(fields.get("system_prompt"))
    folder = _FOLDER.search(prompt) if prompt is not None else None
    facts = Facts(
        cwd=folder[1].strip() if folder is not None else None,
        client_version=text_of(origin.get("version")),
    )
    said = "the document" if prompt is None else "the system prompt"
    return [record.hidden(said, "document", facts=facts)]


FORM = RecordDecoder(_Record, _record_events, _BEGIN)
