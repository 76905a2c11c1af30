"""Where sessions are: a database for each agent, or older a file for each session."""

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.normalize.json_values import Fields, text_of
from agentview.providers._kit.database_logs import DatabaseLogs
from agentview.providers._kit.discovery import HEAD_BYTES, probe_lines
from agentview.providers.pi.openclaw.database import DATABASE
from agentview.providers.pi.shared.probing import probe_line, session_id
from agentview.sources.files import files_below, read_part
from agentview.sources.member import Member, member_of

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

    def session_at(self, path: Path) -> SessionRef | None:
        """The session in a database, in a file of its rows, or in a file of entries."""
        found = super().session_at(path)
        if found is not None or member_of(path) is not None:
            return found
        head = read_part(path, 0, HEAD_BYTES)
        return self._saved(path, head) if probe_lines(head, probe_line) > 0 else None

    def saved_session(self, rows: Sequence[Fields]) -> Fields:
        """Return what the list of sessions would say, as far as the first saved rows have it."""
        none: Fields = {}
        row = next((row for row in rows if text_of(row.get("table")) == self.session_table), none)
        return {"id": text_of(row.get("session_id")), "parent": text_of(row.get("parent"))}

    def _saved(self, path: Path, head: bytes) -> SessionRef:
        own = session_id(head)
        return self._ref(path, {"id": own}) if own is not None else super()._saved(path, head)


DISCOVERY = OpenClawLogs("openclaw", DATABASE)
