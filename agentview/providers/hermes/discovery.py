"""Where sessions are: one database for all of them, and the documents of older versions."""

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from agentview.normalize.json_fields import text
from agentview.normalize.json_values import Fields
from agentview.providers._kit.database_logs import DatabaseLogs
from agentview.providers.hermes.archive import ARCHIVE
from agentview.providers.hermes.database import DATABASE
from agentview.sources.files import files_below
from agentview.sources.member import Member

_DOCUMENT = ".json"
_DOCUMENTS = "sessions"
"""The folder of them in that of the client, where other documents have keys."""


class HermesFolder(DatabaseLogs):
    """The sessions of the client's database, and of documents."""

    endings = ("state.db",)
    session_table = "sessions"
    optional: Mapping[str, Collection[str]] = {
        "sessions": tuple(key for key in DATABASE.tables[0].columns if key.startswith("all_")),
        "messages": ("kept", "undone", "observed"),
    }

    def files(self, root: Path) -> Iterable["os.DirEntry[str] | Member"]:
        """The sessions of a database, and those of documents that are in none."""
        yield from super().files(root)
        if root.is_file() or (root / _DOCUMENTS).is_dir() or (root / "state.db").is_file():
            return
        rows = self._rows(str(root.parent / "state.db"))
        known = {text(row, "id") for row in rows}
        for entry in files_below(root, (_DOCUMENT,), depth=0):
            yield from (each for each in self._members(entry.path) if each.name not in known)

    def _rows(
        self, database: str, *, own: str | None = None, parent: str | None = None
    ) -> Sequence[Fields]:
        if not database.endswith(_DOCUMENT):
            return super()._rows(database, own=own, parent=parent)
        # Imported here: the library asks each provider for its files, and most have no archive.
        from agentview.sources.archive import sessions_in_archive

        return [
            row
            for row in sessions_in_archive(database, ARCHIVE)
            if own in (None, text(row, "id")) and parent in (None, text(row, "parent"))
        ]


DISCOVERY = HermesFolder("hermes", DATABASE)
