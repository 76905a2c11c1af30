"""How sessions are kept: `storage/session/<project>/<id>.json`, with messages in other folders.

Source: the client's public source before 1.2. Messages are in `storage/message/<session>`, parts in
`storage/part/<message>`, one object a file. They are given as rows of the tables that came later,
so that the rules for those apply. Times are milliseconds.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import orjson

from agentview.normalize.json_fields import mapping, number, text, to_json
from agentview.normalize.json_values import Fields, fields_of, time_of
from agentview.providers._kit.json_documents import members_of
from agentview.sources.files import is_file_name
from agentview.sources.member import Archive, Container, first_bytes

_MARKS = frozenset({"id", "projectID", "directory"})
_PLACES = frozenset({"id", "sessionID", "messageID"})
"""Members that a row has apart from its data."""
_LARGEST = 64 * 1024 * 1024
"""Bytes of a file that are read."""
_REFUSED = "permission to use this specific tool call."
_DEPTH = 2
"""Folders between a session's file and the one of all files."""


def session_of(head: bytes) -> Fields:
    """The session whose file begins with `head`; nothing where it is another file."""
    if b'"projectID"' not in head:
        return {}
    found = members_of(head)
    return found if found.keys() >= _MARKS and "role" not in found else {}


def _begins(head: bytes) -> bool:
    return bool(session_of(head))


def _sessions(container: Container) -> Sequence[Mapping[str, object]]:
    session = fields_of(container.document)
    own = text(session, "id")
    if not own:
        return ()
    updated = time_of(mapping(session.get("time")).get("updated"))
    return ({"id": own, "modified": updated},)


def _lines(container: Container, session: str) -> Iterator[bytes]:
    for row in _rows(Path(container.path), fields_of(container.document), session):
        yield to_json(row).encode("utf-8", "replace")


def _rows(path: Path, session: Fields, own: str) -> Iterator[Fields]:
    time = mapping(session.get("time"))
    yield {
        "table": "session",
        **session,
        "parent_id": session.get("parentID"),
        "time_created": time.get("created"),
        "time_updated": time.get("updated"),
    }
    above = path.absolute().parents
    if len(above) <= _DEPTH or above[1].name != "session":
        return
    storage = above[_DEPTH]
    messages = sorted(_objects(storage / "message", own), key=_created)
    triggers: dict[str, object] = {}
    for name, message in messages:
        if message is None:
            yield {"table": "a message that is not JSON", "id": name}
            continue
        parts = _objects(storage / "part", text(message, "id") or name)
        yield from _message_rows(name, message, parts, triggers)


def _message_rows(
    name: str,
    message: Fields,
    parts: Sequence[tuple[str, Fields | None]],
    triggers: dict[str, object],
) -> Iterator[Fields]:
    """The rows of a message and of its parts, behind which one stands that is complete."""
    own, time = text(message, "id") or name, mapping(message.get("time"))
    rows = list(_part_rows(own, message, parts, triggers))
    complete = time.get("completed") is not None
    row: dict[str, object] = {
        "table": "message",
        "id": own,
        "time_created": time.get("created"),
        "data": _data(message),
    }
    if complete:
        row["parts"] = len(parts)
        row["refused"] = int(any(_is_refused(part) for _, part in parts))
    yield from ([*rows, row] if complete else [row, *rows])


def _part_rows(
    message_id: str,
    message: Fields,
    parts: Sequence[tuple[str, Fields | None]],
    triggers: dict[str, object],
) -> Iterator[Fields]:
    now = mapping(message.get("time")).get("created")
    summary: Fields = {}
    if message.get("role") == "assistant" and message.get("summary") is True:
        asked = text(message, "parentID")
        summary = {"of": asked, "auto": triggers.get(asked or "")}
    for name, part in parts:
        if part is None:
            yield {"table": "a part that is not JSON", "id": name, "message_id": message_id}
            continue
        if part.get("type") == "compaction":
            triggers[message_id] = part.get("auto")
        time = mapping(part.get("time")) or mapping(mapping(part.get("state")).get("time"))
        # A part without a time of its own was written after the one in front of it.
        now = time.get("start") or now
        yield {
            "table": "part",
            "id": text(part, "id") or name,
            "message_id": message_id,
            "role": message.get("role"),
            "time_created": now,
            **({"summary": summary} if summary else {}),
            "data": _data(part),
        }
        now = time.get("end") or now


def _data(fields: Fields) -> Fields:
    return {key: value for key, value in fields.items() if key not in _PLACES}


def _is_refused(part: Fields | None) -> bool:
    state = mapping(mapping(part).get("state"))
    return (text(state, "error") or "").endswith(_REFUSED)


def _created(named: tuple[str, Fields | None]) -> tuple[int, str]:
    name, message = named
    return number(mapping(mapping(message).get("time")), "created") or 0, name


def _objects(folder: Path, own: str) -> list[tuple[str, Fields | None]]:
    """The objects in the files of a folder, by their names; None for what is not one.

    Links are not read.
    """
    place = folder / own
    if not is_file_name(own) or place.is_symlink():
        return []
    try:
        with os.scandir(place) as listed:
            entries = [each for each in listed if each.name.endswith(".json")]
            found = sorted(each.name for each in entries if each.is_file(follow_symlinks=False))
    except OSError:
        return []
    return [(name.removesuffix(".json"), _object(place / name)) for name in found]


def _object(path: Path) -> Fields | None:
    try:
        value: object = orjson.loads(first_bytes(path, _LARGEST))
    except ValueError:
        return None
    return fields_of(value) or None


ARCHIVE = Archive(begins=_begins, sessions=_sessions, lines=_lines)
