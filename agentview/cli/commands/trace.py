"""`agentview trace`: raw tool calls, results and permission requests, without secrets."""

import argparse
import asyncio
import os
import stat
import sys
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from agentview.cli.waits import wait_for
from agentview.domain.session import SessionRef
from agentview.drift.call_records import Fields
from agentview.drift.log_files import is_lined, logs_below
from agentview.drift.trace import to_line
from agentview.drift.trace_session import SessionTrace
from agentview.errors import AgentViewError, NotFound, Unreadable, UsageError
from agentview.providers import load_provider
from agentview.redaction.redactor import Redactor
from agentview.sessions.targets.log_file import (
    PIPE,
    Choice,
    chosen_providers,
    file_session,
    is_folder_of_logs,
)
from agentview.sessions.targets.target import resolve
from agentview.sources.pipe import PipeReader
from agentview.system import platforms
from agentview.system.file_writing import make_folder

_ALONE = 1.0
"""Seconds between two looks at whether the program is still there that a trace is taken for."""


def run(options: argparse.Namespace) -> int:
    """Write the traces of the sessions; one that cannot be read is named, and the others follow."""
    if options.follow and len(options.targets) != 1:
        raise UsageError("--follow takes one session.", "Start one trace for each.")
    if PIPE in options.targets and len(options.targets) != 1:
        raise UsageError("Standard input cannot be traced together with others.")
    with _output(options.out) as out:
        if options.targets == [PIPE]:
            return _trace_pipe(options, out)
        if options.follow:
            return _follow(options, out)
        return _trace_all(options, out)


def _output(name: str | None) -> BinaryIO:
    if name is None:
        return os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    return open_trace(Path(name).expanduser())


def open_trace(path: Path) -> BinaryIO:
    """Open a file to append entries to, which nobody else may read. Raises AgentViewError.

    Not buffered: several processes may append to it, and each entry is written at once.
    """
    try:
        make_folder(path.parent)
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | platforms.CLOSE_ON_EXEC, 0o600)
        out = os.fdopen(file, "ab", buffering=0)
        details = os.fstat(file)
        if stat.S_ISREG(details.st_mode):
            platforms.close_to_others(file)
            if _ends_torn(file, details.st_size):
                out.write(b"\n")
    except OSError as error:
        raise AgentViewError(f"Cannot write {path}: {error.strerror}.") from error
    return out


def _ends_torn(file: int, size: int) -> bool:
    """Return True if the last line was cut off, as by a disk that was full."""
    return size > 0 and platforms.read_at(file, 1, size - 1) != b"\n"


def _trace_all(options: argparse.Namespace, out: BinaryIO) -> int:
    redactor = Redactor.of_this_machine()
    failed = 0
    for ref in _sessions(options.targets, options.provider):
        try:
            write_entries(SessionTrace(load_provider(ref.provider), ref, redactor).read(), out)
        except AgentViewError as error:
            failed += 1
            print(f"agentview: {error.message}", file=sys.stderr)
    return 1 if failed else 0


def _sessions(targets: Sequence[str], provider: str | None) -> Iterator[SessionRef]:
    """Sessions that are meant; a directory stands for all logs in it."""
    for target in targets:
        path = Path(target).expanduser()
        if not is_folder_of_logs(path):
            yield resolve(target, Choice(provider))
            continue
        chosen_providers(provider)
        found = [ref for ref in logs_below([path], provider) if ref.parent_id is None]
        if not found:
            raise NotFound(f"No session log found in {path}.")
        yield from found


def write_entries(entries: Iterable[Fields], out: BinaryIO) -> None:
    for entry in entries:
        view = memoryview(to_line(entry))
        while view:
            view = view[out.write(view) :]


def _follow(options: argparse.Namespace, out: BinaryIO) -> int:
    ref = resolve(options.targets[0], Choice(options.provider, newest=True))
    trace = SessionTrace(load_provider(ref.provider), ref, Redactor.of_this_machine())
    wait_for(_write_on(trace.follow(), out, options.taken_for))
    return 0


async def _write_on(
    batches: AsyncIterator[list[Fields]], out: BinaryIO, taken_for: int | None
) -> None:
    writing = asyncio.ensure_future(_write_batches(batches, out))
    while taken_for is not None and not writing.done() and os.getppid() == taken_for:
        await asyncio.wait([writing], timeout=_ALONE)
    if taken_for is not None:
        writing.cancel()
    with suppress(asyncio.CancelledError):
        await writing


async def _write_batches(batches: AsyncIterator[list[Fields]], out: BinaryIO) -> None:
    async for entries in batches:
        _write_now(entries, out)


def _trace_pipe(options: argparse.Namespace, out: BinaryIO) -> int:
    """Trace what comes through the pipe as it comes; a document once all of it is there."""
    with PipeReader() as reader:
        wait_for(_trace_as_it_comes(reader, options.provider, out))
    return 0


async def _trace_as_it_comes(reader: PipeReader, provider: str | None, out: BinaryIO) -> None:
    """Reading continues meanwhile, so that who writes into the pipe need not wait for the trace."""
    more = asyncio.Event()
    reading = asyncio.ensure_future(_read_all(reader, more))
    reading.add_done_callback(lambda _: more.set())
    trace: SessionTrace | None = None
    try:
        while not reading.done():
            await more.wait()
            more.clear()
            trace = trace or _begun(reader.path, provider)
            if trace is not None:
                await asyncio.to_thread(_write_now, trace.poll(), out)
    finally:
        reading.cancel()
    await reading
    if trace is None:
        ref = file_session(reader.path, provider, "Standard input")
        trace = SessionTrace(load_provider(ref.provider), ref, Redactor.of_this_machine())
    await asyncio.to_thread(_write_now, trace.read(), out)


async def _read_all(reader: PipeReader, more: asyncio.Event) -> None:
    async for _ in reader.batches():
        more.set()


def _begun(path: Path, provider: str | None) -> SessionTrace | None:
    """Return the trace of a growing log, once enough of it is there to identify its provider."""
    try:
        ref = file_session(path, provider, "Standard input")
    except Unreadable:
        return None
    if not is_lined(load_provider(ref.provider), path):
        return None
    return SessionTrace(load_provider(ref.provider), ref, Redactor.of_this_machine())


def _write_now(entries: Iterable[Fields], out: BinaryIO) -> None:
    write_entries(entries, out)
    out.flush()
