"""Waits for a session that has not begun yet."""

import asyncio
import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from agentview.cli.waits import wait_for
from agentview.domain.activity import RowKind
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolKind
from agentview.errors import AgentViewError, UsageError
from agentview.providers import is_certain, load_provider
from agentview.providers.base import HEAD_BYTES
from agentview.sessions.following.latest import newest_sessions
from agentview.sessions.targets.log_file import Choice, file_session
from agentview.sessions.targets.session_query import belongs_to, known_roots, refs_in
from agentview.sessions.targets.target import LIVE
from agentview.sources.files import read_part
from agentview.sources.lines import is_json
from agentview.sources.watch.watcher import Watcher

_SECOND_RECORD = 3.0
"""Seconds in which a second record may say what the first leaves open."""


def next_session(target: str | None, choice: Choice) -> SessionRef:
    """The next session, or the file TARGET once a record is in it; says that it waits."""
    if target is None or target == LIVE:
        return first_session(choice, known=sessions_there(choice))
    path = Path(target).expanduser()
    if path.is_dir():
        known = sessions_there(choice, path)
        _say(f"a session to begin in {path}")
        return wait_for(session_begun(choice, path, known=known))
    if "/" not in target and not path.suffix:
        raise UsageError(
            f"{target} is not a path.", "--wait takes a file or directory, or no TARGET at all."
        )
    _say(f"{path}")
    return wait_for(file_begun(path, choice))


def first_session(choice: Choice, *, known: set[str]) -> SessionRef:
    """The first session whose path is not `known`, in any place; says that it waits."""
    # Said only now: who reads it may begin one at once, and that is not one of the known.
    _say("a session to begin")
    return wait_for(session_begun(choice, known=known))


def _say(what: str) -> None:
    print(f"Waiting for {what} … Ctrl-C stops.", file=sys.stderr, flush=True)


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
        # A new log may not have its project yet, so it is read again with the next change.
        there = [ref for ref in places[place](place, known) if ref.parent_id is None]
        return [ref for ref in there if _has_record(ref) and belongs_to(ref, choice.project)]

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
    return load_provider(ref.provider).is_document(read_part(path, 0, HEAD_BYTES))


async def file_begun(path: Path, choice: Choice) -> SessionRef:
    """The session in the file, once a whole record is in it. Raises Unreadable for another file.

    Of a log that is seen to begin, a first record that several formats have may be followed by one
    that says which it is: that has a short time to come, or all time while nothing is to be shown.
    """
    seen_to_begin = False
    with Watcher() as watcher:
        watcher.add_files([path])
        while True:
            # Asked first: a record may come while the part of it that was there is judged.
            lines = _lines_begun(path)
            seen_to_begin = seen_to_begin or not lines
            ref = None
            try:
                ref = file_session(path, choice.provider)
            except AgentViewError:
                if lines:
                    raise
            if ref is not None:
                head = read_part(path, 0, HEAD_BYTES)
                if choice.provider is not None or is_certain(ref.provider, head, path):
                    settled = lines > 0 or _has_record(ref)
                else:
                    settled = lines > (1 if seen_to_begin else 0)
                if settled:
                    return ref
            shows = ref is not None and lines and await asyncio.to_thread(_shows_something, ref)
            try:
                async with asyncio.timeout(_SECOND_RECORD if shows else None):
                    await anext(watcher)
            except TimeoutError:
                seen_to_begin = False


def _shows_something(ref: SessionRef) -> bool:
    """Return True if a session has more than what heads it, such as its directory."""
    # Imported here: who waits for a session to begin need not know how to read one.
    from agentview.sessions.following.whole_session import load_session

    try:
        return load_session(ref).summary.count(*ToolKind, *RowKind) > 0
    except AgentViewError:
        return True


def _lines_begun(path: Path) -> int:
    """How many whole lines a file has; 0 if it has nothing yet, or a part of a first record."""
    head = read_part(path, 0, 1 << 20)
    begun = head.lstrip(b"\xef\xbb\xbf\x00 \t\r\n")
    if begun[:1] in {b"{", b"["} and b"\n" not in head and not is_json(begun):
        return 0
    return (begun.count(b"\n") or 1) if begun else 0


def _has_line(path: Path) -> bool:
    return b"\n" in read_part(path, 0, 1 << 20)
