"""A compressed log is read as what it holds."""

from pathlib import Path

import pytest

from agentview.errors import Unreadable
from agentview.sources.compressed import unpacked_head
from agentview.sources.lines import LineReader
from agentview.sources.open_file import read_at
from agentview.sources.reverse_lines import tail_lines
from agentview.system.zstd import zstd

DATA = b"".join(b'{"n": %d}\n' % number for number in range(200_000))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    target = tmp_path / "log.jsonl.zst"
    half = len(DATA) // 2
    compress = zstd.compress
    target.write_bytes(compress(DATA[:half]) + compress(DATA[half:]))
    return target


def test_lines_lie_where_they_would_in_the_plain_file(path: Path) -> None:
    assert read_at(path, 9, 8) == DATA[9:17]
    tail = tail_lines(path, 3)
    assert [line.data for line in tail.lines] == DATA.splitlines()[-3:]
    reader = LineReader(path)
    assert reader.poll(100).items[0] == LineReader(path).poll(50).items[0]
    assert not any(True for _ in LineReader(path, mark=tail.mark).poll().items)


def test_of_a_cut_file_is_read_what_there_is(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-2000])
    assert unpacked_head(path, 1000) == DATA[:1000]
    assert read_at(path, 0, 1000) == DATA[:1000]
    with pytest.raises(Unreadable, match="ends before"):
        read_at(path, len(DATA) - 10, 10)


def test_a_damaged_file_is_said_to_be(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4:200] = bytes(196)
    path.write_bytes(data)
    assert unpacked_head(path, 1000) == b""
    with pytest.raises(Unreadable, match="damaged or cut"):
        read_at(path, 0, 10)


def test_a_plain_file_of_that_name_is_read_as_it_is(path: Path) -> None:
    path.write_bytes(b"plain\n")
    assert read_at(path, 0, 5) == b"plain"
    assert unpacked_head(path, 3) == b"pla"
    assert unpacked_head(path.parent / "none.zst", 3) == b""


def test_no_descriptor_stays_behind(path: Path) -> None:
    read_at(path, 0, 1)
    before = len(list(Path("/dev/fd").iterdir()))
    for _ in range(20):
        read_at(path, 0, 1)
    assert len(list(Path("/dev/fd").iterdir())) == before


def test_the_head_of_many_frames_is_as_long_as_wanted(path: Path) -> None:
    named = path.with_suffix(".zstd")
    named.write_bytes(b"".join(zstd.compress(b"%d\n" % number) for number in range(10)))
    assert unpacked_head(named, 7) == b"0\n1\n2\n3"
    assert read_at(named, 18, 2) == b"9\n"
