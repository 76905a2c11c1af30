"""The recorded past of a file: what sessions of its project did to it, in order."""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from agentview.cli.cat import load_session
from agentview.cli.session_query import all_sessions, project_root
from agentview.domain.session import SessionInfo, StreamKind
from agentview.domain.value import Value
from agentview.errors import AgentViewError
from agentview.file_changes.operations import FileStep
from agentview.file_changes.partial_file import FileChange
from agentview.file_changes.session_changes import SessionChanges, TouchedFile
from agentview.providers import load_provider
from agentview.sources.open_file import open_file, read_span
from agentview.store.session_store import SessionStore
from agentview.timeline.overview.turns import TurnOutline

_BLOCK = 4 * 1024 * 1024


class PastChange(Value):
    """A change of the file by a call of a session, and the prompt behind it."""

    change: FileChange
    info: SessionInfo
    turn: int | None
    """Number of the turn in the session, from 1; None before the first prompt."""
    prompt: str | None
    tool: str | None
    """As the provider names it."""
    call_id: str | None
    event_id: str


class FilePast(Value):
    """The changes of a file, oldest first, and sessions of its project that could not be read."""

    changes: tuple[PastChange, ...]
    unreadable: tuple[tuple[str, str], ...]
    """Path of the log, and why."""


def past_of(path: Path, provider: str | None = None) -> FilePast:
    """What the sessions of this machine did to a file, under all names that it had.

    Sessions of its project are asked: those that began in its repository, in one of its worktrees,
    or below one of them. A log that nowhere has the name of the file is not gone through.
    """
    roots = _roots(path)
    names = {os.path.join(root, inside) for root, inside in roots}  # noqa: PTH118
    found: list[tuple[float, int, PastChange]] = []
    unreadable: list[tuple[str, str]] = []
    sessions = [facts.info for facts in all_sessions(provider)]
    for info in sessions:
        if info.ref.parent_id is not None or not _is_of(info, roots):
            continue
        try:
            if _mentions(info, names):
                found += _ordered(_changes_in(info, names), len(found))
        except AgentViewError as error:
            unreadable.append((info.ref.path, error.message))
    found.sort(key=lambda one: one[:2])
    return FilePast(tuple(one for *_, one in found), tuple(unreadable))


def _ordered(changes: Iterable[PastChange], first: int) -> Iterator[tuple[float, int, PastChange]]:
    """Changes of one session with their times; one without a time has that of the one before."""
    time = 0.0
    for number, change in enumerate(changes, first):
        time = change.change.step.time or time
        yield time, number, change


def _roots(path: Path) -> Sequence[tuple[str, str]]:
    """The directories that have the file, as a repository and its worktrees do, and its place."""
    root = project_root(path.parent)
    inside = os.path.relpath(path, root)
    found = dict.fromkeys((str(root), os.path.realpath(root)))
    for worktree in _worktrees(root):
        found.update(dict.fromkeys((worktree, os.path.realpath(worktree))))
    return [(each, inside) for each in found]


def _worktrees(root: Path) -> Iterator[str]:
    """The other working directories of the repository, as git's own files name them."""
    common = root / ".git"
    with suppress(OSError, UnicodeDecodeError):
        if common.is_file():
            own = common.read_text("utf-8").removeprefix("gitdir:").strip()
            common = (root / own).resolve().parent.parent
        if common.name == ".git" and common.is_dir():
            yield str(common.parent)
        for entry in sorted((common / "worktrees").iterdir()):
            with suppress(OSError, UnicodeDecodeError):
                yield str(Path((entry / "gitdir").read_text("utf-8").strip()).parent)


def _is_of(info: SessionInfo, roots: Sequence[tuple[str, str]]) -> bool:
    """Whether a session began in one of the directories, below it, or above it."""
    if info.project is None:
        return False
    project = Path(os.path.realpath(info.project))
    return any(
        project.is_relative_to(root) or Path(root).is_relative_to(project) for root, _ in roots
    )


def _mentions(info: SessionInfo, names: Iterable[str]) -> bool:
    """Whether the log of a session, or of an agent that it started, has the name of the file."""
    files = {Path(name).name for name in names}
    # As JSON has the name: some clients write all of it in ASCII.
    quoted = [json.dumps(file, ensure_ascii=plain) for file in files for plain in (True, False)]
    words = {text[1:-1].encode("utf-8", "surrogateescape") for text in quoted}
    children = load_provider(info.ref.provider).discovery.children(info.ref)
    paths = dict.fromkeys((info.ref.path, *(child.path for child in children)))
    return any(_holds(Path(path), words) for path in paths)


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


def _changes_in(info: SessionInfo, names: set[str]) -> Iterator[PastChange]:
    """What a session did to the file; `names` gets the name that the file had before it."""
    store = load_session(info.ref)
    changes = SessionChanges(store, traced=True)
    for _ in changes.working():
        pass
    outline = TurnOutline(store)
    for _ in outline.catch_up():
        pass
    for file in changes.files.values():
        if file.replay is not None and _is_named(file, names):
            names.add(file.replay.origin)
            for change in file.replay.changes():
                yield _past(info, store, outline, change)


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
    return PastChange(
        change=change,
        info=info,
        turn=None if turn is None else turn + 1,
        prompt=prompt,
        tool=getattr(event.body, "provider_name", None),
        call_id=getattr(event.body, "call_id", None),
        event_id=str(event.id),
    )


def _call_row(store: SessionStore, step: FileStep) -> int | None:
    """The row of the session at which the agent of a step was started."""
    if step.stream.kind is StreamKind.MAIN:
        return None
    return store.child_call(step.stream)
