"""Starts our own programs as processes with pipes, and ends them."""

import asyncio
import os
import signal
import sys
from asyncio import SubprocessTransport
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import cast


@asynccontextmanager
async def child_process(program: str) -> AsyncGenerator[Process]:
    """A process that runs the module `program`; it is killed where it is left alive.

    Not one of the pool of the standard library: that asks for the standard error of its parent,
    which a full-screen program has taken away. Raises OSError when none can be started.
    """
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", program, stdin=PIPE, stdout=PIPE, stderr=DEVNULL
    )
    try:
        yield child
    finally:
        _close_pipes(child)
        if child.returncode is None:
            # `child.kill` would take its exit status away from the event loop where it has just
            # ended, which the event loop tells the person of.
            with suppress(ProcessLookupError):
                os.kill(child.pid, signal.SIGKILL)
            await _end_of(child)


def _close_pipes(child: Process) -> None:
    """Read and write no more; what was written and not read would hide the end of the child."""
    transport = cast("SubprocessTransport", vars(child)["_transport"])
    for descriptor in (0, 1):
        pipe = transport.get_pipe_transport(descriptor)
        if pipe is not None:
            pipe.close()


async def _end_of(child: Process) -> None:
    """Wait for a child that was killed, also where that is given up meanwhile.

    The end of a program gives up what waits a second time. An event loop that is closed before it
    hears of the end of a child tells the person of that.
    """
    given_up = None
    while child.returncode is None:
        try:
            await child.wait()
        except asyncio.CancelledError as error:
            given_up = error
    if given_up is not None:
        raise given_up
