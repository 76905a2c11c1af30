"""Where sessions are: a database for each agent, or older a file for each session."""

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.normalize.json_values import Fields, text_of
from agentview.providers._kit.database_logs import DatabaseLogs
from agentview.providers.base import CERTAIN
from agentview.providers.pi.openclaw.database import DATABASE
from agentview.providers.pi.shared.probing import probe_entries, session_id
from agentview.sources.files import files_below
from agentview.sources.member import Member

_OWN = re.compile(
    rb'"(?:customType"\s*:\s*"(?:model-snapshot"|openclaw[.:])|provider"\s*:\s*"openclaw")'
)
"""Marks that only this client puts into entries: its own kinds, and messages it makes itself."""
_SHARED = 0.5
"""Confidence in entries that may be Pi's."""
_DEPTH = 3
"""Folders below the one of all agents: that of an agent, and one in it."""


class OpenClawLogs(DatabaseLogs):
    """`AGENT/agent/openclaw-agent.sqlite`, and of versions before it `AGENT/sessions/*.jsonl`."""

    endings = ("openclaw-agent.sqlite",)
    session_table = "session_windows"
    optional: Mapping[str, Collection[str]] = {
        "session_windows": ("previous_session_id", "reason", "status", "model", "parent", "name"),
        "transcript_events": ("event_json", "event_zstd"),
    }

    def probe(self, head: bytes, path: Path) -> float:
        """By the rows of the database; of entries, which Pi writes too, by those of this client."""
        found = super().probe(head, path)
        if found or not probe_entries(head):
            return found
        return CERTAIN if _OWN.search(head) is not None else _SHARED

    def files(self, root: Path) -> Iterable["os.DirEntry[str] | Member"]:
        """The sessions of a database, or of all databases and files below a folder."""
        if root.is_file():
            yield from super().files(root)
            return
        for entry in files_below(root, (*self.endings, ".jsonl"), depth=_DEPTH):
            if entry.name.endswith(self.endings):
                yield from super().files(Path(entry.path))
            else:
                yield entry

    def saved_session(self, rows: Sequence[Fields]) -> Fields:
        """Return the session as the list would have it, as far as the first saved rows say it."""
        none: Fields = {}
        row = next((row for row in rows if text_of(row.get("table")) == self.session_table), none)
        return {"id": text_of(row.get("session_id")), "parent": text_of(row.get("parent"))}

    def _saved(self, path: Path, head: bytes) -> SessionRef:
        own = session_id(head)
        return self._ref(path, {"id": own}) if own is not None else super()._saved(path, head)


DISCOVERY = OpenClawLogs("openclaw", DATABASE)
