"""`agentview wait`: waits until a session is in one of some states."""

import argparse
import asyncio
from collections.abc import Sequence
from contextlib import aclosing

from agentview.cli.waits import wait_for
from agentview.domain.session import SessionRef
from agentview.domain.session_state import SessionState, SessionStatus
from agentview.errors import NotFound, UsageError
from agentview.sessions.clients.running import continued_in
from agentview.sessions.library.state_watch import statuses
from agentview.sessions.targets.log_file import PIPE
from agentview.sessions.targets.target import LIVE, Choice, resolve

OVER, OTHERS, TIMED_OUT = 3, 9, 124
"""Exit codes: the session ended; the second state of the list has `OTHERS` + 1; as `timeout`."""


def run(options: argparse.Namespace) -> int:
    """Print the state that the session came to; the exit code says which of the list it is."""
    if options.target == PIPE:
        raise UsageError("Standard input has no state to wait for.", "Give a session or a file.")
    choice = Choice(options.provider, options.project, newest=True, starting=True)
    ref = resolve(options.target, choice)
    try:
        found = awaited_status(ref, options.until, options.timeout, follow=options.target == LIVE)
        status = wait_for(found)
    except TimeoutError:
        return TIMED_OUT
    print(status.state.value)
    if status.state not in options.until:
        return OVER
    at: int = options.until.index(status.state)
    return OTHERS + at if at else 0


async def awaited_status(
    ref: SessionRef,
    until: Sequence[str],
    timeout: float | None,  # noqa: ASYNC109  (it is what the person gives)
    *,
    follow: bool,
) -> SessionStatus:
    """The first certain status in one of the states, or the end. Raises TimeoutError, NotFound.

    With `follow`, a session whose client has another one has not ended: that is waited for.
    """
    async with asyncio.timeout(timeout):
        while True:
            status = await _first(ref, until)
            continued = None
            if status.state is SessionState.ENDED and follow:
                continued = continued_in(ref)
            if continued is None:
                return status
            ref = continued


async def _first(ref: SessionRef, until: Sequence[str]) -> SessionStatus:
    async with aclosing(statuses(ref)) as found:
        async for status in found:
            if status.certain and (status.state in until or status.state is SessionState.ENDED):
                return status
    raise NotFound(f"The log {ref.path} is gone.", "Its session has no state any more.")
