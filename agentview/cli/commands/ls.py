"""`agentview ls`: all sessions as a table or as JSON."""

import argparse
import sys
import time
from collections.abc import Sequence

from msgspec.structs import asdict

from agentview.cli.grammar.parts import chosen_period
from agentview.cli.output.progress import Progress
from agentview.cli.output.session_rows import session_rows
from agentview.cli.output.terminal import columns
from agentview.errors import UsageError
from agentview.reports.export.encoding import Object, cost_fields, iso_time, to_json_document
from agentview.sessions.annotations.session_marks import valid_tag
from agentview.sessions.archive.manifest import archived_folders, has_archive
from agentview.sessions.library.live_list import WithState, with_states
from agentview.sessions.library.liveness import activity_time
from agentview.sessions.library.session_record import SessionTotals
from agentview.sessions.targets.session_query import (
    all_sessions,
    in_project,
    is_of_project,
    none_found,
    none_in_project,
)


def run(options: argparse.Namespace) -> int:
    """Print the sessions; none is an answer too, not an error."""
    if options.deleted:
        return _list_deleted(options)
    provider: str | None = options.provider
    project: str | None = options.project
    now = time.time()
    within = chosen_period(options)
    tags = {valid_tag(tag) for tag in options.tag}
    asked = None
    with Progress():
        if options.hosts:
            # Imported here: most people have no other machine.
            from agentview.cli.hosts import found_sessions

            asked = found_sessions(options, totals=options.json)
        all_found = all_sessions(provider) if asked is None else asked.facts
    every = with_states(all_found, now)
    found = [
        each
        for each in every
        if (project is None or in_project(each.facts.info, project))
        and (each.facts.added.starred or not options.starred)
        and each.facts.added.hidden == options.hidden
        and tags <= {*each.facts.added.tags}
        and (within is None or within.has(activity_time(each.facts.info)))
    ]
    if options.json:
        if any(each.live or each.facts.totals is not None for each in found):
            # Imported here: neither the table nor a list of nothing has totals.
            from agentview.sessions.targets.known_totals import with_known_totals

            with Progress():
                found = with_known_totals(found)
        sys.stdout.buffer.write(_json(found, now))
    elif found:
        from agentview.cli.output.session_table import table

        ids = [each.facts.info.ref.own_id for each in every]
        shown = table(found, ids, columns(), hosts=asked is not None)
        print("\n".join(shown))
    elif every:
        print(_why_none(every, options), file=sys.stderr)
    elif asked is None or asked.here:
        print(none_found(provider), file=sys.stderr)
    return 0 if asked is None else asked.report()


def _list_deleted(options: argparse.Namespace) -> int:
    # Imported here: few ask for what is gone.
    from agentview.cli.output.deleted_rows import deleted_rows, deleted_table
    from agentview.sessions.targets.deleted_sessions import deleted_sessions

    for name in ("starred", "hidden", "tag", "hosts"):
        if getattr(options, name):
            raise UsageError("--deleted lists sessions without a log.", f"Leave out --{name}.")
    project, within = options.project, chosen_period(options)
    with Progress():
        every = deleted_sessions(options.provider)
    found = [
        each
        for each in every
        if (project is None or (each.kept.project and is_of_project(each.kept.project, project)))
        and (within is None or within.has(each.last))
    ]
    if options.json:
        sys.stdout.buffer.write(to_json_document(deleted_rows(found)))
    elif found:
        print("\n".join(deleted_table(found, columns())))
    else:
        print("No prompts are kept of deleted sessions.", file=sys.stderr)
    return 0


def _why_none(every: Sequence[WithState], options: argparse.Namespace) -> str:
    """Why none of all sessions is listed."""
    if options.starred:
        return "No session has a star; * in the library or in a session sets one."
    if options.tag:
        return "No session has these tags; 'agentview tag' lists tags."
    if options.hidden:
        return "No session is hidden."
    if all(each.facts.added.hidden for each in every):
        return "All sessions are hidden; --hidden lists them."
    if options.project is not None:
        none = none_in_project(options.project, (each.facts.info for each in every))
        return f"{none.message} {none.hint}"
    return "No session has its last activity in this time."


def _json(found: Sequence[WithState], now: float) -> bytes:
    rows, archived = session_rows(found, now), archived_folders()
    return to_json_document(
        [{**row, **_more(each, archived)} for row, each in zip(rows, found, strict=True)]
    )


def _more(each: WithState, archived: frozenset[str]) -> Object:
    """Return the fields that are printed of all sessions, next to those of live ones."""
    facts = each.facts
    info = facts.info
    return {
        "branch": info.branch,
        "model": info.model,
        "client_version": info.client_version,
        "live": each.live,
        "archived": has_archive(info.ref, archived),
        "started": iso_time(info.started),
        "last_activity": iso_time(info.last_activity),
        "size": info.ref.size,
        "totals": _totals(facts.totals) if facts.totals is not None else None,
    }


def _totals(totals: SessionTotals) -> Object:
    usage = totals.usage
    return {
        "read_until": totals.size,
        "turns": totals.turns,
        "calls": {kind.value: count for kind, count in totals.calls.items()},
        "tools": totals.tools,
        "problems": totals.problems,
        "files": totals.files,
        "models": totals.models,
        "tokens": asdict(usage),
        **cost_fields(totals.cost),
        "context": totals.context_tokens,
        "context_window": totals.context_window,
    }
