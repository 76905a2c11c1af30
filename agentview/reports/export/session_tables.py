"""Makes the rows of a session for tables."""

from typing import cast

from agentview.facts.edits.operations import FileStep
from agentview.facts.edits.session_changes import SessionChanges
from agentview.redaction.values import masked_value
from agentview.reports.export.document.entries import added_to, heading_of
from agentview.reports.export.document.json_document import UNMASKED
from agentview.reports.export.session_data import SessionData
from agentview.reports.export.tables import SessionTables
from agentview.sessions.following.whole_session import load_session


def session_tables(data: SessionData, host: str, login: str, *, mask: bool) -> SessionTables:
    """The tables of a session that was read with the same `mask`. Raises AgentViewError."""
    hide = masked_value if mask else UNMASKED
    changes = SessionChanges(load_session(data.ref))
    changes.finish()
    steps = [cast("FileStep", hide(step)) for file in changes.files.values() for step in file.steps]
    return SessionTables(
        data=data,
        heading=heading_of(data.ref, added_to(data.ref, hide), hide),
        steps=steps,
        host=host,
        login=login,
    )
