"""Which keys of a row are read, so that the raw view can mark the others."""

from collections.abc import Mapping, Sequence

import orjson

from agentview.normalize.json_fields import mapping

_NONE: Mapping[str, object] = {}


def _keys(words: str, **inner: Mapping[str, object]) -> Mapping[str, object]:
    return {**dict.fromkeys(words.split(), _NONE), **inner}


_READ = _keys(
    "table rowid id parent_id directory title version time_created time_updated message_id role",
    data=_keys(
        "role modelID mode cost reason type text synthetic ignored mime filename callID tool auto "
        "prompt",
        model=_keys("modelID"),
        path=_keys("cwd"),
        tokens=_keys("input output reasoning", cache=_keys("read write")),
        error=_keys("name", data=_keys("message")),
        time=_keys("start end"),
        source=_keys("path"),
        state=_keys(
            "status input raw title output error attachments metadata", time=_keys("start end")
        ),
    ),
)
"""All keys that are read; what is below an empty one is read whole or not looked into."""


def unused_keys(record: bytes) -> Sequence[str]:
    """JSON pointers of the keys of a row that nothing reads."""
    try:
        fields = mapping(orjson.loads(record))
    except ValueError:
        return ()
    return tuple(_unread(fields, _READ, ""))


def _unread(fields: Mapping[str, object], read: Mapping[str, object], above: str) -> list[str]:
    found: list[str] = []
    for key, value in fields.items():
        pointer = f"{above}/{key.replace('~', '~0').replace('/', '~1')}"
        inner = read.get(key)
        if inner is None:
            found.append(pointer)
        elif inner:
            found += _unread(mapping(value), mapping(inner), pointer)
    return found
