"""Where sessions are: one database for all of them, and files of older versions next to it."""

from collections.abc import Collection, Mapping
from pathlib import Path

import orjson

from agentview.normalize.json_values import fields_of, items_of, whole_of
from agentview.providers._kit.database_logs import DatabaseLogs
from agentview.providers.goose.database import DATABASE

_LIKELY = 0.96


class GooseFolder(DatabaseLogs):
    """The sessions of the database, and those that are files of lines."""

    endings = ("sessions.db",)
    session_table = "sessions"
    optional: Mapping[str, Collection[str]] = {
        "sessions": ("cost", "ledger"),
        "usage_ledger": ("cache_read_tokens", "cache_write_tokens"),
    }

    def probe(self, head: bytes, path: Path) -> float:
        return super().probe(head, path) or _older(head)


def _older(head: bytes) -> float:
    """Confidence that a file begins with the header of a session, or with a message of one."""
    first = head.lstrip(b"\xef\xbb\xbf").partition(b"\n")[0].strip()
    if not first.startswith(b"{"):
        return 0.0
    try:
        fields = fields_of(orjson.loads(first))
    except ValueError:
        return 0.0
    if isinstance(fields.get("working_dir"), str) and "message_count" in fields:
        return _LIKELY
    parts = items_of(fields.get("content"))
    named = fields.get("role") in ("user", "assistant") and whole_of(fields.get("created"))
    typed = parts and all(isinstance(fields_of(part).get("type"), str) for part in parts)
    return _LIKELY if named and typed and "type" not in fields else 0.0


DISCOVERY = GooseFolder("goose", DATABASE)
