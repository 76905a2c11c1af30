"""Which keys of a row are read, so that the raw view can mark the others."""

from collections.abc import Sequence

import orjson

from agentview.providers._kit.read_keys import keys, unread

_READ = keys(
    "table rowid id parent_id directory title version time_created time_updated message_id role",
    data=keys(
        "role modelID mode cost reason type text synthetic ignored mime filename callID tool auto "
        "prompt",
        model=keys("modelID"),
        path=keys("cwd"),
        tokens=keys("input output reasoning", cache=keys("read write")),
        error=keys("name", data=keys("message")),
        time=keys("start end"),
        source=keys("path"),
        state=keys(
            "status input raw title output error attachments metadata", time=keys("start end")
        ),
    ),
)
"""All keys that are read; a value without inner ones is read whole or not looked into."""


def unused_keys(record: bytes) -> Sequence[str]:
    """JSON pointers of the keys of a row that nothing reads."""
    try:
        value: object = orjson.loads(record)
    except ValueError:
        return ()
    return tuple(unread(value, _READ))
