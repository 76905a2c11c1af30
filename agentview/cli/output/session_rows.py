"""Sessions as JSON: what `agentview ls`, `status` and `watch` print of one, by one rule."""

import os
from collections.abc import Iterable, Sequence

from agentview.domain.annotations import Note
from agentview.domain.session_state import SessionState, SessionStatus
from agentview.domain.unread import Unread
from agentview.reports.export.encoding import Object, iso_time, limit_fields, status_fields
from agentview.sessions.library.live_list import WithState
from agentview.sessions.library.session_record import SessionFacts
from agentview.sessions.library.unread import unread_of
from agentview.sessions.library.usage_rollup import figures_of
from agentview.sessions.targets.session_query import all_annotations


def session_rows(found: Iterable[WithState], now: float) -> list[Object]:
    """One object for each session at the time `now`, epoch seconds, in their order."""
    annotations = all_annotations()
    rows: list[Object] = []
    for each in found:
        ref = each.facts.info.ref
        facts = each.facts.annotated(annotations.of(ref))
        unread = unread_of(facts, annotations.seen(ref))
        row = _session_fields(
            facts, each.status, now, agents=each.agents, pid=each.pid, unread=unread
        )
        rows.append({**row, "looping": _looping(each, now)})
    return rows


def _session_fields(
    facts: SessionFacts,
    status: SessionStatus,
    now: float,
    *,
    agents: Sequence[SessionFacts] = (),
    pid: int | None = None,
    unread: Unread | None = None,
) -> Object:
    """The facts of a session with its state; unknown is None, times are ISO 8601 in UTC.

    `context` is the part of the model's window that is full, 0 to 1. Tokens and US dollars include
    those of `agents`. Context, tokens and cost are as of the time when the log was indexed, limits
    those that hold at the time `now`, epoch seconds.
    """
    info, totals = facts.info, facts.totals
    figures = figures_of(facts, agents)
    return {
        "id": info.ref.own_id,
        "host": info.ref.host,
        "provider": info.ref.provider,
        **status_fields(status),
        "title": info.title,
        "title_is_own": facts.added.title is not None,
        "starred": facts.added.starred,
        "tags": facts.added.tags,
        "hidden": facts.added.hidden,
        "notes": [_note_fields(note) for note in facts.added.notes],
        "project": info.project,
        "path": info.ref.path,
        "pid": pid,
        "context": None if totals is None else _fill(totals.context_tokens, totals.context_window),
        "tokens": figures.tokens,
        "cost": figures.cost.shown,
        "limits": limit_fields(info.limits, now),
        "unread": None if unread is None else unread.count,
    }


def _looping(each: WithState, now: float) -> str | None:
    """The words that say that the agent of a session goes round in circles, while it works."""
    is_remote = each.facts.info.ref.is_remote
    if each.status.state is not SessionState.WORKING or not each.live or is_remote:
        return None
    # Imported here: few lists have a session that works.
    from agentview.sessions.following.live_session import open_tail
    from agentview.settings.reading import read_settings
    from agentview.timeline.view.header import looping_words
    from agentview.timeline.view.overview.looping import LoopSearch

    settings = read_settings(os.environ).settings.looping
    search = LoopSearch(open_tail(each.facts.info.ref, live=True, info=each.facts.info).store)
    return looping_words(search.look(briefly=False), now, settings) or None


def _note_fields(note: Note) -> Object:
    return {"event": note.mark.event, "text": note.text, "at": iso_time(note.at)}


def _fill(tokens: int | None, window: int | None) -> float | None:
    if tokens is None or not window:
        return None
    return round(min(1.0, tokens / window), 3)
