"""The JSON object in a file next to a log, as a format declares it."""

from pathlib import Path
from typing import TypeVar

import orjson
from msgspec import Struct

from agentview.providers._kit.typed_values import read_as
from agentview.sources.files import read_part

_MOST_BYTES = 1 << 20

_Declared = TypeVar("_Declared", bound=Struct)


def read_file(path: Path, schema: type[_Declared]) -> _Declared:
    """An empty structure for a file that is missing, damaged or larger than 1 MiB."""
    try:
        return read_as(orjson.loads(read_part(path, 0, _MOST_BYTES)), schema)
    except (OSError, ValueError, RecursionError):
        return schema()
