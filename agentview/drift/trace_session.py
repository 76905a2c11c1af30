"""Traces of whole sessions, of the agents that they started too, and also while they grow."""

import json
from collections.abc import AsyncIterator, Iterable, Iterator
from pathlib import Path
from typing import cast

from agentview.domain.session import SessionRef
from agentview.drift.call_records import Fields
from agentview.drift.log_files import logs_below
from agentview.drift.trace import Tracer
from agentview.errors import Unreadable
from agentview.normalize.json_values import fields_of, items_of
from agentview.providers import load_provider, recognise
from agentview.providers.base import Provider
from agentview.providers.contained import reading
from agentview.providers.session_logs import session_logs
from agentview.redaction.redactor import Redactor
from agentview.sources.line_splitter import Line
from agentview.sources.open_file import read_head
from agentview.sources.watch.watcher import Watcher
from agentview.timeline.rows.reading import log_reader


class _LogTrace:
    """The entries of one log, each given once; all again when the log is written again."""

    def __init__(self, provider: Provider, ref: SessionRef, redactor: Redactor) -> None:
        self.path = Path(ref.path)
        self._reader = log_reader(provider, self.path)
        version = provider.info(ref).client_version
        self._tracer = Tracer(provider, ref, redactor, version)

    def poll(self) -> Iterator[Fields]:
        more = True
        while more:
            chunk = self._reader.poll()
            for item in chunk.items:
                if isinstance(item, Line):
                    yield from self._tracer.entries(item)
            more = chunk.more

    def finish(self) -> Iterator[Fields]:
        yield from self.poll()
        for line in (*self._reader.finish(), *self._reader.finish_torn()):
            yield from self._tracer.entries(line)


class SessionTrace:
    """The entries of a session. Raises what reading its log raises; agents' logs may be missing."""

    def __init__(self, provider: Provider, ref: SessionRef, redactor: Redactor) -> None:
        self._provider = provider
        self._redactor = redactor
        self._ref = ref
        self._logs = {ref.path: _LogTrace(provider, ref, redactor)}

    def poll(self) -> Iterator[Fields]:
        return self._logs[self._ref.path].poll()

    def read(self) -> Iterator[Fields]:
        with reading(self._ref):
            self._find_agents()
            for log in self._logs.values():
                yield from log.finish()

    def read_alone(self) -> Iterator[Fields]:
        """The same without the logs of agents, for a caller who comes upon these by itself."""
        yield from self._logs[self._ref.path].finish()

    async def follow(self) -> AsyncIterator[list[Fields]]:
        """Entries as their records are written; never ends by itself."""
        with Watcher() as watcher:
            watcher.add_files([Path(self._ref.path)])
            for place in self._provider.discovery.child_places(self._ref):
                watcher.add_tree(place)
            self._find_agents()
            yield [entry for log in self._logs.values() for entry in log.poll()]
            async for changed in watcher:
                if changed - {log.path for log in self._logs.values()}:
                    self._find_agents()
                yield [entry for log in self._logs.values() for entry in log.poll()]

    def _find_agents(self) -> None:
        for ref in session_logs(self._provider.discovery, self._ref):
            if ref.path not in self._logs:
                self._logs[ref.path] = _LogTrace(self._provider, ref, self._redactor)


# Reads entries out of whatever holds some: traces, files of fixtures, logs, folders of logs.

Entries = Iterator[tuple[str, Fields]]

_FIRST_LINE = 16 * 1024 * 1024


def read_entries(paths: Iterable[Path], provider: str | None = None) -> Entries:
    """Key and entry of all that the files hold, in their order; logs are traced as they are read.

    A file of fixtures may be one of another program that holds its records under `examples`.
    Raises NotFound and Unreadable; `provider` says what a log that is named itself is read as.
    """
    for path in paths:
        if path.is_dir():
            yield from _of_logs(path, provider)
        elif _is_trace(path):
            yield from _of_trace(path)
        elif (examples := _examples(path)) is not None:
            yield from _of_examples(examples, path)
        else:
            yield from _of_logs(path, provider)


def _is_trace(path: Path) -> bool:
    return _is_entry(_object(read_head(path, _FIRST_LINE).partition(b"\n")[0]))


def _is_entry(fields: Fields) -> bool:
    return isinstance(fields.get("key"), str) and "raw" in fields


def _object(data: bytes) -> Fields:
    try:
        value: object = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return dict(fields_of(value))


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _of_trace(path: Path) -> Entries:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            entry = _object(line)
            if _is_entry(entry):
                yield str(entry["key"]), entry
            elif _is_json(line):
                # What is none was cut off when the disk was full or the program was ended.
                raise Unreadable(f"Line {number} of {path} is not an entry of a trace.")


def _examples(path: Path) -> Fields | None:
    """Return the fixtures of a file by key; None when it has none."""
    data = path.read_bytes() if path.suffix == ".json" else b""
    fields = _object(data) if b'"examples"' in data else {}
    examples = fields.get("examples")
    return cast("Fields", examples) if isinstance(examples, dict) else None


def _of_examples(examples: Fields, path: Path) -> Entries:
    for key, found in examples.items():
        for each in items_of(found):
            entry = dict(fields_of(each))
            if "raw" in entry:
                yield key, entry
            else:
                yield from ((key, traced) for traced in _traced(entry, path))


def _traced(record: Fields, path: Path) -> Iterator[Fields]:
    """Entries of a record of another program's file."""
    data = json.dumps(record).encode()
    provider = recognise(data, path)
    if provider is None:
        raise Unreadable(f"{path} has examples of a form that nothing knows.")
    session = SessionRef(provider.name, path.stem, str(path))
    tracer = Tracer(provider, session, Redactor.of_this_machine())
    # A record may make several entries, such as one that asks for leave to make a call.
    yield from [*tracer.entries(Line(0, len(data), data))][:1]


def _of_logs(path: Path, provider: str | None) -> Entries:
    redactor = Redactor.of_this_machine()
    for ref in logs_below([path], provider):
        trace = SessionTrace(load_provider(ref.provider), ref, redactor)
        for entry in trace.read_alone():
            yield str(entry["key"]), entry
