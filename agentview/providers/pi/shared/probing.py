"""Whether a record is one of a session of this family, by keys that belong together."""

import re
from collections.abc import Mapping

import orjson

from agentview.normalize.json_values import Fields, fields_of
from agentview.providers._kit.discovery import PROBED_LINES, probe_records
from agentview.providers._kit.signatures import Signature, Test, confidence_in

_LIKELY = 0.85
_ID = re.compile(
    rb'\A\s*\{\s*"type"\s*:\s*"session"\s*,(?:\s*"version"\s*:\s*\d+\s*,)?\s*"id"\s*:\s*"([^"\\]+)"'
)
_PRINTED = frozenset({"message_start", "message_update", "message_end", "turn_end"})
"""Types of printed records that have a message."""
_SESSION: Mapping[str, Test] = {"type": "session", "id": str}
_OWN_ROLES = {"bashExecution", "hookMessage", "branchSummary", "compactionSummary"}
"""Roles of messages that only this family has."""
_MESSAGES: tuple[tuple[Mapping[str, Test], set[str]], ...] = (
    ({"message/role": "assistant"}, {"content", "provider", "model", "stopReason", "usage"}),
    ({"message/role": "toolResult"}, {"toolCallId", "toolName", "isError"}),
    ({"message/role": _OWN_ROLES}, {"timestamp"}),
)
"""Signatures of the messages of this family."""


def _chained(values: Mapping[str, Test], keys: set[str]) -> tuple[Signature, ...]:
    """Entries: before version 2 they have no ids."""
    return (
        Signature(_LIKELY, {**values, "timestamp": str}, keys=keys),
        Signature(_LIKELY, values, keys=keys | {"id", "parentId"}),
    )


def _forms(values: Mapping[str, Test], keys: set[str]) -> tuple[Signature, ...]:
    inside = {f"message/{key}" for key in keys}
    printed = Signature(_LIKELY, {"type": _PRINTED, **values}, keys=inside)
    return (printed, *_chained({"type": "message", **values}, inside))


_SIGNATURES = (
    *(
        Signature(_LIKELY, {**_SESSION, dated: str}, keys=keys)
        for dated in ("timestamp", "cwd")
        for keys in ({"version"}, {"provider", "modelId"})
    ),
    *(each for values, keys in _MESSAGES for each in _forms(values, keys)),
)


def _is_entry_type(kind: object) -> bool:
    # Imported here: few files get this far.
    from agentview.providers.pi.shared.entries import ENTRY_TYPES

    return isinstance(kind, str) and kind in ENTRY_TYPES - {"message"}


_ENTRIES = (
    Signature(_LIKELY, {"type": _PRINTED | {"agent_start", "turn_start"}}),
    *_chained({"type": "message", "message": dict}, set()),
    *_chained({"type": _is_entry_type}, set()),
)
"""Signatures of what may follow the first record of a session."""


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
    known = any(confidence_in(entry, _ENTRIES) for entry in entries)
    return begun if known or not entries else 0.0


def _probe_record(record: Fields) -> float:
    return confidence_in(record, _SIGNATURES)


def _fields(line: bytes) -> Fields:
    try:
        return fields_of(orjson.loads(line.strip(b"\x00 \t\r")))
    except ValueError:
        return {}
