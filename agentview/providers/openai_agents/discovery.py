"""Whether a file is an export of the SDK, and which run it is of; databases by their tables."""

import re
from collections.abc import Sequence
from pathlib import Path

import orjson
from msgspec.structs import replace

from agentview.domain.session import SessionRef
from agentview.normalize.json_values import Fields, fields_of, items_of, text_of
from agentview.providers._kit.database_logs import DatabaseLogs
from agentview.providers._kit.discovery import probe_lines
from agentview.providers.base import CERTAIN, HEAD_BYTES
from agentview.providers.openai_agents.database import DATABASE
from agentview.sources.files import read_part
from agentview.sources.member import member_of

STREAMED = re.compile(r"response\.[a-z_.]{3,60}|error")
"""Types of the events that the Responses API streams."""


def _exports(line: bytes) -> list[Fields]:
    """The objects that a line exports: a trace, a span, or several of them."""
    try:
        fields = fields_of(orjson.loads(line.strip(b"\x00 \t\r")))
    except ValueError:
        return []
    return [fields_of(item) for item in items_of(fields.get("data"))] or [fields]


def _probe_line(line: bytes) -> float:
    if b'"trace' not in line and b'"response.' not in line:
        return 0.0
    return max((_confidence(each) for each in _exports(line)), default=0.0)


def _confidence(fields: Fields) -> float:
    kind, own = text_of(fields.get("object")), text_of(fields.get("id")) or ""
    if kind == "trace" and "workflow_name" in fields and own.startswith("trace_"):
        return CERTAIN
    if kind == "trace.span" and "span_data" in fields and own.startswith("span_"):
        return CERTAIN
    streamed = STREAMED.fullmatch(text_of(fields.get("type")) or "") is not None
    return CERTAIN if streamed and "sequence_number" in fields else 0.0


class Runs(DatabaseLogs):
    """Databases, and files that a program exported to; they are where somebody put them."""

    endings = (".db", ".sqlite", ".sqlite3")
    session_table = "agent_sessions"

    def probe(self, head: bytes, path: Path) -> float:
        return super().probe(head, path) or probe_lines(head, _probe_line)

    def session_at(self, path: Path) -> SessionRef | None:
        """The session in a database, or in a file of rows or of exports."""
        found = super().session_at(path)
        return self._named(found) if found is not None else None

    def ref(self, path: Path) -> SessionRef:
        return self._named(super().ref(path))

    def saved_session(self, rows: Sequence[Fields]) -> Fields:
        return {"id": next((text_of(row.get("session_id")) for row in rows), None)}

    def _named(self, ref: SessionRef) -> SessionRef:
        """With the group of an exported trace as its id, else the trace."""
        path = Path(ref.path)
        if member_of(path) is not None:
            return ref
        for line in read_part(path, 0, HEAD_BYTES).split(b"\n", 8)[:8]:
            for each in _exports(line):
                response = text_of(fields_of(each.get("response")).get("id"))
                trace = text_of(each.get("id")) if each.get("object") == "trace" else None
                own = text_of(each.get("group_id")) or text_of(each.get("trace_id")) or trace
                if own is not None or response is not None:
                    return replace(ref, session_id=own or response or ref.session_id)
        return ref


DISCOVERY = Runs("openai_agents", DATABASE)
