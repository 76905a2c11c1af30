"""The parent's side of the counting child: counting a gigabyte here would hold up every key."""

import asyncio
import pickle
from collections.abc import Callable

from agentview.children import ChildProcess, child_process
from agentview.domain.session import SessionRef
from agentview.usage.counted import Counted

_PROGRAM = "agentview.usage.child"


class CountingChild:
    """One process that counts a session; `heard` takes each answer, `died` is told of its end.

    Begin on a running event loop. While an answer is under way, `ask` asks for one more at its end,
    however often it is called.
    """

    def __init__(
        self, ref: SessionRef, heard: Callable[[Counted], None], died: Callable[[], None]
    ) -> None:
        self._ref = ref
        self._heard = heard
        self._died = died
        self._wanted = asyncio.Event()
        self.pid: int | None = None
        self._task = asyncio.create_task(self._run())
        self._task.add_done_callback(self._ended)

    def ask(self) -> None:
        """Have it count on."""
        self._wanted.set()

    def close(self) -> None:
        """End the process; nothing is heard of it any more."""
        self._task.cancel()

    async def _run(self) -> None:
        async with child_process(_PROGRAM) as child:
            self.pid = child.pid
            talk = asyncio.create_task(self._talk(child))
            try:
                # Between two answers nothing is read that would tell of its end.
                ended = asyncio.ensure_future(child.wait())
                await asyncio.wait({talk, ended}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                talk.cancel()

    def _ended(self, task: asyncio.Task[None]) -> None:
        """Tell it whatever the reason: a process that cannot start, ends, or is not understood."""
        if not task.cancelled():
            task.exception()
            self._died()

    async def _talk(self, child: ChildProcess) -> None:
        child.stdin.write(pickle.dumps(self._ref))
        try:
            while True:
                await self._wanted.wait()
                self._wanted.clear()
                child.stdin.write(b"\n")
                whole = False
                while not whole:
                    told: Counted = await child.message()
                    self._heard(told)
                    whole = told.fraction >= 1.0
        except (asyncio.IncompleteReadError, ConnectionError):
            return
