"""Sets the star, own title and tags of a session in a list, and hides it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from agentview.domain.session import SessionRef
from agentview.sessions.annotations.session_file import AnnotationsNotSaved, Fields, SessionFile
from agentview.sessions.annotations.session_marks import (
    TAG_RULE,
    set_hidden,
    set_star,
    set_tags,
    set_title,
    tag_of,
)

TITLE_HINT = "empty: the title of the log; esc cancels"
"""Shown in the line for a title while it is empty."""
TAGS_HINT = "words; empty: no tags; esc cancels"
"""Shown in the line for tags while it is empty."""


class SessionMarks:
    """Writes in a thread; `say` takes what came of it, `written` is awaited then."""

    def __init__(self, say: Callable[[str], None], written: Callable[[], Awaitable[None]]) -> None:
        self._say = say
        self._written = written

    async def toggle_star(self, ref: SessionRef, *, starred: bool) -> None:
        """Set the star of a session, or remove it where it is `starred`."""
        starred = not starred
        said = "star set; is:starred filters by it" if starred else "star removed"
        await self._write(ref, lambda file: set_star(file, starred=starred), said)

    async def set_title(self, ref: SessionRef, title: str) -> None:
        """Give a session a title; an empty one gives it that of its log back."""
        said = "title set" if title.strip() else "title of the log"
        await self._write(ref, lambda file: set_title(file, title), said)

    def tags_of(self, line: str) -> Sequence[str] | None:
        """The tags of a line; None, which is said, where a word is none."""
        tags: list[str] = []
        for word in line.split():
            if (tag := tag_of(word)) is None:
                self._say(f'not a tag: "{word}"; {TAG_RULE}')
                return None
            tags.append(tag)
        return tags

    async def set_tags(self, ref: SessionRef, tags: Sequence[str]) -> None:
        """Give a session these tags, and no others."""
        said = "tags set; tag:NAME filters by them" if tags else "no tags"
        await self._write(ref, lambda file: set_tags(file, tags), said)

    async def toggle_hidden(self, ref: SessionRef, *, hidden: bool) -> None:
        """Hide a session from lists, or show it again where it is `hidden`."""
        said = "shown again" if hidden else "hidden; is:hidden lists it, H shows it again"
        await self._write(ref, lambda file: set_hidden(file, hidden=not hidden), said)

    async def _write(
        self, ref: SessionRef, step: Callable[[SessionFile], Fields], said: str
    ) -> None:
        if is_subagent(ref):
            self._say("stars, titles and tags are of sessions, not of subagents")
            return
        try:
            await asyncio.to_thread(step, SessionFile(ref.provider, ref.session_id))
        except AnnotationsNotSaved as error:
            self._say(f"not saved: {error.message}")
            return
        self._say(said)
        await self._written()


def is_subagent(ref: SessionRef) -> bool:
    """Return True if a log is of a subagent, to which nothing can be added."""
    return ref.parent_id is not None or bool(ref.stream.id)
