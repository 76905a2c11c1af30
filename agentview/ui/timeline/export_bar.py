"""The line in which the person names the file that the session is exported to."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.containers import Vertical
from textual.message import Message

from agentview.domain.session import SessionRef
from agentview.reports.export.document.request import ExportRequest, Form, Frame, form_of
from agentview.timeline.view.header import OpenSession
from agentview.ui.timeline.timeline_view import TimelineView
from agentview.ui.widgets.prompt_line import InputLine

_HINT = "a file: .html .md .json .svg"
_ID = 8
_NAME = 40
"""Characters of a title that a name of a file has."""


class ExportBar(Vertical):
    """Takes no room until it is asked for a line."""

    DEFAULT_CSS: ClassVar[str] = """
    ExportBar { height: auto; }
    """

    @dataclass
    class Submitted(Message):
        """The person wants a session in a file, which is not there yet, without its secrets."""

        session: SessionRef
        wanted: ExportRequest
        path: Path

    def __init__(
        self,
        session: OpenSession,
        timeline: TimelineView,
        say: Callable[[str], None],
        done: Callable[[], None],
    ) -> None:
        """`done` is called when the line is left."""
        super().__init__()
        self._session = session
        self._timeline = timeline
        self._say = say
        self._done = done

    async def ask(self, title: str | None) -> None:
        """Let the person name the file; it is proposed by a title and the id of the session."""
        await self.remove_children()
        line = InputLine("export to", f"./{_name(title, self._session)}", _HINT, id="export")
        await self.mount(line)
        line.start()
        self._say("secrets are masked; the ending is the format: .html .md .json .svg")

    @on(InputLine.Changed)
    @on(InputLine.Stepped)
    def _typed(self, event: InputLine.Changed | InputLine.Stepped) -> None:
        event.stop()

    @on(InputLine.Submitted)
    async def _submitted(self, event: InputLine.Submitted) -> None:
        event.stop()
        name = event.value.strip()
        form, path = form_of(name), _path(name)
        trouble = (
            "" if not name
            else f"unknown form: {name}; use .html, .md, .json or .svg" if form is None
            else f"{path} is there already; give another name" if path.exists()
            else f"no such directory: {path.parent}" if not path.parent.is_dir()
            else None
        )  # fmt: skip
        if trouble:
            self._say(trouble)
            return
        await event.line.remove()
        if trouble is None and form is not None:
            wanted = ExportRequest(form=form, frame=self._frame())
            self.post_message(self.Submitted(self._session.ref, wanted, path))
        self._done()

    def _frame(self) -> Frame:
        """Return the screen's content, for a picture."""
        timeline = self._timeline
        first = timeline.first_visible
        store = self._session.store
        return Frame(
            columns=min(400, max(20, timeline.size.width)),
            last=max(1, timeline.size.height),
            event=None if first is None else str(store.activity(first).first.id),
            theme=self.app.theme,  # pyright: ignore[reportUnknownMemberType]
        )

    @on(InputLine.Cancelled)
    async def _cancelled(self, event: InputLine.Cancelled) -> None:
        event.stop()
        await event.line.remove()
        self._done()


def _path(name: str) -> Path:
    try:
        return Path(name).expanduser().absolute()
    except RuntimeError:
        return Path(name).absolute()


def _name(title: str | None, session: OpenSession) -> str:
    """A name that no file has yet: words of the title, and the begin of the id."""
    from agentview.redaction.secrets import masked

    words = re.sub(r"[^a-z0-9]+", "-", masked(title or "").lower())[:_NAME].strip("-")
    ident = re.sub(r"[^A-Za-z0-9]+", "", session.ref.own_id)[:_ID]
    stem = "-".join(filter(None, (words or "session", ident)))
    name, number = f"{stem}.{Form.HTML.value}", 1
    while Path(name).exists():
        number += 1
        name = f"{stem}-{number}.{Form.HTML.value}"
    return name
