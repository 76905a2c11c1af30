"""Waits for a session that has not begun yet."""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from agentview.cli.log_file import file_session
from agentview.cli.sessions import known_roots, main_sessions, refs_in
from agentview.cli.target import Choice
from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError
from agentview.files import read_part
from agentview.ingest.newest import newest_sessions
from agentview.providers import HEAD_BYTES, load_provider
from agentview.tailing.watcher import Watcher


def sessions_there(choice: Choice, directory: Path | None = None) -> set[str]:
    """Paths of the sessions that are there already, in all places or in one directory."""
    places = _places(choice, directory)
    return {ref.path for place, scan in places.items() for ref in scan(place, ())}


async def session_begun(
    choice: Choice, directory: Path | None = None, *, known: set[str]
) -> SessionRef:
    """The first session whose path is not `known`, in all places or in one directory.

    It has begun once its log has a whole record: the first one says whether it is an agent's.
    """
    places = _places(choice, directory)

    def accepted(place: Path) -> list[SessionRef]:
        # A new log may not tell its project yet, so it is asked again with the next change.
        there = main_sessions(places[place](place, known))
        return [ref for ref in there if _has_record(ref) and choice.accepts(ref)]

    return await anext(newest_sessions(list(places), accepted, known=known))


_Scan = Callable[[Path, Collection[str]], Sequence[SessionRef]]


def _places(choice: Choice, directory: Path | None) -> dict[Path, _Scan]:
    """Directories where a session may begin, each with what lists the sessions there."""
    if directory is not None:
        return {directory: lambda place, _: refs_in(place, choice.provider)}
    owners: dict[Path, list[str]] = {}
    for name, root in known_roots(choice.provider):
        owners.setdefault(root, []).append(name)
    return {
        # A place is its provider's. Settings may give one place to two: then content decides.
        root: load_provider(names[0]).scan if len(names) == 1 else lambda place, _: refs_in(place)
        for root, names in owners.items()
    }


def _has_record(ref: SessionRef) -> bool:
    path = Path(ref.path)
    if _has_line(path):
        return True
    documents = load_provider(ref.provider).documents
    return documents is not None and documents.begin(read_part(path, 0, HEAD_BYTES))


async def file_begun(path: Path, choice: Choice) -> SessionRef:
    """The session in the file, once a whole record is in it. Raises Unreadable for another file."""
    with Watcher() as watcher:
        watcher.add_files([path])
        while True:
            # Asked first: a record may come while the part of it that was there is judged.
            whole = _has_line(path)
            try:
                return file_session(path, choice.provider)
            except AgentViewError:
                if whole:
                    raise
            await anext(watcher)


def _has_line(path: Path) -> bool:
    return b"\n" in read_part(path, 0, 1 << 20)
