"""The parent's side of the search child: starts it, asks it, hears it, ends it."""

import asyncio
from collections.abc import Callable

from agentview.children import ChildProcess, child_process
from agentview.search.session_messages import Answer, Request, packed

_PROGRAM = "agentview.search.session_child"


class SearchChild:
    """One process that answers one request after the other; `heard` takes each answer.

    `died` is called when it ends by itself.
    """

    def __init__(self, heard: Callable[[Answer], None], died: Callable[[], None]) -> None:
        self._heard = heard
        self._died = died
        self._requests: asyncio.Queue[Request] = asyncio.Queue()
        self._task = asyncio.create_task(self._run())
        self._task.add_done_callback(self._ended)
        self.pid: int | None = None

    def ask(self, request: Request) -> None:
        """Have another request answered instead of the one before."""
        self._requests.put_nowait(request)

    def close(self) -> None:
        """End the process; nothing is heard of it any more."""
        self._task.cancel()

    async def _run(self) -> None:
        async with child_process(_PROGRAM) as child:
            self.pid = child.pid
            asking = asyncio.create_task(self._ask(child))
            try:
                await self._hear(child)
            finally:
                asking.cancel()

    def _ended(self, task: asyncio.Task[None]) -> None:
        """Tell it whatever the reason: a process that cannot start, ends, or is not understood."""
        if not task.cancelled():
            task.exception()
            self._died()

    async def _ask(self, child: ChildProcess) -> None:
        while True:
            child.stdin.write(packed(await self._requests.get()))

    async def _hear(self, child: ChildProcess) -> None:
        try:
            while True:
                self._heard(await child.message())
                # Many answers may be there already: keys and frames have their turn in between.
                await asyncio.sleep(0)
        except (asyncio.IncompleteReadError, ConnectionError):
            return
