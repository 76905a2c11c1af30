"""The boundary around what reads a log: an error in there is one of that log alone.

Whatever the code of a provider raises about a log comes out as an `AgentViewError` that says which
log cannot be read, and why. What joins, counts or searches the records of a session is behind
`reading`, which does the same.
"""

import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from msgspec.structs import replace

from agentview.domain.events import Event, ToolResult, Unparsed
from agentview.domain.index_entry import EventFact
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionInfo, SessionRef
from agentview.domain.tools import ToolCall, ToolKind
from agentview.errors import AgentViewError, NotFound, Unreadable, reason_of
from agentview.providers.base import (
    Discovery,
    Documents,
    Light,
    LiveRegistry,
    Provider,
    Reading,
    resumes_nothing,
)
from agentview.sources.member import Member, database_of, unlisted

_EXCERPT = 200

_read: dict[str, None] = {}
"""Paths of the sessions that were read since `damage_notes` was asked."""

P = ParamSpec("P")
T = TypeVar("T")
_Light = TypeVar("_Light", Event, EventFact | Event)


def unreadable(place: str | Path, error: Exception) -> AgentViewError:
    """The error that says why a log cannot be read; `error` itself where it says so already."""
    if isinstance(error, AgentViewError):
        return error
    if isinstance(error, FileNotFoundError):
        return NotFound(f"No such file: {place}.")
    why = reason_of(error)
    return Unreadable(f"{place} cannot be read: {why}.", why=why)


@contextmanager
def reading(ref: SessionRef, *passing: type[Exception]) -> Generator[None]:
    """Calls on one session raise nothing but AgentViewError: a fault ends no other session.

    It is not done with a session that discovery could not read. Errors that are `passing` are not
    of the session.
    """
    if ref.fault is not None:
        raise Unreadable(f"{ref.path} cannot be read: {ref.fault}.", why=ref.fault)
    try:
        yield
    except passing:
        raise
    except Exception as error:
        known = unreadable(ref.path, error)
        if known is error:
            raise
        raise known from error
    _read[ref.path] = None


def damage_notes() -> list[str]:
    """Say which databases of sessions that were read since the last call are damaged.

    It looks at all of each database. The texts are those of the logs.
    """
    # All sessions of a database have the same path above them.
    last = {os.path.dirname(path): path for path in list(_read)}.values()  # noqa: PTH120
    shown = [*{database: path for path in last if (database := database_of(path))}.values()]
    _read.clear()
    if not shown:
        return []
    # Imported here: most logs are files.
    from agentview.sources.database_check import damage_note

    return [*filter(None, map(damage_note, shown))]


def unread_event(session: SessionRef, source: SourceRef, record: bytes, reason: str) -> Event:
    """The event of a record that its provider did not decode."""
    excerpt = record[:_EXCERPT].decode("utf-8", "replace")
    body = Unparsed(reason=reason, excerpt=excerpt, malformed=False)
    return Event("unread", session.session_id, source, body, session.stream)


def _once(events: Sequence[_Light], record: bytes) -> Sequence[_Light | Event]:
    """The events of a record; those of one that nothing could read are the same for equal records.

    So thousands of them, as a broken client may write, are one row; each is accounted for.
    """
    unread = [
        event for event in events if isinstance(event, Event) and isinstance(event.body, Unparsed)
    ]
    if len(unread) < len(events):
        return events
    digest = blake2b(record, digest_size=16).hexdigest()
    return [
        event
        if event.dedupe_key or event.replaces or event.run is not None
        else replace(event, dedupe_key=f"unread:{digest}:{event.suffix}")
        for event in unread
    ]


