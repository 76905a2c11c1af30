"""Notes of a session: a line of text at an event, by event id."""

from typing import cast

from agentview.domain.annotations import Note
from agentview.sessions.annotations.bookmarks import bookmark_of, fields_of
from agentview.sessions.annotations.session_file import Fields, SessionFile, entries_of

LONGEST = 2_000
"""Characters of a note that are kept."""
_KEY = "notes"


def notes_in(fields: Fields) -> dict[str, Note]:
    """Give the notes that a file has, by event; entries that are none are passed over."""
    found: dict[str, Note] = {}
    for event, entry in entries_of(fields, _KEY).items():
        if not isinstance(entry, dict):
            continue
        entry = cast("Fields", entry)
        text, at = entry.get("text"), entry.get("at")
        if isinstance(text, str) and text:
            when = float(at) if isinstance(at, int | float) and not isinstance(at, bool) else None
            found[event] = Note(bookmark_of(event, entry), text[:LONGEST], when)
    return found


def set_note(file: SessionFile, note: Note) -> Fields:
    """Keep a note, or none where its text is empty; give what the file says then.

    Raises AnnotationsNotSaved.
    """

    def edit(fields: Fields) -> None:
        entries = entries_of(fields, _KEY)
        event, text = note.mark.event, note.text.strip()[:LONGEST]
        if text:
            entries[event] = {**fields_of(note.mark), "text": text, "at": note.at}
        else:
            entries.pop(event, None)
        fields[_KEY] = entries

    return file.change(edit)
