"""Whether a record is one of a session of this family, by keys that belong together."""

import re

import orjson

from agentview.normalize.json_values import Fields, fields_of, text_of
from agentview.providers._kit.discovery import PROBED_LINES, probe_records

_LIKELY = 0.85
_ID = re.compile(
    rb'\A\s*\{\s*"type"\s*:\s*"session"\s*,(?:\s*"version"\s*:\s*\d+\s*,)?\s*"id"\s*:\s*"([^"\\]+)"'
)
_PRINTED = frozenset({"message_start", "message_update", "message_end", "turn_end"})
"""Types of printed records that have a message."""
_PRINTED_FIRST = _PRINTED | {"agent_start", "turn_start"}
"""Types of records that are printed behind the first."""
_COMMON_ROLES = frozenset({"user", "assistant", "system", "developer", "custom"})
"""Roles of messages that other programs have too."""


def session_id(head: bytes) -> str | None:
    """The id that the first record of a file states."""
    found = _ID.match(head.lstrip(b"\xef\xbb\xbf\x00"))
    return found[1].decode("utf-8", "replace") if found is not None else None


def probe_entries(head: bytes) -> float:
    """Confidence that a file which begins with `head` has entries of this family, never certain.

    Others begin a session alike: an entry that follows has to be one that the family writes.
    """
    first, _, rest = head.lstrip(b"\xef\xbb\xbf\x00 \r\n").partition(b"\n")
    record = _fields(first)
    begun = _probe_record(record)
    if not begun or record.get("type") != "session":
        return begun or probe_records(rest, _probe_record, most=PROBED_LINES - 1)
    entries = [fields for fields in map(_fields, rest.split(b"\n", PROBED_LINES)) if fields]
    return begun if not entries or any(map(_is_entry, entries)) else 0.0


def _fields(line: bytes) -> Fields:
    try:
        return fields_of(orjson.loads(line.strip(b"\x00 \t\r")))
    except ValueError:
        return {}


def _is_entry(fields: Fields) -> bool:
    """Return True if it has the keys of an entry; before version 2, entries have no ids."""
    # Imported here: few files get this far.
    from agentview.providers.pi.shared.entries import ENTRY_TYPES

    kind = fields.get("type")
    if kind in _PRINTED_FIRST:
        return True
    chained = isinstance(fields.get("timestamp"), str) or {"id", "parentId"} <= set(fields)
    said = kind != "message" or isinstance(fields.get("message"), dict)
    return chained and said and kind in ENTRY_TYPES


def _probe_record(record: Fields) -> float:
    """By keys that belong together: a single one may be in the log of any program."""
    kind = text_of(record.get("type")) or ""
    if kind == "session":
        texts = [isinstance(record.get(key), str) for key in ("id", "timestamp", "cwd")]
        known = "version" in record or {"provider", "modelId"} <= set(record)
        return _LIKELY if texts[0] and any(texts[1:]) and known else 0.0
    message = fields_of(record.get("message"))
    if kind in _PRINTED:
        return _LIKELY if _is_message(message) else 0.0
    chained = isinstance(record.get("timestamp"), str) or {"id", "parentId"} <= set(record)
    return _LIKELY if chained and kind == "message" and _is_message(message) else 0.0


def _is_message(message: Fields) -> bool:
    """Return True if a message has what those of this client have, and no others."""
    role = message.get("role")
    if role == "assistant":
        return {"content", "provider", "model", "stopReason", "usage"} <= set(message)
    if role == "toolResult":
        return {"toolCallId", "toolName", "isError"} <= set(message)
    if not isinstance(role, str) or role in _COMMON_ROLES or "timestamp" not in message:
        return False
    # Imported here: few files get this far.
    from agentview.providers.pi.shared.messages import ROLES

    return role in ROLES
