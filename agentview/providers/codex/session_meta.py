"""Events of the records around the conversation: whose session it is, its settings, its summary."""

from collections.abc import Sequence

from msgspec.structs import replace

from agentview.domain.events import Compaction, Event, Facts, Notification, Reset, Topic
from agentview.normalize.json_fields import as_text, mapping, text
from agentview.normalize.json_values import Fields, fields_of, text_of
from agentview.providers._kit.typed_records import LightEvent, hidden
from agentview.providers.codex.event_builder import CodexRecord, path_of, thread_of
from agentview.providers.codex.usage import usage_record_events

_BOOKKEEPING = {
    "world_state": "the environment given to the model",
    "inter_agent_communication_metadata": "how a message between agents was passed on",
    "security_risk_score": "a score that the client keeps",
    "retained_context": "what is kept over a compaction",
    "realtime_item": "a part of a spoken conversation",
    "state": "the client's own state",
}


def context_events(record: CodexRecord, record_type: str) -> Sequence[LightEvent] | None:
    """Return events of a record outside the conversation; None for an unknown type."""
    if record_type == "session_meta":
        return session_events(record)
    if record_type == "turn_context":
        if record.copied:
            return [hidden(record, "history of the session that started this agent", record_type)]
        facts = settings_facts(record.values)
        return [hidden(record, "settings of a turn", record_type, facts=facts)]
    if record_type == "compacted":
        return _compacted(record)
    if record_type == "token_usage_record":
        return usage_record_events(record)
    reason = _BOOKKEEPING.get(record_type)
    return [hidden(record, reason, record_type)] if reason is not None else None


def session_events(record: CodexRecord) -> Sequence[LightEvent]:
    """Events of a `session_meta`, which stands at the start and again after each resumption.

    The one of another thread was copied with that thread's history.
    """
    payload = record.values
    own = text_of(payload.get("id"))
    if own is not None and own != thread_of(record.session):
        return [hidden(record, "the session whose history this one begins with", "session_meta")]
    git = fields_of(payload.get("git"))
    facts = Facts(
        cwd=path_of(payload.get("cwd")),
        branch=text_of(git.get("branch")),
        client_version=text_of(payload.get("cli_version")),
    )
    events: list[LightEvent] = [hidden(record, "the session itself", "session_meta", facts=facts)]
    base = fields_of(payload.get("history_base"))
    origin = text(base, "thread_id") or text_of(payload.get("forked_from_id"))
    if origin is not None and record.session.parent_id is None:
        events.append(_forked(record, origin, base))
    return events


def _forked(record: CodexRecord, origin: str, base: Fields) -> Event:
    end = text(base, "end_ordinal_exclusive")
    words = f"Continues session {origin}"
    if base:
        words += " whose records are not repeated here"
    detail = f"up to record {end} of it" if end is not None else None
    return record.event("fork", Notification(Topic.LINK, words, detail=detail))


def settings_facts(payload: Fields) -> Facts | None:
    """Return the facts of settings on the session; None when they have none."""
    settings = fields_of(payload.get("thread_settings")) or payload
    mode = text(mapping(settings.get("collaboration_mode")), "mode")
    policy = as_text(settings.get("approval_policy"))
    facts = Facts(
        cwd=path_of(settings.get("cwd")),
        model=text_of(settings.get("model")),
        mode=mode if mode not in (None, "default") else policy,
    )
    return facts if facts != Facts() else None


def _compacted(record: CodexRecord) -> Sequence[LightEvent]:
    """The history was replaced: what replaces it repeats what stands above, and is not shown."""
    return compaction_events(record, text(record.values, "message", "summary"), first=True)


def compaction_events(
    record: CodexRecord, summary: str | None = None, *, first: bool = False
) -> Sequence[LightEvent]:
    """The history was replaced; of the records that say so the one with the summary is first."""
    keys = record.twins("compaction", "", first=first)
    event = record.event("compaction", Compaction(summary=summary), **keys)
    return [replace(event, resets=Reset.COMPACTED)]


def header_events(record: CodexRecord, session: Fields) -> Sequence[LightEvent]:
    """Events of the first line of the oldest logs: a session without an envelope."""
    git = fields_of(session.get("git"))
    facts = Facts(branch=text_of(git.get("branch")))
    return [hidden(record, "the session itself", "(header)", facts=facts)]
