"""Bookmarks of a session, by event id."""

from typing import cast

from agentview.domain.annotations import Bookmark
from agentview.sessions.annotations.session_file import Fields, SessionFile, entries_of

_KEY = "bookmarks"


def bookmarks_in(fields: Fields) -> dict[str, Bookmark]:
    """Give the bookmarks that a file names, by event; entries that are none are passed over."""
    found: dict[str, Bookmark] = {}
    for event, entry in entries_of(fields, _KEY).items():
        if isinstance(entry, dict):
            found[event] = bookmark_of(event, cast("Fields", entry))
    return found


def bookmark_of(event: str, entry: Fields) -> Bookmark:
    """The place that an entry of the file has for an event; zeros where it has none."""
    stream = entry.get("stream")
    return Bookmark(
        event,
        stream if isinstance(stream, str) else "",
        _count(entry.get("offset")),
        _count(entry.get("number")),
    )


def fields_of(mark: Bookmark) -> Fields:
    return {"stream": mark.stream, "offset": mark.offset, "number": mark.number}


def set_bookmark(file: SessionFile, bookmark: Bookmark) -> Fields:
    """Keep a bookmark; give what the file says then. Raises AnnotationsNotSaved."""

    def edit(fields: Fields) -> None:
        entries = entries_of(fields, _KEY)
        entries[bookmark.event] = fields_of(bookmark)
        fields[_KEY] = entries

    return file.change(edit)


def remove_bookmark(file: SessionFile, event: str) -> Fields:
    """Remove the bookmark of an event; give what the file says then. Raises AnnotationsNotSaved."""

    def edit(fields: Fields) -> None:
        entries_of(fields, _KEY).pop(event, None)

    return file.change(edit)


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0
