"""The parent's side of the children: starts one, tells it, hears it, ends it."""

import asyncio
from collections.abc import Callable, Iterator, Sequence

from agentview.children import ChildProcess, child_process
from agentview.domain.session import SessionRef
from agentview.search.index_messages import Logs, Message, packed

SEARCHER = "agentview.search.search_child"
BUILDER = "agentview.search.index_child"

_CHUNK = 250
"""Logs of a message: packing more would hold the event loop for more than a millisecond."""


def in_chunks(refs: Sequence[SessionRef]) -> Iterator[Logs]:
    """Logs in messages that are quickly packed."""
    for start in range(0, len(refs), _CHUNK):
        yield Logs(refs[start : start + _CHUNK])


class Child:
    """A process that runs `program`; `heard` takes what it says.

    `ended` is called when it ends by itself, as it does when it is done or cannot go on.
    """

    def __init__(
        self,
        program: str,
        heard: Callable[[Message], None],
        ended: Callable[[], None] = lambda: None,
    ) -> None:
        self._program = program
        self._heard = heard
        self._ended = ended
        self._messages: asyncio.Queue[Message] = asyncio.Queue()
        self._task = asyncio.create_task(self._run())
        self._task.add_done_callback(self._over)
        self.pid: int | None = None

    def tell(self, message: Message) -> None:
        """Have the child told something, after all that it was told before."""
        self._messages.put_nowait(message)

    def close(self) -> None:
        """End the process; nothing is heard of it any more."""
        self._task.cancel()

    async def _run(self) -> None:
        async with child_process(self._program) as child:
            self.pid = child.pid
            telling = asyncio.create_task(self._tell(child))
            try:
                await self._hear(child)
            finally:
                telling.cancel()

    def _over(self, task: asyncio.Task[None]) -> None:
        """Tell it whatever the reason: a process that cannot start, ends, or is not understood."""
        if not task.cancelled():
            task.exception()
            self._ended()

    async def _tell(self, child: ChildProcess) -> None:
        while True:
            child.stdin.write(packed(await self._messages.get()))
            # Many messages may wait: keys and frames have their turn in between.
            await child.stdin.drain()
            await asyncio.sleep(0)

    async def _hear(self, child: ChildProcess) -> None:
        try:
            while True:
                self._heard(await child.message())
                await asyncio.sleep(0)
        except (asyncio.IncompleteReadError, ConnectionError):
            return
