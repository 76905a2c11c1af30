"""Waits for a session that has not begun yet."""

from pathlib import Path

from agentview.cli.log_file import file_session
from agentview.cli.sessions import known_roots, main_sessions, refs_in
from agentview.cli.target import Choice
from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError
from agentview.ingest.newest import newest_sessions
from agentview.tailing.watcher import Watcher


def sessions_there(choice: Choice, directory: Path | None = None) -> set[str]:
    """Paths of the sessions that are there already, in all places or in one directory."""
    return {ref.path for place in _places(choice, directory) for ref in _scan(place, choice)}


async def session_begun(
    choice: Choice, directory: Path | None = None, *, known: set[str]
) -> SessionRef:
    """The first session whose path is not `known`, in all places or in one directory."""

    def accepted(place: Path) -> list[SessionRef]:
        # A new log may not tell its project yet, so it is asked again with the next change.
        there = _scan(place, choice)
        return [ref for ref in there if ref.path not in known and choice.accepts(ref)]

    return await anext(newest_sessions(_places(choice, directory), accepted, known=known))


def _places(choice: Choice, directory: Path | None) -> list[Path]:
    if directory is None:
        return [root for _, root in known_roots(choice.provider)]
    return [directory]


def _scan(place: Path, choice: Choice) -> list[SessionRef]:
    return main_sessions(refs_in(place, choice.provider))


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
    try:
        with path.open("rb") as file:
            return b"\n" in file.read(1 << 20)
    except OSError:
        return False
