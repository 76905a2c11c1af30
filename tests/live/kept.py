"""The kept results of runs, a JSON document for each client."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from tests.live.moments import Result

FOLDER = Path(__file__).parent / "results"


def keep(result: Result) -> None:
    """Replace the kept result of a client."""
    FOLDER.mkdir(exist_ok=True)
    data = msgspec.json.format(msgspec.json.encode(result), indent=1)
    (FOLDER / f"{result.client}.json").write_bytes(data + b"\n")


def kept() -> Iterator[Result]:
    """All kept results."""
    for path in sorted(FOLDER.glob("*.json")):
        yield msgspec.json.decode(path.read_bytes(), type=Result)
