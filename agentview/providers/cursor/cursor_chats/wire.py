"""Reads what a chat keeps in the wire format of Protocol Buffers, as JSON for expressions of SQL.

Field numbers are those of `ConversationStateStructure` and `ConversationSummaryArchive`.
"""

import re
from collections.abc import Iterator

import orjson

from agentview.normalize.json_values import fields_of, without

_LONGEST = 32 * 1024 * 1024
"""Bytes of a blob that may be a state; the largest one seen has 35 thousand."""
_MESSAGES, _PENDING, _TOKENS, _FOLDERS, _ARCHIVES, _GIT = 1, 4, 5, 9, 13, 21
_ARCHIVED, _SUMMARY, _SUMMARY_MESSAGE = 1, 2, 4
_ID_BYTES = 32
_HEX = re.compile(r"(?:[0-9a-fA-F]{2})+")
_SECRET = "blobEncryptionKey"  # noqa: S105  (the name of the key)
_MORE = 0x80


def session_text(value: object) -> str | None:
    """The JSON of the row `meta`, which is written in hexadecimal digits, without its key.

    None for anything else.
    """
    if not isinstance(value, str) or _HEX.fullmatch(value) is None:
        return None
    try:
        fields = fields_of(orjson.loads(bytes.fromhex(value)))
    except ValueError:
        return None
    return orjson.dumps(without(fields, (_SECRET,))).decode() if fields else None


def state_text(data: object) -> str | None:
    """The state of a conversation as JSON: its messages, and what is known of its project.

    A message is the `id` of a blob; one with a call that still runs is a `text` of its own. None
    for data that is not such a state.
    """
    try:
        found = list(_fields(data))
    except ValueError:
        return None
    messages: list[object] = [{"id": each} for each in _ids(found, _MESSAGES)]
    messages += [{"text": each} for each in _texts(found, _PENDING)]
    used, most = _numbers(found, _TOKENS, (1, 2))
    folder, branch = _pair(found, _GIT)
    state = {
        "messages": messages,
        "archives": _ids(found, _ARCHIVES),
        "folders": _texts(found, _FOLDERS),
        "folder": folder,
        "branch": branch,
        "used": used,
        "most": most,
    }
    return orjson.dumps(state).decode()


def archive_text(data: object) -> str | None:
    """The summarized records, as JSON: ids of `messages`, the `summary`, its `message`."""
    try:
        found = list(_fields(data))
    except ValueError:
        return None
    summary = _texts(found, _SUMMARY)
    message = _ids(found, _SUMMARY_MESSAGE)
    archive = {
        "messages": _ids(found, _ARCHIVED),
        "summary": summary[0] if summary else None,
        "message": message[0] if message else None,
    }
    return orjson.dumps(archive).decode()


_Field = tuple[int, int | bytes]


def _fields(data: object) -> Iterator[_Field]:
    """Numbers and values of the fields of a message. Raises ValueError when it is none."""
    if not isinstance(data, bytes) or len(data) > _LONGEST:
        raise ValueError("not a message")
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        sort = key & 7
        if sort == 0:
            value, at = _varint(data, at)
            yield key >> 3, value
            continue
        if sort == 2:
            size, at = _varint(data, at)
        elif sort in (1, 5):
            size = 8 if sort == 1 else 4
        else:
            raise ValueError("not a sort of field")
        if at + size > len(data):
            raise ValueError("a field that is cut off")
        if sort == 2:
            yield key >> 3, data[at : at + size]
        at += size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data) and shift < 64:
        byte = data[at]
        value |= (byte & ~_MORE) << shift
        at, shift = at + 1, shift + 7
        if not byte & _MORE:
            return value, at
    raise ValueError("a number that is cut off")


def _ids(found: list[_Field], number: int) -> list[str]:
    return [
        value.hex()
        for key, value in found
        if key == number and isinstance(value, bytes) and len(value) == _ID_BYTES
    ]


def _texts(found: list[_Field], number: int) -> list[str]:
    return [
        value.decode("utf-8", "replace")
        for key, value in found
        if key == number and isinstance(value, bytes)
    ]


def _numbers(found: list[_Field], number: int, wanted: tuple[int, ...]) -> list[int | None]:
    """Numbers in the message that is a field."""
    inner: dict[int, int] = {}
    for key, value in found:
        if key == number and isinstance(value, bytes):
            inner |= {name: each for name, each in _fields(value) if isinstance(each, int)}
    return [inner.get(name) if inner.get(name, 0) < 1 << 53 else None for name in wanted]


def _pair(found: list[_Field], number: int) -> tuple[str | None, str | None]:
    """The two texts in the first message that is a field."""
    value = next((each for key, each in found if key == number and isinstance(each, bytes)), b"")
    inner = list(_fields(value))
    first, second = _texts(inner, 1), _texts(inner, 2)
    return first[0] if first else None, second[0] if second else None
