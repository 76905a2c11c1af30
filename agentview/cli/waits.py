"""Runs what a command waits for, until it is done or a person presses Ctrl-C."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from agentview.cli.sigint import CtrlC, held

_Given = TypeVar("_Given")


def wait_for(awaited: Coroutine[Any, Any, _Given]) -> _Given:
    """Result of `awaited`. Raises what it raises, and KeyboardInterrupt once it was cancelled.

    Ctrl-C while the event loop is made or closed would leave half of one, about which the
    interpreter complains on the terminal.
    """
    with held() as ctrl_c:
        return asyncio.run(_interruptible(awaited, ctrl_c))


async def _interruptible(awaited: Coroutine[Any, Any, _Given], ctrl_c: CtrlC) -> _Given:
    loop, waiting = asyncio.get_running_loop(), asyncio.ensure_future(awaited)
    ctrl_c.on_press(lambda: loop.call_soon_threadsafe(waiting.cancel))
    return await waiting
