"""The star and the own title of a session."""

from agentview.sessions.annotations.session_file import Fields, SessionFile

LONGEST = 500
"""Characters of a title that are kept."""
_STAR, _TITLE = "starred", "title"


def is_starred(fields: Fields) -> bool:
    """Return True if the file has a star."""
    return fields.get(_STAR) is True


def own_title(fields: Fields) -> str | None:
    """The person's own title, not cleaned; None where the file has none."""
    title = fields.get(_TITLE)
    return title[:LONGEST] if isinstance(title, str) and title.strip() else None


def set_star(file: SessionFile, *, starred: bool) -> Fields:
    """Set or remove the star; give what the file says then. Raises AnnotationsNotSaved."""

    def edit(fields: Fields) -> None:
        if starred:
            fields[_STAR] = True
        else:
            fields.pop(_STAR, None)

    return file.change(edit)


def set_title(file: SessionFile, title: str) -> Fields:
    """Keep an own title, or none where it is empty; give what the file says then.

    Raises AnnotationsNotSaved.
    """

    def edit(fields: Fields) -> None:
        text = title.strip()[:LONGEST]
        if text:
            fields[_TITLE] = text
        else:
            fields.pop(_TITLE, None)

    return file.change(edit)
