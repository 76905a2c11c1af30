"""How older versions keep sessions: `sessions/session_<id>.json`, one document for each.

Source: public logs that people wrote for tests. A document is given as the rows of the tables that
came later, so that the rules for those apply. Its messages have no times.
"""

from collections.abc import Iterator, Mapping, Sequence

from agentview.normalize.json_fields import mapping, text, to_json
from agentview.normalize.json_values import Fields, fields_of, items_of, local_time_of
from agentview.providers._kit.json_documents import members_of
from agentview.providers.hermes.database import DATABASE
from agentview.sources.member import Archive, Container

_MARKS = frozenset({"session_id", "session_start"})
_TABLES = {table.name: tuple(table.columns) for table in DATABASE.tables}


def _begins(head: bytes) -> bool:
    return b'"session_start"' in head and members_of(head).keys() >= _MARKS


def _sessions(container: Container) -> Sequence[Mapping[str, object]]:
    document = fields_of(container.document)
    if text(document, "session_id") is None:
        return ()
    session = _session(document)
    written = local_time_of(document.get("last_updated"))
    return ({**session, "parent": session["parent_id"], "modified": written},)


def _lines(container: Container, session: str) -> Iterator[bytes]:
    """The rows of a session: of itself, and of each message."""
    _ = session
    for row in _rows(fields_of(container.document)):
        yield to_json(row).encode("utf-8", "replace")


def _rows(document: Fields) -> Iterator[Fields]:
    yield {"table": "sessions", "rowid": 1, **_session(document)}
    for at, message in enumerate(items_of(document.get("messages")), 1):
        yield {"table": "messages", "rowid": at, **_message(at, fields_of(message))}


def _session(document: Fields) -> dict[str, object]:
    settings = mapping(document.get("model_config"))
    row = {key: document.get(key) for key in _TABLES["sessions"]}
    above = text(document, "parent_session_id")
    row.update(
        id=text(document, "session_id"),
        parent_id=above if document.get("platform") == "subagent" else None,
        continues=above,
        source=document.get("platform"),
        cwd=text(document, "cwd") or text(settings, "cwd"),
        started_at=local_time_of(document.get("session_start")),
    )
    return row


def _message(at: int, message: Fields) -> dict[str, object]:
    row = {key: message.get(key) for key in _TABLES["messages"]}
    content = message.get("content")
    from agentview.providers.hermes.decode import LISTED

    row.update(
        id=at,
        timestamp=local_time_of(message.get("timestamp")),
        content=LISTED + to_json(parts) if (parts := items_of(content)) else content,
        reasoning=message.get("reasoning_content") or message.get("reasoning"),
    )
    return row


ARCHIVE = Archive(begins=_begins, sessions=_sessions, lines=_lines)
