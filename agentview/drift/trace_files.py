"""Reads entries out of whatever holds some: traces, files of fixtures, logs, folders of logs."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import cast

from agentview.domain.session import SessionRef
from agentview.drift.call_records import Fields
from agentview.drift.log_files import logs_below
from agentview.drift.trace import Tracer
from agentview.drift.trace_session import SessionTrace
from agentview.errors import NotFound, Unreadable
from agentview.normalize.json_values import fields_of, items_of
from agentview.providers import load_provider, recognise
from agentview.redaction.redactor import Redactor
from agentview.sources.line_splitter import Line

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
    try:
        with path.open("rb") as file:
            first = file.readline(_FIRST_LINE)
    except FileNotFoundError as error:
        raise NotFound(f"There is no file {path}.") from error
    except OSError as error:
        raise Unreadable(f"Cannot read {path}: {error.strerror}.") from error
    return _is_entry(_object(first))


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
                raise Unreadable(f"Line {number} of {path} is no entry of a trace.")


def _examples(path: Path) -> Fields | None:
    """What a file of fixtures has by key; None when it is none."""
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
