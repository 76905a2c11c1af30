"""`agentview events @all`: the events of all sessions as one stream."""

import argparse
import sys
from collections.abc import Callable, Iterable
from contextlib import aclosing

from agentview.cli.waits import wait_for
from agentview.errors import UsageError
from agentview.providers.base import Provider
from agentview.reports.export.all_sessions import AllSessions
from agentview.reports.export.events import Fields
from agentview.reports.export.log_feed import SessionForm
from agentview.reports.export.stream_cursor import decoded
from agentview.sessions.targets.log_file import chosen_providers
from agentview.sessions.targets.session_query import all_refs, belongs_to, known_roots
from agentview.timeline.view.sanitize import one_line


def run_all(
    options: argparse.Namespace,
    form: Callable[[Provider], SessionForm],
    write: Callable[[Iterable[Fields]], None],
) -> int:
    """Print the events of all sessions, from the cursor `--since` on, with cursors among them."""
    if options.wait or options.happy:
        name = "--wait" if options.wait else "--happy"
        raise UsageError(f"{name} is for one session.", "Leave it out, or name a session.")
    chosen_providers(options.provider)
    sessions = AllSessions(
        lambda: all_refs(options.provider),
        [root for _, root in known_roots(options.provider)],
        form,
        since=None if options.since is None else decoded(options.since),
        subagents=not options.no_subagents,
        wanted=lambda ref: belongs_to(ref, options.project),
        failed=_say_unreadable,
    )
    if options.follow:
        wait_for(_follow(sessions, write))
        return 0
    for lines in sessions.read():
        write(lines)
    return 0


async def _follow(sessions: AllSessions, write: Callable[[Iterable[Fields]], None]) -> None:
    async with aclosing(sessions.follow()) as batches:
        async for lines in batches:
            write(lines)
            sys.stdout.buffer.flush()


def _say_unreadable(reason: str) -> None:
    print(f"agentview: {one_line(reason)}", file=sys.stderr, flush=True)
