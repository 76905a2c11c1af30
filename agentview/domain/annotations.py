"""Annotations of a person: title, star, notes, bookmarks, and how far the session was read."""

from agentview.domain.unread import SeenPlace
from agentview.domain.value import Value

STAR = "★"
"""Stands before the title of a session that has one."""


class Bookmark(Value):
    """A bookmarked event. Its place in the log is a hint: logs are moved and rewritten."""

    event: str
    stream: str = ""
    """Id of the stream whose timeline shows it, empty for the main one."""
    offset: int = 0
    """Byte offset of its record."""
    number: int = 0
    """Which of the rows of that record it is."""


class Note(Value):
    """A line of text at an event."""

    mark: Bookmark
    """The event and its place."""
    text: str
    """As it was typed, not cleaned."""
    at: float | None = None
    """When it was written, epoch seconds."""


class Annotations(Value):
    """Annotations of one session by a person; nothing of them is in the log."""

    title: str | None = None
    """The person's own title, which replaces that of the log."""
    starred: bool = False
    notes: tuple[Note, ...] = ()
    """In the order in which they were written first."""
    bookmarks: tuple[Bookmark, ...] = ()
    seen: tuple[tuple[str, SeenPlace], ...] = ()
    """How far each stream was read, by its id, which is empty for the main one; sorted by id."""

    tags: tuple[str, ...] = ()
    """In lower case, sorted."""
    hidden: bool = False
    """Lists leave the session out."""

    def seen_in(self, stream: str) -> SeenPlace | None:
        """How far a stream was read; None where it was never on a screen."""
        return next((place for known, place in self.seen if known == stream), None)


NO_ANNOTATIONS = Annotations()
