"""The recorded past of a file: what sessions of its project did to it, in order."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TypedDict

from msgspec.structs import replace

from agentview.domain.session import SessionInfo, SessionRef, StreamKind
from agentview.domain.value import Value
from agentview.errors import AgentViewError
from agentview.facts.edits.operations import FileStep, PathMove
from agentview.facts.edits.partial_file import FileChange
from agentview.facts.edits.session_changes import SessionChanges
from agentview.facts.search.edited_logs import EditedLogs
from agentview.providers import load_provider
from agentview.providers.contained import reading
from agentview.providers.session_logs import session_logs
from agentview.reports.blame.names import Mentions, Names, names_before
from agentview.sessions.following.whole_session import load_session
from agentview.sessions.library.liveness import activity_time
from agentview.sessions.library.subagent_tree import SubagentTree
from agentview.sessions.targets.session_query import (
    all_sessions,
    may_change,
    project_root,
    working_trees,
)
from agentview.sources.one_look import one_look
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.view.overview.turns import TurnOutline


class Writer(Value):
    """A call of a session that wrote lines, and the prompt behind it."""

    info: SessionInfo
    turn: int | None
    """Number of the turn in the session, from 1; None before the first prompt."""
    prompt: str | None
    tool: str | None
    """As the provider names it."""
    command: str | None
    """That of a shell call."""
    call_id: str | None
    event_id: str
    time: float | None
    subagent: str | None
    """The id of the agent that made the call; None for the session itself."""
    log: SessionRef
    """The log to open for it, of the session or of its agent."""
    place: tuple[int, int]
    """Byte offset in `log` of the record of the call, and its number there."""


class PastChange(Value, gc=True):
    """A change of the file, and the call that made it."""

    change: FileChange
    writer: Writer
    certain: bool = True
    """False where it is not known that it was this file: it may have had another name then."""


def until(changes: Iterable[PastChange], time: float) -> list[PastChange]:
    """Those that may be part of a commit of that time, which has whole seconds."""
    times = ((each, each.change.step.time) for each in changes)
    return [each for each, at in times if at is None or at < time + 1]


class _Opened(TypedDict):
    """A log and a place in it."""

    log: SessionRef
    place: tuple[int, int]


class FilePast(Value, gc=True):
    """The changes of a file, oldest first, and sessions of its project that could not be read."""

    changes: tuple[PastChange, ...]
    unreadable: tuple[tuple[str, str], ...]
    """Path of the log, and why."""


def past_of(path: Path, provider: str | None = None) -> FilePast:
    """Return the changes of a file by the sessions of this machine, under all names that it had.

    Sessions of its project are asked: those that began in one of the working trees of its
    repository, below one of them, or above. A log that nowhere has a name of the file, nor moves a
    directory that it is in, is not gone through.
    """
    return pasts_of([path], provider)[path]


def pasts_of(paths: Sequence[Path], provider: str | None = None) -> dict[Path, FilePast]:
    """The same of several files of one repository: each session is read once."""
    pasts = Pasts(paths, provider)
    return {path: pasts.of(path) for path in paths}


class Pasts:
    """The pasts of files of one repository, and the sessions that they were read from."""

    def __init__(self, paths: Sequence[Path], provider: str | None = None) -> None:
        infos = {facts.info.ref.path: facts.info for facts in all_sessions(provider)}
        refs = {path: info.ref for path, info in infos.items()}
        tree = SubagentTree.of(refs.values())
        changing: dict[str | None, bool] = {}
        asked: list[_Asked] = []
        for path, info in infos.items():
            if not tree.stands_alone(path):
                continue
            # Sessions are many, their directories are few.
            may = changing.get(info.project)
            if may is None:
                may = any(may_change(info, file.parent) for file in paths)
                changing[info.project] = may
            if may:
                asked.append(_Asked(info, (path, *tree.agents_of(path))))
        self._reading = _Reading(paths, asked)
        with one_look(len(asked), refs), closing(EditedLogs()) as edited:
            self._reading.finish(edited)

    @property
    def unreadable(self) -> tuple[tuple[str, str], ...]:
        return tuple(self._reading.unreadable)

    def of(self, path: Path) -> FilePast:
        return FilePast(tuple(self._reading.changes_of(path)), self.unreadable)

    def session_of(self, writer: Writer) -> SessionStore:
        return self._reading.store(writer.info.ref.path)


def _names(path: Path) -> set[str]:
    """All paths of a file: its place in each working tree, with links and without."""
    root = project_root(path.parent)
    inside = os.path.relpath(path.parent.resolve() / path.name, root)
    return {
        str(path),
        *(os.path.join(each, inside) for each in working_trees(path.parent)),  # noqa: PTH118
    }


class _Asked(Value):
    """A session that may have changed the files, and the logs of it and its agents."""

    info: SessionInfo
    logs: tuple[str, ...]


class _Reading:
    """The sessions that say something of files, under all names that these turn out to have had."""

    def __init__(self, paths: Sequence[Path], asked: Sequence[_Asked]) -> None:
        self._now = {path: _names(path) for path in paths}
        self._tops = {top for path in paths for top in working_trees(path.parent)}
        self._asked: list[_Asked] = [*asked]
        self._read: list[_Changed] = []
        self.unreadable: list[tuple[str, str]] = []

    def finish(self, edited: EditedLogs) -> None:
        """Read the sessions that name the files; a name that one shows is looked for in others.

        Those of which `edited` knows that they changed none are left out.
        """
        known: frozenset[str] = frozenset()
        while self._asked:
            names = (name for path in self._now for name in self._names_of(path))
            wanted = Mentions(names, self._tops)
            if wanted.sought <= known:
                break
            known = wanted.sought
            without = edited.without(wanted.names)
            self._asked = [
                asked
                for asked in self._asked
                if all(log in without and edited.is_whole(log) for log in asked.logs)
                or not self._take(asked.info, wanted)
            ]

    def _take(self, info: SessionInfo, wanted: Mentions) -> bool:
        """Read a session if it has what is wanted; False if it may have something else."""
        try:
            with reading(info.ref):
                logs = session_logs(load_provider(info.ref.provider).discovery, info.ref)
                if not any(wanted.are_in(Path(log.path)) for log in logs):
                    return False
                self._read.append(_Changed(info))
        except AgentViewError as error:
            self.unreadable.append((info.ref.path, error.message))
        return True

    def store(self, log: str) -> SessionStore:
        return next(one.store for one in self._read if one.info.ref.path == log)

    def _names_of(self, path: Path) -> Names:
        return names_before(self._now[path], (move for one in self._read for move in one.moves))

    def changes_of(self, path: Path) -> list[PastChange]:
        """Return the changes of a file, oldest first."""
        names = self._names_of(path)
        found: list[tuple[float, int, PastChange]] = []
        owners: dict[tuple[float | None, str], str] = {}
        # Of a session and its copies the one that ended first has what they have in common.
        for session in sorted(self._read, key=lambda one: activity_time(one.info)):
            own = session.info.ref.path
            for time, change in _timed(session.changes_of(names)):
                call = change.writer.call_id
                key = (change.change.step.time, call or "")
                if call is None or owners.setdefault(key, own) == own:
                    found.append((time, len(found), change))
        return [change for *_, change in sorted(found, key=lambda one: one[:2])]


def _timed(changes: Iterable[PastChange]) -> Iterator[tuple[float, PastChange]]:
    """Changes of one session with their times; one without a time has that of the one before."""
    time = 0.0
    for change in changes:
        time = change.change.step.time or time
        yield time, change


class _Changed:
    """A session that was read, with what it did to files."""

    def __init__(self, info: SessionInfo) -> None:
        self.info = info
        self.store = load_session(info.ref)
        self._changes = SessionChanges(self.store, traced=True)
        self._changes.finish()
        self._outline = TurnOutline(self.store)
        self._outline.finish()

    @property
    def moves(self) -> Sequence[PathMove]:
        return self._changes.moves

    def changes_of(self, names: Names) -> Iterator[PastChange]:
        for file in self._changes.files.values():
            name = names.get(file.path) or names.get(os.path.realpath(file.path))
            if file.replay is None or name is None:
                continue
            for change in file.replay.changes():
                if change.step.time is None or change.step.time < name.until:
                    past = _past(self.info, self.store, self._outline, change)
                    yield replace(past, certain=name.certain)


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
        command=getattr(getattr(event.body, "payload", None), "command", None),
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