def _asked(place: str | Path, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    try:
        return call(*args, **kwargs)
    except Exception as error:
        known = unreadable(place, error)
        if known is error:
            raise
        raise known from error


class _ContainedDiscovery:
    """A `Discovery` that raises nothing but AgentViewError, about the log that it is asked for."""

    def __init__(self, own: Discovery) -> None:
        self._own = own

    def probe(self, head: bytes, path: Path) -> float:
        return _asked(path, self._own.probe, head, path)

    def roots(self, env: Mapping[str, str]) -> Sequence[Path]:
        return self._own.roots(env)

    def files(self, root: Path) -> Iterator["os.DirEntry[str] | Member"]:
        """Files behind an error are not known: it takes the place of the rest of the directory."""
        try:
            yield from self._own.files(root)
        except Exception as error:
            yield unlisted(root, reason_of(error))

    def session_at(self, path: Path) -> SessionRef | None:
        return _asked(path, self._own.session_at, path)

    def ref(self, path: Path) -> SessionRef:
        return _asked(path, self._own.ref, path)

    def children(self, ref: SessionRef) -> Sequence[SessionRef]:
        return _asked(ref.path, self._own.children, ref)

    def child_places(self, ref: SessionRef) -> Sequence[Path]:
        return _asked(ref.path, self._own.child_places, ref)

    def externalized_output(self, ref: SessionRef, recorded: str) -> Path | None:
        return _asked(ref.path, self._own.externalized_output, ref, recorded)

    def info(self, ref: SessionRef, decode: Light) -> SessionInfo:
        return _asked(ref.path, self._own.info, ref, decode)


def contain(provider: Provider) -> Provider:
    """The provider, which contains what its code raises."""
    resume, documents, load = (
        provider.resume_command, provider.documents, provider.load_reading
    )  # fmt: skip
    fields: Mapping[str, object] = {
        "discovery": _ContainedDiscovery(provider.discovery),
        "load_reading": lambda: _contained_reading(load()),
        "context_window": _otherwise(provider.context_window, None),
        "resume_command": resume if resume is resumes_nothing else _otherwise(resume, None),
        "refresh_ref": provider.refresh_ref and _otherwise(provider.refresh_ref, None),
        "retention": _otherwise(provider.retention, None),
        "kept_prompts": _otherwise(provider.kept_prompts, ()),
        "documents": documents and Documents(documents.begin, _contained_split(documents.split)),
        "live_registry": _contained_registry(provider.live_registry),
        "process_file": _contained_registry(provider.process_file),
        "hook_reports": _contained_registry(provider.hook_reports),
        "habits": replace(
            provider.habits,
            asks_first=_otherwise(provider.habits.asks_first, False),
            brief=_otherwise(provider.habits.brief, False),
        ),
    }
    return replace(provider, **fields)


def _otherwise(call: Callable[P, T], answer: T) -> Callable[P, T]:
    """The function, with an answer that says nothing where it raises."""

    def asked(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return call(*args, **kwargs)
        except Exception:
            return answer

    return asked


def _contained_reading(own: Reading) -> Reading:
    return replace(
        own,
        decode=_contained_decode(own.decode),
        light=own.light and _contained_decode(own.light),
        attach_result=_joined(own.attach_result),
        merge_call=_joined(own.merge_call),
        kind_of=_otherwise(own.kind_of, ToolKind.UNKNOWN),
        unused_keys=_otherwise(own.unused_keys, ()),
        record_keys=own.record_keys and _otherwise(own.record_keys, ()),
    )


def _contained_decode(
    own: Callable[[bytes, SourceRef, SessionRef], Sequence[_Light]],
) -> Callable[[bytes, SourceRef, SessionRef], Any]:
    def decode(record: bytes, source: SourceRef, session: SessionRef) -> Any:
        try:
            events = own(record, source, session)
            # Most records.
            return events if events[0].__class__ is EventFact else _once(events, record)
        except MemoryError:
            # Of the machine, not of the record: it may be read the next time.
            raise
        except Exception as error:
            return [unread_event(session, source, record, f"not decoded: {reason_of(error)}")]

    return decode


Later = TypeVar("Later", ToolResult, ToolCall)


def _joined(join: Callable[[ToolCall, Later], ToolCall]) -> Callable[[ToolCall, Later], ToolCall]:
    """The function, which leaves a call as it is where it raises."""

    def joined(call: ToolCall, later: Later) -> ToolCall:
        try:
            return join(call, later)
        except Exception:
            return call

    return joined


def _contained_split(
    split: Callable[[bytes], Sequence[tuple[int, int]]],
) -> Callable[[bytes], Sequence[tuple[int, int]]]:
    def asked(data: bytes) -> Sequence[tuple[int, int]]:
        try:
            return split(data)
        except (ValueError, MemoryError):
            raise
        except Exception as error:
            raise ValueError(reason_of(error)) from error

    return asked


def _contained_registry(registry: LiveRegistry | None) -> LiveRegistry | None:
    if registry is None:
        return None
    return replace(
        registry,
        directory=_otherwise(registry.directory, None),
        is_entry=_otherwise(registry.is_entry, False),
        entry=_otherwise(registry.entry, None),
        lists=_otherwise(registry.lists, False),
        log=_otherwise(registry.log, None),
    )
