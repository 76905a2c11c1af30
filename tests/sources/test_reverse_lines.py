import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentview.errors import NotFound, Unreadable
from agentview.sources.line_splitter import Line, LineSplitter
from agentview.sources.lines import LineReader, Reset
from agentview.sources.open_file import read_at
from agentview.sources.reverse_lines import blocks_backward, tail_lines
from tests.sources.bytes_strategy import file_bytes


def backward(path: Path, block_size: int, end: int | None = None, limit: int = 200) -> list[Line]:
    blocks = list(blocks_backward(path, end, block_size, limit))
    for later, earlier in itertools.pairwise(blocks):
        assert earlier.end == later.start
    assert not blocks or blocks[-1].start == 0
    return [line for block in reversed(blocks) for line in block.lines]


@given(file_bytes, st.integers(1, 2000))
def test_blocks_reversed_are_a_forward_read(
    tmp_path: Path, content: bytes, block_size: int
) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)

    assert backward(path, block_size) == LineSplitter(limit=200).feed(content)


@given(file_bytes, st.integers(1, 300), st.integers(0, 3000))
def test_an_end_inside_a_line_leaves_that_line_out(
    tmp_path: Path, content: bytes, block_size: int, end: int
) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    end = min(end, len(content))

    assert backward(path, block_size, end) == LineSplitter(limit=200).feed(content[:end])


@given(file_bytes, st.integers(1, 8), st.integers(1, 400), st.integers(1, 300))
def test_tail_then_blocks_then_growth_give_every_line_once(
    tmp_path: Path, content: bytes, max_lines: int, max_bytes: int, block_size: int
) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    added = b"added\nlast\n"

    tail = tail_lines(path, max_lines, max_bytes, limit=200)
    with path.open("ab") as file:
        file.write(added)
    reader = LineReader(path, mark=tail.mark, limit=200)
    grown = reader.poll().items
    before = backward(path, block_size, tail.start)

    assert [*before, *tail.lines, *grown] == LineSplitter(limit=200).feed(content + added)
    assert len(tail.lines) <= max_lines
    assert reader.account.total == len(content + added) - tail.mark.position


def test_small_blocks_come_first(tmp_path: Path) -> None:
    path = tmp_path / "file"
    lines = [b"%05d %s\n" % (number, b"x" * 93) for number in range(1000)]
    path.write_bytes(b"".join(lines))
    blocks = list(blocks_backward(path, None, 20_000, first=1_000))
    assert [len(block.lines) for block in blocks[:6]] == [9, 19, 39, 79, 159, 199]
    found = [line.data for block in reversed(blocks) for line in block.lines]
    assert found == [line[:-1] for line in lines]


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("size", [65_530, 65_540, 300_000])
def test_a_long_line_is_the_same_stub_in_both_directions(
    tmp_path: Path, start: bytes, end: bytes, size: int
) -> None:
    path = tmp_path / "file"
    content = start + os.urandom(size).replace(b"\n", b"_") + end + b"short" + end
    path.write_bytes(content)

    for block_size in (100, 70_000, 1_000_000):
        assert backward(path, block_size) == LineSplitter(limit=200).feed(content)


def test_the_last_lines_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    lines = [b"line %d" % number for number in range(50_000)]
    path.write_bytes(b"\n".join(lines) + b"\nhalf")

    tail = tail_lines(path, max_lines=3)

    assert [line.data for line in tail.lines] == lines[-3:]
    assert tail.start == tail.lines[0].offset
    assert read_at(path, tail.mark.position, 4) == b"half"
    assert len(tail_lines(path).lines) == 120


@pytest.mark.parametrize("content", [b"", b"no newline", b"\n\n\r\n", b"\xef\xbb\xbf"])
def test_a_file_without_a_whole_record_has_no_tail(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)

    tail = tail_lines(path)

    assert (tail.lines, tail.start) == ([], 0)
    assert tail.mark.position == content.rfind(b"\n") + 1


def test_the_tail_of_an_open_descriptor_leaves_it_open(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"a\nb\n")
    with path.open("rb") as file:
        assert [line.data for line in tail_lines(file.fileno(), 1).lines] == [b"b"]
        assert file.read() == b"a\nb\n"


def test_a_reader_notices_that_the_file_was_exchanged_after_its_tail_was_read(
    tmp_path: Path,
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"one\ntwo\n")
    tail = tail_lines(path)
    (tmp_path / "new").write_bytes(b"uno\ndos\ntres\n")
    (tmp_path / "new").rename(path)

    reset, *lines = LineReader(path, mark=tail.mark).poll().items

    assert isinstance(reset, Reset)
    assert [line.data for line in lines if isinstance(line, Line)] == [b"uno", b"dos", b"tres"]


def test_a_missing_file_and_one_cut_while_it_is_read_are_errors(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        tail_lines(tmp_path / "none")
    path = tmp_path / "file"
    path.write_bytes(b"line\n" * 1000)
    blocks = blocks_backward(path, block_size=100)
    next(blocks)
    os.truncate(path, 10)
    with pytest.raises(Unreadable, match="cut"):
        next(blocks)


BOUNDED = """
import sys, tracemalloc
from pathlib import Path
from agentview.sources.lines import LineReader
from agentview.sources.open_file import read_at
from agentview.sources.reverse_lines import blocks_backward, tail_lines

tracemalloc.start()
path = Path(sys.argv[1])
tail = tail_lines(path)
print(*[(line.offset, line.length, line.oversize, line.data) for line in tail.lines])
lines = [line for block in blocks_backward(path) for line in block.lines]
print(len(lines), lines[0].oversize, lines[0].tail[-1:], lines[1].data)
reader, forward = LineReader(path), []
while True:
    chunk = reader.poll()
    forward += chunk.items
    if not chunk.more:
        break
print(forward == lines[::-1], reader.account.total == path.stat().st_size)
print(read_at(path, lines[0].offset + lines[0].length - 5, 5))
print(tracemalloc.get_traced_memory()[1])
"""


def test_a_line_of_110_megabytes_at_the_end_does_not_fill_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "file"
    size = 110_000_000
    with path.open("wb") as file:
        file.write(b"first\n")
        file.truncate(6 + size - 1)
        file.seek(0, os.SEEK_END)
        file.write(b"}\n")

    output = subprocess.run(
        [sys.executable, "-c", BOUNDED, str(path)], capture_output=True, text=True, check=True
    ).stdout.splitlines()

    assert output[0] == f"(6, {size}, True, None)"
    assert output[1] == "2 True b'}' b'first'"
    assert output[2] == "True True"
    assert output[3] == repr(b"\0\0\0\0}")
    assert int(output[4]) < 64 * 1024 * 1024
