"""How far each session was read: its last activity that was on a screen, by event id."""

from collections.abc import Callable, Mapping
from typing import cast

from agentview.domain.unread import SeenPlace
from agentview.sessions.annotations.session_file import Fields, SessionFile, entries_of

_KEY = "seen"


def seen_in(fields: Mapping[str, object], stream: str = "") -> SeenPlace | None:
    """How far a stream was read, by what the file of its session says; None for not at all."""
    entry = entries_of(fields, _KEY).get(stream)
    if not isinstance(entry, dict):
        return None
    entry = cast("Fields", entry)
    event, offset = entry.get("event"), entry.get("offset")
    number = entry.get("number")
    if not isinstance(event, str) or type(offset) is not int or offset < 0:
        return None
    return SeenPlace(
        event,
        offset,
        number if type(number) is int and number >= 0 else 0,
        _moment(entry.get("at")),
        _moment(entry.get("time")),
    )


def _moment(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value)


def all_seen_in(fields: Mapping[str, object]) -> tuple[tuple[str, SeenPlace], ...]:
    """How far each stream was read, by its id and sorted by it."""
    found = ((stream, seen_in(fields, stream)) for stream in sorted(entries_of(fields, _KEY)))
    return tuple((stream, seen) for stream, seen in found if seen is not None)


def set_seen(
    file: SessionFile, stream: str, seen: SeenPlace, *, size: int | None = None
) -> Callable[[], Fields]:
    """Return a function that keeps how far a stream was read, and gives the file's state then.

    Another instance may have read further: the later place stays. One that lies beyond the `size`
    of the log is of an earlier log. The function raises AnnotationsNotSaved.
    """

    def edit(fields: Fields) -> None:
        kept = seen_in(fields, stream)
        if kept is not None and (size is None or kept.offset < size) and kept.is_after(seen):
            return
        entries = entries_of(fields, _KEY)
        entries[stream] = {
            "event": seen.event,
            "offset": seen.offset,
            "number": seen.number,
            "at": seen.at,
            "time": seen.time,
        }
        fields[_KEY] = entries

    return lambda: file.change(edit)
