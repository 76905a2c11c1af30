"""Events of a message, or of what is around the list of messages."""

import re
from collections.abc import Sequence

from msgspec import UNSET

from agentview.domain.events import Attachment, Facts, TokenUsage
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.usage import Usage
from agentview.normalize.json_values import real_of, text_of, time_of, whole_of
from agentview.providers._kit.event_builder import model_facts, whole_response
from agentview.providers._kit.json_documents import TypedDocuments
from agentview.providers._kit.speakers import spoken_events
from agentview.providers._kit.typed_records import LightEvent, TypedBuilder, hidden
from agentview.providers.cline.shared.forms import said_by
from agentview.providers.cline.shared.messages import (
    failed_request,
    parts_of,
    results_and_words,
    said_by_model,
)
from agentview.providers.cline.shared.schema import Metadata, Metrics, Model, Origin, Record

_BEGIN = re.compile(r'\{\s*"(?:id|role|content|ts|version|updated_at|messages)"\s*:')
_FOLDER = re.compile(r"^[ \t]*(?:\d+\. )?(?:Current )?Working Directory: (\S.*)$", re.MULTILINE)


class ClineRecord(TypedBuilder[Record], gc=False):
    """A message with its id and its time, or what is around the messages."""


def _record(record: Record, raw: bytes, source: SourceRef, session: SessionRef) -> ClineRecord:
    own = record.id or None
    return ClineRecord.of(record, raw, source, session, record_id=own, time=time_of(record.ts))


def _record_events(record: ClineRecord) -> Sequence[LightEvent]:
    own = record.record
    if own.role == "user":
        return _user(record)
    if own.role == "assistant":
        return _assistant(record)
    if not own.role and not (own.messages is UNSET and own.session_id is UNSET):
        return _around(record)
    return [record.unknown(own.role or "(none)")]


def _user(record: ClineRecord) -> Sequence[LightEvent]:
    """Results of calls, or what a person wrote."""
    events, said, blocks = results_and_words(record)
    metadata = record.record.metadata or Metadata()
    if not said and not blocks:
        return events or [hidden(record, "a message without words", "user")]
    if metadata.display_only is True or metadata.hidden is True:
        return [*events, record.event("note", Attachment("note of the client", "note", said))]
    return [*events, *spoken_events(record, said_by(said), blocks)]


def _assistant(record: ClineRecord) -> Sequence[LightEvent]:
    own = record.record
    model = (own.model_info or Model()).id or None
    record.facts = model_facts(model) if model is not None else None
    parts = parts_of(own)
    if (own.metadata or Metadata()).display_role == "error":
        said = "\n".join(text_of(part.text) or "" for part in parts)
        return [failed_request(record, said.strip() or "a request failed")]
    record.response_id = record.name
    events = [said_by_model(record, at, part) for at, part in enumerate(parts)]
    events += _usage(record, own.metrics or Metrics(), model)
    return whole_response(events) or [hidden(record, "a message without words", "assistant")]


def _usage(record: ClineRecord, metrics: Metrics, model: str | None) -> Sequence[LightEvent]:
    """Tokens of a response; those of the prompt are recorded with what the cache gave."""
    given, output = whole_of(metrics.input_tokens), whole_of(metrics.output_tokens)
    read, written = whole_of(metrics.cache_read_tokens), whole_of(metrics.cache_write_tokens)
    if given is None and output is None:
        return []
    fresh = None if given is None else max(0, given - (read or 0) - (written or 0))
    # Nothing is written where nothing is known of prices.
    cost = real_of(metrics.cost) or None
    usage = Usage(fresh, read, written, output)
    return [record.usage_part(TokenUsage(record.name, usage, model, cost=cost))]


def _around(record: ClineRecord) -> Sequence[LightEvent]:
    """Return the parts before the messages, or behind them."""
    prompt = record.record.system_prompt or None
    folder = _FOLDER.search(prompt) if prompt is not None else None
    facts = Facts(
        cwd=folder[1].strip() if folder is not None else None,
        client_version=(record.record.origin or Origin()).version or None,
    )
    said = "the document" if prompt is None else "the system prompt"
    return [hidden(record, said, "document", facts=facts)]


FORM = TypedDocuments(Record, _record, _record_events, _BEGIN, around=_around)
