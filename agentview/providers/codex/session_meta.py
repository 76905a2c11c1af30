"""Events of the records around the conversation: whose session it is, its settings, its summary."""

from collections.abc import Sequence

from msgspec.structs import replace

from agentview.domain.events import Compaction, Event, Facts, Notification, Reset, Topic
from agentview.normalize.json_fields import as_text
from agentview.normalize.json_values import Fields
from agentview.providers._kit.typed_records import LightEvent, hidden
from agentview.providers._kit.typed_values import read_as
from agentview.providers.codex.event_builder import CodexRecord, path_of, thread_of
from agentview.providers.codex.schema import HistoryBase, Report, SessionMeta
from agentview.providers.codex.usage import usage_record_events

_BOOKKEEPING = {
    "world_state": "the environment given to the model",
    "inter_agent_communication_metadata": "how a message between agents was passed on",
    "security_risk_score": "a score that the client keeps",
    "retained_context": "what is kept over a compaction",
    "realtime_item": "a part of a spoken conversation",
    "state": "the client's own state",
    "dynamic_tools_updated": "tools of the program that runs the client",
    "id_allocation": "numbers that the client has given to items",
    "rollout_reference": "where the history in front of the log is",
    "fork_reference": "where the history in front of the log is",
}


def context_events(record: CodexRecord, record_type: str) -> Sequence[LightEvent] | None:
    """Return events of a record outside the conversation; None for an unknown type."""
    if record_type == "session_meta":
        return session_events(record)
    if record_type == "turn_context":
        if record.copied:
            return [hidden(record, "history of the session that started this agent", record_type)]
        facts = settings_facts(record.report)
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
    own = read_as(record.values, SessionMeta)
    if own.id and own.id != thread_of(record.session):
        return [hidden(record, "the session whose history this one begins with", "session_meta")]
    facts = Facts(
        cwd=path_of(own.cwd),
        branch=own.git.branch or None if own.git is not None else None,
        client_version=own.cli_version or None,
    )
    events: list[LightEvent] = [hidden(record, "the session itself", "session_meta", facts=facts)]
    base = own.history_base
    origin = (base and base.thread_id) or own.forked_from_id
    if origin and record.session.parent_id is None:
        events.append(_forked(record, origin, base))
    return events


def _forked(record: CodexRecord, origin: str, base: HistoryBase | None) -> Event:
    words = f"Continues session {origin}"
    if base is not None:
        words += " whose records are not repeated here"
    end = base and base.end_ordinal_exclusive
    detail = f"up to record {end} of it" if end is not None else None
    return record.event("fork", Notification(Topic.LINK, words, detail=detail))


def settings_facts(own: Report) -> Facts | None:
    """Return the facts of settings on the session; None when they have none."""
    settings = own.thread_settings or own
    mode = settings.collaboration_mode and settings.collaboration_mode.mode
    facts = Facts(
        cwd=path_of(settings.cwd),
        model=settings.model or None,
        mode=mode if mode not in (None, "default") else as_text(settings.approval_policy),
    )
    return facts if facts != Facts() else None


def _compacted(record: CodexRecord) -> Sequence[LightEvent]:
    """The history was replaced: what replaces it repeats what stands above, and is not shown."""
    return compaction_events(record, _summary(record.report), first=True)


def _summary(own: Report) -> str | None:
    return as_text(own.summary) if own.message is None else own.message


def compaction_events(
    record: CodexRecord, summary: str | None = None, *, first: bool = False
) -> Sequence[LightEvent]:
    """The history was replaced; of the records that say so the one with the summary is first."""
    keys = record.twins("compaction", "", first=first)
    event = record.event("compaction", Compaction(summary=summary), **keys)
    return [replace(event, resets=Reset.COMPACTED)]


def header_events(record: CodexRecord, session: Fields) -> Sequence[LightEvent]:
    """Events of the first line of the oldest logs: a session without an envelope."""
    git = read_as(session, SessionMeta).git
    facts = Facts(branch=git.branch or None if git is not None else None)
    return [hidden(record, "the session itself", "(header)", facts=facts)]
