"""How far each session was read: its last activity that was on a screen, by event id."""

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import cast

from agentview.annotations.session_file import (
    AnnotationsNotSaved,
    Fields,
    SessionFile,
    saved_fields,
)
from agentview.domain.unread import SeenPlace
from agentview.paths import state_dir

_KEY = "seen"

SessionKey = tuple[str, str, str]
"""Provider, session id, and stream, which is empty for the main one."""


def seen_in(fields: Mapping[str, object], stream: str = "") -> SeenPlace | None:
    """How far a stream was read, by what the file of its session says; None for not at all."""
    entries = fields.get(_KEY)
    entry = cast("Fields", entries).get(stream) if isinstance(entries, dict) else None
    if not isinstance(entry, dict):
        return None
    entry = cast("Fields", entry)
    event, offset, at = entry.get("event"), entry.get("offset"), entry.get("at")
    number = entry.get("number")
    if not isinstance(event, str) or type(offset) is not int or offset < 0:
        return None
    return SeenPlace(
        event,
        offset,
        number if type(number) is int and number >= 0 else 0,
        float(at) if isinstance(at, int | float) and not isinstance(at, bool) else None,
    )


def set_seen(
    file: SessionFile, stream: str, seen: SeenPlace, *, size: int | None = None
) -> Callable[[], Fields]:
    """What keeps how far a stream was read, and gives what the file says then.

    Another instance may have read further: the later place stays. One that lies beyond the `size`
    of the log is of an earlier log. The function raises AnnotationsNotSaved.
    """

    def edit(fields: Fields) -> None:
        kept = seen_in(fields, stream)
        if kept is not None and (size is None or kept.offset < size) and kept.is_after(seen):
            return
        entries = fields.get(_KEY)
        entries = cast("Fields", entries) if isinstance(entries, dict) else {}
        entries[stream] = {
            "event": seen.event,
            "offset": seen.offset,
            "number": seen.number,
            "at": seen.at,
        }
        fields[_KEY] = entries

    return lambda: file.change(edit)


class SeenPlaces:
    """How far all sessions were read: as kept by all instances, and as known in this one.

    `load` reads files and is for a thread; a file that did not change is not read again.
    """

    def __init__(self, directory: Path | None = None) -> None:
        """`directory` holds the files of all sessions; None is the state directory's own."""
        self._directory = directory
        self._read: dict[str, tuple[int, dict[SessionKey, SeenPlace]]] = {}
        self._known: Mapping[SessionKey, SeenPlace] = {}
        self._put: dict[SessionKey, SeenPlace] = {}

    def get(self, provider: str, session_id: str, stream: str = "") -> SeenPlace | None:
        """How far a session was read; None where it was never on a screen."""
        key = provider, session_id, stream
        known, put = self._known.get(key), self._put.get(key)
        if known is None or put is None:
            return put or known
        return known if known.is_after(put) else put

    def put(self, provider: str, session_id: str, stream: str, seen: SeenPlace) -> None:
        """Take what is being written, so that nobody waits for it."""
        self._put[provider, session_id, stream] = seen

    def load(self) -> bool:
        """Read what changed; whether anything did. What cannot be read counts as not there."""
        folder = self._directory or state_dir() / "sessions"
        read: dict[str, tuple[int, dict[SessionKey, SeenPlace]]] = {}
        for name, modified in _files(folder):
            before = self._read.get(name)
            if before is None or before[0] != modified:
                before = modified, _places(folder / name)
            read[name] = before
        changed = read != self._read
        if changed:
            self._read = read
            self._known = {key: seen for _, places in read.values() for key, seen in places.items()}
        return changed


def _files(folder: Path) -> Iterator[tuple[str, int]]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(".json") and ".damaged-" not in entry.name:
                    yield entry.name, entry.stat().st_mtime_ns
    except OSError:
        return


def _places(path: Path) -> dict[SessionKey, SeenPlace]:
    try:
        fields = saved_fields(path)
    except AnnotationsNotSaved:
        return {}
    provider, session_id, entries = (fields.get(key) for key in ("provider", "session", _KEY))
    if not (isinstance(provider, str) and isinstance(session_id, str)):
        return {}
    streams = cast("Fields", entries) if isinstance(entries, dict) else {}
    found = {stream: seen_in(fields, stream) for stream in streams}
    return {
        (provider, session_id, stream): seen for stream, seen in found.items() if seen is not None
    }
