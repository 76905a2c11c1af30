"""The recorded past of a file: what sessions of its project did to it, in order."""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypedDict

from agentview.domain.session import SessionInfo, SessionRef, StreamKind
from agentview.domain.value import Value
from agentview.errors import AgentViewError
from agentview.file_changes.operations import FileStep
from agentview.file_changes.partial_file import FileChange
from agentview.file_changes.session_changes import SessionChanges, TouchedFile
from agentview.ingest.whole_session import load_session
from agentview.providers import load_provider
from agentview.providers.session_logs import session_logs
from agentview.sources.open_file import open_file, read_span
from agentview.store.session_store import SessionStore
from agentview.targets.session_query import all_sessions, may_change, project_root, working_trees
from agentview.timeline.overview.turns import TurnOutline

_BLOCK = 4 * 1024 * 1024


class Writer(Value):
    """A call of a session that wrote lines, and the prompt behind it."""

    info: SessionInfo
    turn: int | None
    """Number of the turn in the session, from 1; None before the first prompt."""
    prompt: str | None
    tool: str | None
    """As the provider names it."""
    call_id: str | None
    event_id: str
    time: float | None
    subagent: str | None
    """The id of the agent that made the call; None for the session itself."""
    log: SessionRef
    """The log to open for it, of the session or of its agent."""
    place: tuple[int, int]
    """Byte offset in `log` of the record of the call, and its number there."""


class PastChange(Value):
    """A change of the file, and the call that made it."""

    change: FileChange
    writer: Writer


class _Opened(TypedDict):
    """A log and a place in it."""

    log: SessionRef
    place: tuple[int, int]


class FilePast(Value):
    """The changes of a file, oldest first, and sessions of its project that could not be read."""

    changes: tuple[PastChange, ...]
    unreadable: tuple[tuple[str, str], ...]
    """Path of the log, and why."""


def past_of(path: Path, provider: str | None = None) -> FilePast:
    """Return what the sessions of this machine did to a file, under all names that it had.

    Sessions of its project are asked: those that began in one of the working trees of its
    repository, below one of them, or above. A log that nowhere has the name of the file is not
    gone through.
    """
    return pasts_of([path], provider)[path]


def pasts_of(paths: Sequence[Path], provider: str | None = None) -> dict[Path, FilePast]:
    """The same of several files of one repository: each session is read once."""
    names = {path: _names(path) for path in paths}
    found: dict[Path, list[tuple[float, int, PastChange]]] = {path: [] for path in paths}
    unreadable: list[tuple[str, str]] = []
    for info in (facts.info for facts in all_sessions(provider)):
        if info.ref.parent_id is not None or not any(may_change(info, p.parent) for p in paths):
            continue
        try:
            if _mentions(info, {name for each in names.values() for name in each}):
                read = _Changed(info)
                for path, past in found.items():
                    past.extend(_ordered(read.changes_of(names[path]), len(past)))
        except AgentViewError as error:
            unreadable.append((info.ref.path, error.message))
    for past in found.values():
        past.sort(key=lambda one: one[:2])
    return {
        path: FilePast(tuple(one for *_, one in past), tuple(unreadable))
        for path, past in found.items()
    }


def _names(path: Path) -> set[str]:
    """All paths of a file: its place in each working tree, with links and without."""
    root = project_root(path.parent)
    inside = os.path.relpath(path.parent.resolve() / path.name, root)
    return {
        str(path),
        *(os.path.join(each, inside) for each in working_trees(path.parent)),  # noqa: PTH118
    }


def _ordered(changes: Iterable[PastChange], first: int) -> Iterator[tuple[float, int, PastChange]]:
    """Changes of one session with their times; one without a time has that of the one before."""
    time = 0.0
    for number, change in enumerate(changes, first):
        time = change.change.step.time or time
        yield time, number, change


def _mentions(info: SessionInfo, names: Iterable[str]) -> bool:
    """Return True if the log of a session, or of one of its agents, has the name of the file."""
    files = {Path(name).name for name in names}
    # As JSON has the name: some clients write all of it in ASCII.
    quoted = [json.dumps(file, ensure_ascii=plain) for file in files for plain in (True, False)]
    words = {text[1:-1].encode("utf-8", "surrogateescape") for text in quoted}
    logs = session_logs(load_provider(info.ref.provider).discovery, info.ref)
    return any(_holds(Path(log.path), words) for log in logs)


def _holds(path: Path, words: Iterable[bytes]) -> bool:
    fd, status = open_file(path)
    longest = max(map(len, words))
    try:
        for start in range(0, max(1, status.st_size), _BLOCK):
            data = read_span(fd, start, _BLOCK + longest)
            if any(word in data for word in words):
                return True
    finally:
        os.close(fd)
    return False


class _Changed:
    """A session that was read, with what it did to files."""

    def __init__(self, info: SessionInfo) -> None:
        self._info = info
        self._store = load_session(info.ref)
        self._changes = SessionChanges(self._store, traced=True)
        self._changes.finish()
        self._outline = TurnOutline(self._store)
        self._outline.finish()

    def changes_of(self, names: set[str]) -> Iterator[PastChange]:
        """Return what it did to a file; `names` gets the name that the file had before it."""
        for file in self._changes.files.values():
            if file.replay is not None and _is_named(file, names):
                names.add(file.replay.origin)
                for change in file.replay.changes():
                    yield _past(self._info, self._store, self._outline, change)


def _is_named(file: TouchedFile, names: set[str]) -> bool:
    return file.path in names or os.path.realpath(file.path) in names


def _past(
    info: SessionInfo, store: SessionStore, outline: TurnOutline, change: FileChange
) -> PastChange:
    step = change.step
    own = store if step.stream == store.session.stream else store.children[step.stream]
    row = step.row if own is store else _call_row(store, step)
    turn = None if row is None else outline.turn_of(row)
    prompt = None if turn is None else getattr(store.body(outline.row(turn)), "text", None)
    event = own.event(step.row)
    writer = Writer(
        info=info,
        turn=None if turn is None else turn + 1,
        prompt=prompt,
        tool=getattr(event.body, "provider_name", None),
        call_id=getattr(event.body, "call_id", None),
        event_id=str(event.id),
        time=step.time,
        subagent=step.stream.id or None,
        **_opened_at(store, own, step.row, row),
    )
    return PastChange(change, writer)


def _opened_at(store: SessionStore, own: SessionStore, step: int, call: int | None) -> _Opened:
    """Where a call is shown: in the log that has it, or where its agent was started."""
    if own.session.shared and call is not None:
        return {"log": store.session, "place": store.place(call)}
    return {"log": own.session, "place": own.place(step)}


def _call_row(store: SessionStore, step: FileStep) -> int | None:
    """The row of the session at which the agent of a step was started."""
    if step.stream.kind is StreamKind.MAIN:
        return None
    return store.child_call(step.stream)
