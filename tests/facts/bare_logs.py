"""The records of bare files, for counts that share no code with the program."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

Record = dict[str, Any]


def numbered_records(path: Path) -> Iterator[tuple[int, Record]]:
    """The objects on lines of their own, each with its line, 1-based."""
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            yield number, cast("Record", record)


def part(record: Record, name: str) -> Record:
    """The object of that name, empty where there is none."""
    found = record.get(name)
    return cast("Record", found) if isinstance(found, dict) else {}
