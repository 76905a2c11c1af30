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
from agentview.providers._kit.signatures import Signature, SignatureTable
from agentview.providers._kit.typed_values import read_as
from agentview.providers.base import CERTAIN, HEAD_BYTES
from agentview.providers.openai_agents.database import DATABASE
from agentview.providers.openai_agents.schema import Export
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
    return max(map(_FORMS.confidence, _exports(line)), default=0.0)


_FORMS = SignatureTable(
    Signature(CERTAIN, {"object": "trace", "id": re.compile("(?s)trace_.*")}, {"workflow_name"}),
    Signature(CERTAIN, {"object": "trace.span", "id": re.compile("(?s)span_.*")}, {"span_data"}),
    Signature(CERTAIN, {"type": STREAMED}, {"sequence_number"}),
)


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
                export = read_as(each, Export)
                trace = export.id if export.object == "trace" else None
                response = export.response.id if export.response is not None else None
                own = export.group_id or export.trace_id or trace or response
                if own:
                    return replace(ref, session_id=own)
        return ref


DISCOVERY = Runs("openai_agents", DATABASE)
