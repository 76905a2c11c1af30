"""A compressed log is read as what it holds."""

import threading
from concurrent.futures import ThreadPoolExecutor
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


def _append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def _said(reader: LineReader) -> list[object]:
    """The bytes of the lines that are new, or why all is read again."""
    return [getattr(each, "data", each) for each in reader.poll().items]


def test_a_file_that_becomes_longer_is_followed(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl.zstd"
    path.write_bytes(zstd.compress(b"1\n"))
    reader = LineReader(path)
    assert _said(reader) == [b"1"]
    frame = zstd.compress(b"22\n333\n")
    _append(path, frame[:9])
    assert _said(reader) in ([], [b"22"])
    _append(path, frame[9:] + zstd.compress(b"4"))
    path.touch()
    rest = _said(reader)
    assert rest in ([b"22", b"333"], [b"333"])
    _append(path, zstd.compress(b"4\n"))
    assert _said(reader) == [b"44"]
    assert read_at(path, 2, 2) == b"22"


@pytest.mark.parametrize("begin", [b"5\n", b"1\n"], ids=["other", "cut"])
def test_a_file_that_was_rewritten_is_read_again(tmp_path: Path, begin: bytes) -> None:
    path = tmp_path / "log.jsonl.zstd"
    path.write_bytes(zstd.compress(b"1\n") + zstd.compress(b"2\n"))
    reader = LineReader(path)
    assert _said(reader) == [b"1", b"2"]
    more = b"".join(zstd.compress(b"%d\n" % number) for number in (6, 7, 8))
    path.write_bytes(zstd.compress(begin) + more)
    assert _said(reader)[-4:] == [begin.strip(), b"6", b"7", b"8"]


def test_a_copy_that_many_read_at_once_stays_whole(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl.zstd"
    path.write_bytes(b"")
    whole = b"".join(b"%d\n" % number for number in range(300))
    done = threading.Event()

    def read() -> list[object]:
        reader, found = LineReader(path), list[object]()
        while not done.is_set():
            found += _said(reader)
        return found + _said(reader)

    with ThreadPoolExecutor(4) as pool:
        readers = [pool.submit(read) for _ in range(4)]
        for number in range(300):
            _append(path, zstd.compress(b"%d\n" % number))
        done.set()
    for each in readers:
        assert each.result() == whole.split()


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
