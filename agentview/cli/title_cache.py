"""Titles made while a log is read, as long as its records are at hand: each is decoded once."""

from array import array
from collections.abc import Container, Iterable

from agentview.cli.title_lines import TitleLines
from agentview.domain.activity import Kind
from agentview.domain.tools import ToolKind
from agentview.store.changes import RowsChanged
from agentview.store.session_store import SessionStore

KEPT_BYTES = 64 * 1024 * 1024
"""Memory for the texts of titles; those that come after are made when they are asked for."""


class EarlyTitles:
    """The title lines of a session that is read from its start; attach it before the first record.

    A call gets its title when its result comes, and anew whenever its row changes. What another
    agent did shows in the title of the call that started it, so that these wait until all is read.
    """

    def __init__(
        self,
        store: SessionStore,
        lines: TitleLines,
        kinds: Container[Kind] | None,
        *,
        room: int = KEPT_BYTES,
    ) -> None:
        self._store = store
        self._lines = lines
        self._kinds = kinds
        self._room = room
        # Of each row, from 0 on, where its line begins in the texts; 0 is none.
        self._places = array("Q")
        self._texts = bytearray(b"\n")
        store.subscribe(self._changed)

    def line(self, row: int) -> str:
        """The title line of a row that is shown."""
        at = self._places[row] if row < len(self._places) else 0
        if at:
            return self._texts[at : self._texts.index(b"\n", at)].decode()
        return self._lines.line(self._store.activity(row))

    def _changed(self, change: RowsChanged) -> None:
        store, places = self._store, self._places
        places.frombytes(bytes(places.itemsize * change.appended))
        end = store.end
        self._make(change.updated)
        self._make(range(end - change.appended, end))

    def _make(self, rows: Iterable[int]) -> None:
        store, texts, places = self._store, self._texts, self._places
        for row in rows:
            places[row] = 0
            if len(texts) > self._room or not store.shown(row):
                continue
            kind = store.kind(row)
            if self._kinds is not None and kind not in self._kinds:
                continue
            if isinstance(kind, ToolKind) and (
                kind is ToolKind.SUBAGENT_TASK or not store.joined(row)
            ):
                continue
            places[row] = len(texts)
            texts += self._lines.line(store.activity(row)).encode()
            texts += b"\n"
