"""The star, the own title and the tags of a session, and whether it is hidden."""

import re
from collections.abc import Callable, Iterable
from typing import cast

from agentview.errors import UsageError
from agentview.sessions.annotations.session_file import Fields, SessionFile

LONGEST = 500
"""Characters of a title that are kept."""
LONGEST_TAG = 40
"""Characters of a tag."""
TAG_RULE = f"at most {LONGEST_TAG} letters, digits, '-', '_', '.' and '/'"
"""The rule for a tag."""
MOST_TAGS = 50
_STAR, _TITLE, _TAGS, _HIDDEN = "starred", "title", "tags", "hidden"
_TAG = re.compile(r"#?(\w[\w./-]*)")


def is_starred(fields: Fields) -> bool:
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


def is_hidden(fields: Fields) -> bool:
    return fields.get(_HIDDEN) is True


def set_hidden(file: SessionFile, *, hidden: bool) -> Fields:
    """Have lists leave a session out, or not; give what the file says then.

    Raises AnnotationsNotSaved.
    """

    def edit(fields: Fields) -> None:
        if hidden:
            fields[_HIDDEN] = True
        else:
            fields.pop(_HIDDEN, None)

    return file.change(edit)


def tag_of(text: str) -> str | None:
    """A tag as it is kept, in lower case and without `#`; None for a text that is none."""
    found = _TAG.fullmatch(text.strip())
    return found[1].lower() if found and len(found[1]) <= LONGEST_TAG else None


def valid_tag(text: str) -> str:
    """A tag as it is kept. Raises UsageError for a text that is none."""
    tag = tag_of(text)
    if tag is None:
        raise UsageError(f"{text!r} is not a tag.", f"A tag has {TAG_RULE}.")
    return tag


def tags_in(fields: Fields) -> tuple[str, ...]:
    """The tags that a file has, sorted; entries that are none are passed over."""
    entries = fields.get(_TAGS)
    if not isinstance(entries, list):
        return ()
    texts = (each for each in cast("list[object]", entries) if isinstance(each, str))
    return tuple(sorted({tag for text in texts if (tag := tag_of(text))}))[:MOST_TAGS]


def change_tags(file: SessionFile, add: Iterable[str], remove: Iterable[str] = ()) -> Fields:
    """Add and remove tags; give what the file says then. Raises AnnotationsNotSaved."""
    added, removed = set(add), set(remove)
    return _edit_tags(file, lambda tags: (tags | added) - removed)


def set_tags(file: SessionFile, tags: Iterable[str]) -> Fields:
    """Keep these tags and no others; give what the file says then. Raises AnnotationsNotSaved."""
    wanted = set(tags)
    return _edit_tags(file, lambda _: wanted)


def _edit_tags(file: SessionFile, change: Callable[[set[str]], set[str]]) -> Fields:
    def edit(fields: Fields) -> None:
        tags = sorted(change(set(tags_in(fields))))[:MOST_TAGS]
        if tags:
            fields[_TAGS] = tags
        else:
            fields.pop(_TAGS, None)

    return file.change(edit)
