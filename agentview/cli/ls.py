"""`agentview ls`: all sessions as a table or as JSON."""

import argparse
import sys
import time
from collections.abc import Callable

from agentview.cli.session_query import all_sessions, in_project, none_found, none_in_project
from agentview.cli.session_table import table
from agentview.cli.terminal import columns
from agentview.export.encoding import cost_fields, iso_time, status_fields, to_json_document
from agentview.library.liveness import current_status, is_live
from agentview.library.search_roots import ScanBatch
from agentview.library.session_record import SessionFacts, SessionTotals

_UNTOLD = 0.5
"""Seconds for which nobody needs to be told that this takes a while."""


def run(options: argparse.Namespace) -> int:
    """Print the sessions; none is an answer too, not an error."""
    provider: str | None = options.provider
    project: str | None = options.project
    every = [facts for facts in all_sessions(provider, _progress()) if not facts.info.ref.parent_id]
    found = [facts for facts in every if project is None or in_project(facts.info, project)]
    if options.json:
        sys.stdout.buffer.write(_json(found))
    elif found:
        ids = [facts.info.ref.session_id for facts in every]
        print("\n".join(table([facts.info for facts in found], ids, columns())))
    elif every and project is not None:
        none = none_in_project(project, (facts.info for facts in every))
        print(f"{none.message} {none.hint}", file=sys.stderr)
    else:
        print(none_found(provider), file=sys.stderr)
    return 0


def _progress() -> Callable[[ScanBatch], None]:
    """Tells a person who waits how far it is, from the first second on."""
    if not sys.stderr.isatty():
        return lambda _: None
    began = time.monotonic()

    def tell(found: ScanBatch) -> None:
        if time.monotonic() - began < _UNTOLD:
            return
        line = "" if found.done else f"reading {found.checked:,} of {found.total:,} sessions"
        print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)

    return tell


def _json(found: list[SessionFacts]) -> bytes:
    now = time.time()
    return to_json_document([_row(facts, now) for facts in found])


def _row(facts: SessionFacts, now: float) -> dict[str, object]:
    info = facts.info
    return {
        "id": info.ref.session_id,
        "provider": info.ref.provider,
        "title": info.title,
        "project": info.project,
        "branch": info.branch,
        "model": info.model,
        "client_version": info.client_version,
        **status_fields(current_status(info, now)),
        "live": is_live(info, now),
        "started": iso_time(info.started),
        "last_activity": iso_time(info.last_activity),
        "size": info.ref.size,
        "path": info.ref.path,
        "totals": _totals(facts.totals) if facts.totals is not None else None,
    }


def _totals(totals: SessionTotals) -> dict[str, object]:
    usage = totals.usage
    return {
        "read_until": totals.size,
        "turns": totals.turns,
        "calls": {kind.value: count for kind, count in totals.calls.items()},
        "tools": totals.tools,
        "problems": totals.problems,
        "files": totals.files,
        "models": totals.models,
        "tokens": {name: getattr(usage, name) for name in type(usage).field_names},
        **cost_fields(totals.cost),
        "context": totals.context_tokens,
        "context_window": totals.context_window,
    }
