"""Waits for a session that has not begun yet."""

from pathlib import Path

from agentview.cli.log_file import file_session
from agentview.cli.sessions import known_roots, main_sessions, refs_in
from agentview.cli.target import Choice
from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError
from agentview.ingest.newest import newest_sessions
from agentview.tailing.watcher import Watcher


async def session_begun(choice: Choice, directory: Path | None = None) -> SessionRef:
    """The first session that is not there yet, in all places or in one directory."""
    if directory is None:
        places = [root for _, root in known_roots(choice.provider)]
    else:
        places = [directory]

    def scan(place: Path) -> list[SessionRef]:
        return main_sessions(refs_in(place, choice.provider))

    def accepted(place: Path) -> list[SessionRef]:
        # A new log may not tell its project yet, so it is asked again with the next change.
        return [ref for ref in scan(place) if ref.path not in known and choice.accepts(ref)]

    known = {ref.path for place in places for ref in scan(place)}
    return await anext(newest_sessions(places, accepted, known=known))


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
