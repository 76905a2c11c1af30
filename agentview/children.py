"""Starts our own programs as processes with pipes, and ends them."""

import asyncio
import pickle
import subprocess
import sys
from asyncio import StreamReader, StreamReaderProtocol, StreamWriter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from subprocess import DEVNULL, PIPE
from typing import Any

_HEADER = 8
"""Bytes of the length before each message of a child."""
_LOOK = 0.002
"""Seconds between two looks whether a child that was killed is gone."""


class ChildProcess:
    """A program of ours at work: what it is told, and what it tells."""

    def __init__(self, process: subprocess.Popen[bytes], stdin: StreamWriter, output: "_Output"):
        self.pid = process.pid
        self.stdin = stdin
        self.stdout = output.reader
        self._process = process
        self._output = output

    @property
    def returncode(self) -> int | None:
        """What it ended with, the number of a signal below 0; None while it is at work."""
        return self._process.poll()

    async def wait(self) -> None:
        """Wait until it writes no more, as when it ends; also while nothing of it is read."""
        await self._output.over.wait()

    async def message(self) -> Any:
        """The next message that it tells: its length in 8 bytes, and a pickle.

        Raises asyncio.IncompleteReadError when it tells no more.
        """
        length = int.from_bytes(await self.stdout.readexactly(_HEADER), "big")
        return pickle.loads(await self.stdout.readexactly(length))  # noqa: S301  (our child's)

    async def answer(self, request: bytes) -> bytes:
        """All that it tells when it is told `request` and no more."""
        self.stdin.write(request)
        self.stdin.close()
        return await self.stdout.read()


class _Output(StreamReaderProtocol):
    """What a child writes, and whether it is over."""

    def __init__(self) -> None:
        self.reader = StreamReader()
        self.over = asyncio.Event()
        super().__init__(self.reader)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.over.set()


@asynccontextmanager
async def child_process(program: str) -> AsyncGenerator[ChildProcess]:
    """A process that runs the module `program`; it is killed where it is left alive.

    Not one of the pool of the standard library: that asks for the standard error of its parent,
    which a full-screen program has taken away. Nor one of asyncio's: what gives it up while it
    starts, or while much that it wrote was not read, would wait for ever. Raises OSError when none
    can be started.
    """
    command = (sys.executable, "-P", "-m", program)
    process = subprocess.Popen(command, bufsize=0, stdin=PIPE, stdout=PIPE, stderr=DEVNULL)  # noqa: ASYNC220, S603
    loop, ways = asyncio.get_running_loop(), list[asyncio.BaseTransport]()
    try:
        reading, output = await loop.connect_read_pipe(_Output, process.stdout)
        ways.append(reading)
        writing, protocol = await loop.connect_write_pipe(_Output, process.stdin)
        ways.append(writing)
        yield ChildProcess(process, StreamWriter(writing, protocol, None, loop), output)
    finally:
        for way in ways:
            way.close()
        process.kill()
        await _end_of(process)


async def _end_of(process: subprocess.Popen[bytes]) -> None:
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
