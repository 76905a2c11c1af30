"""`agentview watch`: a line each time a session changes its state."""

import argparse
import asyncio
import sys
import time
from collections.abc import Callable
from contextlib import aclosing

from agentview.cli.output.session_rows import session_rows
from agentview.cli.waits import wait_for
from agentview.reports.export.encoding import to_json_line
from agentview.sessions.library.live_list import WithState
from agentview.sessions.library.state_watch import StateChange, state_changes
from agentview.sessions.targets.known_totals import agents_of, with_current_totals
from agentview.sessions.targets.log_file import chosen_providers
from agentview.sessions.targets.session_query import catalogue, in_project, known_roots
from agentview.timeline.view.format_numbers import clock_time
from agentview.timeline.view.sanitize import one_line

_GAP = "  "


def run(options: argparse.Namespace) -> int:
    """Print changes until it is interrupted."""
    chosen_providers(options.provider)
    wait_for(_watch(options.provider, options.project, _line if options.json else _text))
    return 0


async def _watch(
    provider: str | None, project: str | None, written: Callable[[StateChange], bytes]
) -> None:
    roots = await asyncio.to_thread(known_roots, provider)
    async with aclosing(state_changes(roots, catalogue())) as changes:
        async for found in changes:
            for change in found:
                if project is None or in_project(change.facts.info, project):
                    sys.stdout.buffer.write(written(change))
            sys.stdout.buffer.flush()


def _line(change: StateChange) -> bytes:
    facts = change.facts
    each = WithState(facts, agents_of(facts.info.ref), change.status, change.pid)
    found = with_current_totals([each])
    (row,) = session_rows(found, time.time())
    before = None if change.before is None else change.before.state.value
    return to_json_line({"before": before, **row})


def _text(change: StateChange) -> bytes:
    info, status = change.facts.info, change.status
    parts = (
        clock_time(status.since),
        status.label.ljust(14),
        info.ref.session_id[:8],
        info.title or "untitled",
        status.subject or "",
    )
    return (_GAP.join(one_line(part) for part in parts).rstrip() + "\n").encode("utf-8", "replace")
