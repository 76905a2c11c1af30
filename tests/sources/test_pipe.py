import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentview.errors import NotFound, Unreadable
from agentview.sources.line_splitter import Line
from agentview.sources.pipe import PipeReader
from tests.sources.watch import writer

TO_STDOUT = """
import os, sys, time
from tests.sources.watch.writer import STEP, records
content = b"".join(line + b"\\n" for line in records(int(sys.argv[1])))[:-1]
for start in range(0, len(content), STEP):
    os.write(1, content[start : start + STEP])
    time.sleep(0.0003)
"""


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    read_end, write_end = os.pipe()
    yield read_end, write_end
    for fd in (read_end, write_end):
        try:
            os.close(fd)
        except OSError:
            # The test closed it.
            continue


async def collect(reader: PipeReader) -> list[Line]:
    return [line async for batch in reader.batches() for line in batch]


async def test_lines_of_a_process_arrive_whole_and_can_be_read_again(
    pipe: tuple[int, int], tmp_path: Path
) -> None:
    teed: list[bytes] = []
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", TO_STDOUT, "300", stdout=pipe[1]
    )
    os.close(pipe[1])
    with PipeReader(pipe[0], tee=teed.append, directory=tmp_path) as reader:
        lines = await collect(reader)
        assert [line.data for line in lines] == list(writer.records(300))
        assert [line.terminated for line in lines] == [True] * 299 + [False]
        for line in lines:
            assert reader.read_at(line.offset, line.length) == line.data
        assert b"".join(teed) == b"\n".join(writer.records(300)) == reader.path.read_bytes()
        assert reader.account.total == len(b"".join(teed))
    assert await process.wait() == 0


async def test_a_line_is_given_as_soon_as_it_is_whole(pipe: tuple[int, int]) -> None:
    with PipeReader(pipe[0]) as reader:
        batches = reader.batches()
        os.write(pipe[1], b"one\ntw")
        assert [line.data for line in await anext(batches)] == [b"one"]
        os.write(pipe[1], b"o\n")
        assert [line.data for line in await anext(batches)] == [b"two"]
        os.close(pipe[1])
        assert [batch async for batch in batches] == []


async def test_waiting_for_input_costs_nothing_and_ends_when_cancelled(
    pipe: tuple[int, int],
) -> None:
    with PipeReader(pipe[0]) as reader:
        task = asyncio.create_task(collect(reader))
        await asyncio.sleep(0)
        used = time.process_time()
        await asyncio.sleep(0.3)
        used = time.process_time() - used
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert used < 0.1
    os.write(pipe[1], b"later")
    assert os.read(pipe[0], 10) == b"later"


async def test_a_torn_last_line_is_given_at_the_end(pipe: tuple[int, int]) -> None:
    os.write(pipe[1], b'{"a":1}\n{"b":')
    os.close(pipe[1])
    with PipeReader(pipe[0]) as reader:
        assert await collect(reader) == [
            Line(0, 7, b'{"a":1}'),
            Line(8, 5, b'{"b":', terminated=False),
        ]


async def test_a_regular_file_as_input_is_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "input"
    path.write_bytes(b"".join(line + b"\n" for line in writer.records(1000)))
    with path.open("rb") as file, PipeReader(file.fileno()) as reader:
        assert [line.data for line in await collect(reader)] == list(writer.records(1000))


async def test_an_oversize_line_is_a_stub_that_can_be_read_from_the_spool(tmp_path: Path) -> None:
    path = tmp_path / "input"
    path.write_bytes(b"first\n" + b"x" * 500_000 + b"\nlast\n")
    with path.open("rb") as file, PipeReader(file.fileno(), limit=1000) as reader:
        lines = await collect(reader)
        assert [line.oversize for line in lines] == [False, True, False]
        assert reader.read_at(lines[1].offset, lines[1].length) == b"x" * 500_000


async def test_a_closed_tee_does_not_stop_the_reading(pipe: tuple[int, int]) -> None:
    taken: list[bytes] = []

    def tee(piece: bytes) -> None:
        taken.append(piece)
        raise BrokenPipeError

    with PipeReader(pipe[0], tee=tee) as reader:
        batches = reader.batches()
        os.write(pipe[1], b"one\n")
        await anext(batches)
        os.write(pipe[1], b"two\n")
        assert [line.data for line in await anext(batches)] == [b"two"]
        assert isinstance(reader.tee_error, BrokenPipeError)
    assert taken == [b"one\n"]


def test_the_spool_is_private_and_deleted(pipe: tuple[int, int], tmp_path: Path) -> None:
    reader = PipeReader(pipe[0], directory=tmp_path)
    assert reader.path.parent == tmp_path
    assert reader.path.stat().st_mode & 0o077 == 0
    reader.close()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(NotFound):
        reader.read_at(0, 1)


def test_an_input_that_is_closed_is_an_error(tmp_path: Path) -> None:
    fd = os.open(tmp_path, os.O_RDONLY)
    os.close(fd)
    with pytest.raises(Unreadable, match="closed"):
        PipeReader(fd, directory=tmp_path)


async def test_a_directory_as_input_is_an_error(tmp_path: Path) -> None:
    fd = os.open(tmp_path, os.O_RDONLY)
    try:
        with PipeReader(fd) as reader, pytest.raises(Unreadable, match="Cannot read the input"):
            await collect(reader)
    finally:
        os.close(fd)


def test_the_spool_is_deleted_when_the_program_ends_without_closing(tmp_path: Path) -> None:
    script = (
        "import sys, pathlib\n"
        "from agentview.sources.pipe import PipeReader\n"
        "reader = PipeReader(directory=pathlib.Path(sys.argv[1]))\n"
        "assert reader.path.exists()\n"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=True)
    assert list(tmp_path.iterdir()) == []
