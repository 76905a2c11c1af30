"""Waits for a session that has not begun yet."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

from agentview.cli.sessions import all_refs, chosen_providers, in_project, info_of, main_sessions
from agentview.cli.target import Choice, file_session
from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError
from agentview.library.scan import session_roots
from agentview.providers import load_provider
from agentview.tailing.watcher import Watcher


async def session_begun(choice: Choice, directory: Path | None = None) -> SessionRef:
    """The first session that is not there yet, in all places or in one directory."""
    if directory is None:
        places = [root for _, root in session_roots(os.environ, choice.provider)]
    else:
        places = [directory]

    def scan() -> list[SessionRef]:
        if directory is None:
            return main_sessions(all_refs(choice.provider))
        names = chosen_providers(choice.provider)
        return main_sessions(
            ref for name in names for ref in load_provider(name).discovery.scan(directory)
        )

    known = {ref.path for ref in scan()}
    return await _first(places, scan, known, choice)


async def _first(
    places: list[Path], scan: Callable[[], list[SessionRef]], known: set[str], choice: Choice
) -> SessionRef:
    with Watcher() as watcher:
        for place in places:
            watcher.add_tree(place)
        while True:
            for ref in await asyncio.to_thread(scan):
                if ref.path not in known and _accepts(choice, ref):
                    return ref
            await anext(watcher)


def _accepts(choice: Choice, ref: SessionRef) -> bool:
    """Say whether it is of the project; a new log may not tell yet, so it is asked again later."""
    return choice.project is None or in_project(info_of(ref), choice.project)


async def file_begun(path: Path, choice: Choice) -> SessionRef:
    """The session in the file, once a whole record is in it. Raises Unreadable for another file."""
    with Watcher() as watcher:
        watcher.add_files([path])
        while True:
            try:
                return file_session(path, choice.provider)
            except AgentViewError:
                if _has_line(path):
                    raise
            await anext(watcher)


def _has_line(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return b"\n" in file.read(1 << 20)
    except OSError:
        return False
