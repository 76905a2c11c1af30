"""Marks of the person on the open session: notes, the star, an own title; a line to type them."""

from collections.abc import Callable, Mapping
from typing import ClassVar

from msgspec.structs import replace
from textual import on
from textual.containers import Vertical

from agentview.domain.annotations import Note
from agentview.sessions.annotations.notes import notes_in, set_note
from agentview.sessions.annotations.session_file import Fields
from agentview.sessions.annotations.session_marks import is_starred, own_title, set_star, set_title
from agentview.timeline.view.header import HeaderFacts
from agentview.ui.timeline.annotation_file import AnnotationFile
from agentview.ui.timeline.bookmarks import Bookmarks
from agentview.ui.timeline.timeline_view import TimelineView
from agentview.ui.widgets.prompt_line import InputLine
from agentview.ui.widgets.status_line import StatusLine


class OwnMarks:
    """Notes, star and title of one session, as they are kept and as they were just set."""

    def __init__(
        self,
        timeline: TimelineView,
        status: StatusLine,
        bookmarks: Bookmarks,
        file: AnnotationFile,
        clock: Callable[[], float],
        changed: Callable[[], None],
    ) -> None:
        """`changed` is called when the header is to show something else."""
        self._timeline = timeline
        self._status = status
        self._bookmarks = bookmarks
        self._file = file
        self._clock = clock
        self._changed = changed
        self._notes: Mapping[str, Note] = {}
        self.title: str | None = None
        """The own title; None where the session has none."""
        self.starred = False
        file.takers.append(self._take)

    def _take(self, fields: Fields | None) -> None:
        if fields is None:
            return
        before, self._notes = self._notes, notes_in(fields)
        if before != self._notes:
            self._timeline.lay_out_again()
        shown = own_title(fields), is_starred(fields)
        if shown != (self.title, self.starred):
            self.title, self.starred = shown
            self._changed()

    def headed(self, facts: HeaderFacts) -> HeaderFacts:
        return facts if self.title is None else replace(facts, title=self.title)

    def note_of(self, event: str) -> str:
        """The note at an event; empty where there is none."""
        note = self._notes.get(event)
        return "" if note is None else note.text

    def rows_with(self, query: str) -> list[int]:
        """The rows whose notes fulfil a query of words, as far as their places are known."""
        from agentview.query.parser import parse_query
        from agentview.query.text_matcher import TextMatcher
        from agentview.query.vocabulary import Surface

        parsed = parse_query(query, Surface.ACTIVITIES)
        matchers = [TextMatcher(term) for term in parsed.texts]
        if not matchers or parsed.fields or any(term.negative for term in parsed.texts):
            return []
        rows = (
            self._bookmarks.row_of(event)
            for event, note in self._notes.items()
            if all(matcher.finds([note.text]) for matcher in matchers)
        )
        return [row for row in rows if row is not None]

    # What is set

    def set_note(self, row: int, text: str) -> None:
        """Keep a note at a row; an empty one removes it."""
        note = Note(self._bookmarks.place(row), text, self._clock())
        self._file.submit(lambda: set_note(self._file.file, note))
        self._status.say("note saved; ' returns to it" if text.strip() else "no note here")

    def toggle_star(self) -> None:
        """Set the star of the session, or remove it."""
        starred = not self.starred
        self._file.submit(lambda: set_star(self._file.file, starred=starred))
        self._status.say("star set" if starred else "star removed")

    def set_title(self, title: str) -> None:
        """Give the session a title; an empty one gives it that of its log back."""
        self._file.submit(lambda: set_title(self._file.file, title))
        self._status.say("title set" if title.strip() else "title of the log")


_NOTE, _TITLE = "note", "title"


class OwnMarksBar(Vertical):
    """The line that notes and titles are typed in; takes no room until it is asked for."""

    DEFAULT_CSS: ClassVar[str] = """
    OwnMarksBar { height: auto; }
    """

    def __init__(self, marks: OwnMarks, done: Callable[[], None]) -> None:
        """`done` is called when the line is left."""
        super().__init__()
        self._marks = marks
        self._done = done
        self._row: int | None = None

    async def note(self, row: int, text: str) -> None:
        """Let the person type the note of a row, which begins as `text`."""
        self._row = row
        await self._ask(InputLine("note", text, "empty: no note; esc cancels", id=_NOTE))

    async def title(self) -> None:
        """Let the person type a title for the session."""
        hint = "empty: the title of the log; esc cancels"
        await self._ask(InputLine("title", self._marks.title or "", hint, id=_TITLE))

    async def _ask(self, line: InputLine) -> None:
        await self.remove_children()
        await self.mount(line)
        line.start()

    @on(InputLine.Changed)
    @on(InputLine.Stepped)
    def _typed(self, event: InputLine.Changed | InputLine.Stepped) -> None:
        event.stop()

    @on(InputLine.Submitted)
    async def _submitted(self, event: InputLine.Submitted) -> None:
        event.stop()
        await event.line.remove()
        if event.line.id == _TITLE:
            self._marks.set_title(event.value)
        elif self._row is not None:
            self._marks.set_note(self._row, event.value)
        self._done()

    @on(InputLine.Cancelled)
    async def _cancelled(self, event: InputLine.Cancelled) -> None:
        event.stop()
        await event.line.remove()
        self._done()
