"""The files that clients keep next to a log are read as declared, or not at all."""

from pathlib import Path

import pytest
from msgspec import Struct

from agentview.providers._kit.side_file import read_file


class Kept(Struct):
    """A file of a client."""

    title: str | None = None
    number: int = 0


@pytest.mark.parametrize(
    ("content", "kept"),
    [
        (b'{"title": "A title", "number": 3, "more": []}', Kept("A title", 3)),
        (b'{"title": ["A title"], "number": 3}', Kept(None, 3)),
        (b'{"title": "A title", "number": "three"}', Kept("A title")),
        (b'["A title"]', Kept()),
        (b'{"title": "A ti', Kept()),
        (b"\xff\x00", Kept()),
        (b"", Kept()),
        (b'{"a":' * 100_000, Kept()),
        (b'{"title": "' + b"a" * (1 << 20) + b'"}', Kept()),
    ],
    ids=["whole", "mistyped", "number", "list", "cut", "bytes", "empty", "deep", "large"],
)
def test_a_file_is_read_as_declared(tmp_path: Path, content: bytes, kept: Kept):
    file = tmp_path / "state.json"
    file.write_bytes(content)
    assert read_file(file, Kept) == kept


def test_a_missing_file_is_empty(tmp_path: Path):
    assert read_file(tmp_path / "state.json", Kept) == Kept()
    assert read_file(tmp_path, Kept) == Kept()
