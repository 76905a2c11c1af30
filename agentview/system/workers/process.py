"""The parent's side of a worker: starts it, sends it messages, reads its messages, ends it."""

import asyncio
import pickle
import subprocess
import sys
from asyncio import StreamReader, StreamReaderProtocol, StreamWriter
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from subprocess import DEVNULL, PIPE
from typing import Any

from agentview.system import platforms
from agentview.system.workers.connection import HEADER, Connection, packed

WAITED_FOR = 0
"""Priority of a worker that somebody waits for: agents that build and test run next to it."""
BACKGROUND = 19
"""Priority of a worker that nobody waits for."""

_LOOK = 0.002
"""Seconds between two looks whether a worker that was killed is gone."""
_STOP = 0.1
"""Seconds between two looks whether the messages of a worker are still wanted."""


class WorkerProcess:
    """A worker at work."""

    def __init__(
        self, process: "subprocess.Popen[bytes]", stdin: StreamWriter, stdout: StreamReader
    ):
        self.pid = process.pid
        self._stdin = stdin
        self._stdout = stdout
        self._process = process

    @property
    def returncode(self) -> int | None:
        """Its exit status, the number of a signal below 0; None while it runs."""
        return self._process.poll()

    async def send(self, message: object) -> None:
        """Write a message, and wait while many are not read yet.

        A worker that is gone takes none: the end of its messages shows that.
        """
        self._stdin.write(packed(message))
        with suppress(ConnectionError):
            await self._stdin.drain()

    async def messages(self) -> AsyncIterator[Any]:
        try:
            while True:
                length = int.from_bytes(await self._stdout.readexactly(HEADER), "big")
                yield pickle.loads(await self._stdout.readexactly(length))  # noqa: S301  (our own)
        except (asyncio.IncompleteReadError, ConnectionError):
            return


class _Pipe(StreamReaderProtocol):
    """One end of a pipe. It holds its reader, which its base holds weakly.

    So whoever waits for a message is held by the event loop, and a worker whose object nobody keeps
    continues.
    """

    def __init__(self) -> None:
        self.reader = StreamReader()
        super().__init__(self.reader)


class Worker:
    """A worker that runs until it is closed or ends by itself.

    `on_message` takes each of its messages. `on_end` is called when it ends by itself, whatever
    the reason: it cannot start, it is done, or a message is not understood. Begin on a running
    event loop.
    """

    def __init__(
        self,
        handler: str,
        on_message: Callable[[Any], None],
        on_end: Callable[[], None] = lambda: None,
        *,
        nice: int = WAITED_FOR,
    ) -> None:
        self._handler = handler
        self._nice = nice
        self._on_message = on_message
        self._on_end = on_end
        self._requests: asyncio.Queue[object] = asyncio.Queue()
        self.pid: int | None = None
        self._task = asyncio.create_task(self._run())
        self._task.add_done_callback(self._ended)

    def send(self, message: object) -> None:
        self._requests.put_nowait(message)

    def close(self) -> None:
        """End the process; neither callback is called from now on."""
        self._task.cancel()

    async def _run(self) -> None:
        async with worker_process(self._handler, nice=self._nice) as process:
            self.pid = process.pid
            sending = asyncio.create_task(self._send(process))
            try:
                async for message in process.messages():
                    self._on_message(message)
                    # Many may be there already: keys and frames have their turn in between.
                    await asyncio.sleep(0)
            finally:
                sending.cancel()

    async def _send(self, process: WorkerProcess) -> None:
        while True:
            await process.send(await self._requests.get())
            await asyncio.sleep(0)

    def _ended(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled():
            task.exception()
            self._on_end()


@asynccontextmanager
async def worker_process(
    handler: str, *, nice: int = WAITED_FOR, shared: Sequence[int] = ()
) -> AsyncGenerator[WorkerProcess]:
    """A process that runs `handler`, as `module:function`; it is killed where it is left alive.

    It has the `shared` descriptors under the same numbers.

    Not one of the pool of the standard library: that asks for the standard error of its parent,
    which a full-screen program has taken away. Nor one of asyncio's: what gives it up while it
    starts, or while much that it wrote was not read, would wait for ever. Raises OSError when none
    can be started.
    """
    process = _started(handler, nice, shared, for_loop=True)
    loop, ways = asyncio.get_running_loop(), list[asyncio.BaseTransport]()
    try:
        reading, output = await loop.connect_read_pipe(_Pipe, process.stdout)
        ways.append(reading)
        writing, protocol = await loop.connect_write_pipe(_Pipe, process.stdin)
        ways.append(writing)
        yield WorkerProcess(process, StreamWriter(writing, protocol, None, loop), output.reader)
    finally:
        for way in ways:
            way.close()
        process.kill()
        await _end_of(process)


def messages_of(
    handler: str, request: object, stopped: Callable[[], bool], *, nice: int = WAITED_FOR
) -> Iterator[Any]:
    """Messages of a worker that is sent one request, until `stopped` says so; for a thread.

    None where no process can be started. The process is killed where it is left alive.
    """
    try:
        process = _started(handler, nice)
    except OSError:
        return
    try:
        if process.stdin is None or process.stdout is None:
            return
        connection = Connection(process.stdout.fileno(), process.stdin.fileno())
        connection.send(request)
        while not stopped():
            if connection.waiting(_STOP):
                message = connection.receive()
                if message is None:
                    return
                yield message
    except (OSError, EOFError, pickle.UnpicklingError):
        return
    finally:
        process.kill()
        process.communicate()


def _started(
    handler: str, nice: int, shared: Sequence[int] = (), *, for_loop: bool = False
) -> "subprocess.Popen[bytes]":
    command = (sys.executable, "-P", "-m", "agentview.system.workers", handler, str(nice))
    make: Any = platforms.loop_popen() if for_loop else subprocess.Popen
    return make(command, bufsize=0, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, pass_fds=tuple(shared))


async def _end_of(process: "subprocess.Popen[bytes]") -> None:
    """Wait for a process that was killed, also where that is given up meanwhile.

    The end of a program gives up what waits a second time, and would leave the process behind.
    """
    given_up = None
    while process.poll() is None:
        try:
            await asyncio.sleep(_LOOK)
        except asyncio.CancelledError as error:
            given_up = error
    if given_up is not None:
        raise given_up
