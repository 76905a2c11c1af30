"""`agentview ls`: all sessions as a table or as JSON."""

import argparse
import sys
import time

from agentview.cli.listing import table
from agentview.cli.sessions import all_refs, by_activity, in_project, main_sessions, none_found
from agentview.cli.terminal import columns
from agentview.domain.session import SessionInfo
from agentview.export.encoding import to_json_document
from agentview.export.events import iso_time
from agentview.library.presence import activity_time, is_live, state_now


def run(options: argparse.Namespace) -> int:
    """Print the sessions; none is an answer too, not an error."""
    provider: str | None = options.provider
    project: str | None = options.project
    refs = main_sessions(all_refs(provider))
    infos = [info for info in by_activity(refs) if project is None or in_project(info, project)]
    if options.json:
        sys.stdout.buffer.write(_json(infos))
    elif infos:
        print("\n".join(table(infos, columns())))
    else:
        print(none_found(provider), file=sys.stderr)
    return 0


def _json(infos: list[SessionInfo]) -> bytes:
    now = time.time()
    rows = [
        {
            "id": info.ref.session_id,
            "provider": info.ref.provider,
            "title": info.title,
            "project": info.project,
            "branch": info.branch,
            "model": info.model,
            "client_version": info.client_version,
            "state": state_now(info.state, now - activity_time(info)).value,
            "live": is_live(info, now),
            "started": iso_time(info.started),
            "last_activity": iso_time(info.last_activity),
            "size": info.ref.size,
            "path": info.ref.path,
        }
        for info in infos
    ]
    return to_json_document(rows)
