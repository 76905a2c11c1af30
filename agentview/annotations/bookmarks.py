"""Bookmarks of a session, by event id."""

from typing import cast

from agentview.annotations.session_file import Fields, SessionFile
from agentview.domain.value import Value

_KEY = "bookmarks"


class Bookmark(Value):
    """A bookmarked event. Its place in the log is a hint: logs are moved and rewritten."""

    event: str
    stream: str = ""
    """Id of the stream whose timeline shows it, empty for the main one."""
    offset: int = 0
    """Byte offset of its record."""
    number: int = 0
    """Which of the rows of that record it is."""


def bookmarks_in(fields: Fields) -> dict[str, Bookmark]:
    """Give the bookmarks that a file names, by event; entries that are none are passed over."""
    entries = fields.get(_KEY)
    found: dict[str, Bookmark] = {}
    for event, entry in cast("Fields", entries).items() if isinstance(entries, dict) else ():
        if isinstance(entry, dict):
            fields = cast("Fields", entry)
            stream = fields.get("stream")
            found[event] = Bookmark(
                event,
                stream if isinstance(stream, str) else "",
                _count(fields.get("offset")),
                _count(fields.get("number")),
            )
    return found


def set_bookmark(file: SessionFile, bookmark: Bookmark) -> Fields:
    """Keep a bookmark; give what the file says then. Raises NotKept."""

    def edit(fields: Fields) -> None:
        entries = fields.get(_KEY)
        entries = cast("Fields", entries) if isinstance(entries, dict) else {}
        entries[bookmark.event] = {
            "stream": bookmark.stream,
            "offset": bookmark.offset,
            "number": bookmark.number,
        }
        fields[_KEY] = entries

    return file.change(edit)


def remove_bookmark(file: SessionFile, event: str) -> Fields:
    """Remove the bookmark of an event; give what the file says then. Raises NotKept."""

    def edit(fields: Fields) -> None:
        entries = fields.get(_KEY)
        if isinstance(entries, dict):
            cast("Fields", entries).pop(event, None)

    return file.change(edit)


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0
