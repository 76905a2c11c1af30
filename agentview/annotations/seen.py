"""How far each session was read: its last activity that was on a screen, by event id."""

from collections.abc import Callable, Mapping
from typing import cast

from agentview.annotations.session_file import Fields, SessionFile
from agentview.domain.unread import SeenPlace

_KEY = "seen"


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


def all_seen_in(fields: Mapping[str, object]) -> dict[str, SeenPlace]:
    """How far each stream was read, by its id."""
    entries = fields.get(_KEY)
    streams = cast("Fields", entries) if isinstance(entries, dict) else {}
    found = ((stream, seen_in(fields, stream)) for stream in streams)
    return {stream: seen for stream, seen in found if seen is not None}


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
