"""What benchmarks read off frames, files and processes."""

import subprocess
import sys
from pathlib import Path

import orjson
import pytest

from benchmarks import writer
from benchmarks.bench import size_text
from benchmarks.commands import run_piped
from benchmarks.generate import KB, session
from benchmarks.process import children_of, cpu_of_tree
from benchmarks.search import hits_told, reports
from benchmarks.tail import lags
from benchmarks.terminal import Frame


def frame(at: float, *numbers: int) -> Frame:
    return Frame(at, b"".join(b"\x1b[1m%b\x1b[0m\r\n" % writer.mark(number) for number in numbers))


def test_lag_is_the_age_of_what_is_missing() -> None:
    written = [(1, 10, 100.0), (2, 20, 100.1), (3, 30, 100.2)]
    frames = [frame(100.05, 1), frame(100.15, 1), frame(100.35, 1, 2), frame(100.4, 3)]
    assert [round(lag, 6) for lag in lags(frames, written)] == [0.0, 0.05, 0.15, 0.0]


def test_frames_without_a_number_tell_no_lag() -> None:
    assert lags([Frame(1.0, b"nothing")], [(1, 10, 0.5)]) == []


@pytest.mark.parametrize(
    ("text", "hits"),
    [
        ("  3 of 1,234   ", 1234),
        ("12 found, 35% searched", 12),
        ("0 found", 0),
        ("/Quillwort  2 of 5", 5),
        ("nothing to see", None),
    ],
)
def test_hits_are_read_off_a_frame(text: str, hits: int | None) -> None:
    assert hits_told(text) == hits


def test_frames_tell_how_many_hits_there_are() -> None:
    frames = [
        Frame(1.0, b"0 found, 10% searched"),
        Frame(1.1, b"\x1b[?25l"),
        Frame(1.2, b"\x1b[2m7 found, 90% searched"),
        Frame(1.3, b"1 of 8"),
    ]
    assert reports(frames) == [(1.0, 0), (1.2, 7), (1.3, 8)]


@pytest.mark.parametrize(
    ("size", "text"),
    [(10_000, "10 kB"), (1_200_003_521, "1.2 GB"), (20_100_000, "20.1 MB"), (5, "5 B")],
)
def test_sizes_are_said(size: int, text: str) -> None:
    assert size_text(size) == text


def test_writer_keeps_its_rate(tmp_path: Path) -> None:
    path = tmp_path / "grown.jsonl"
    path.write_bytes(session(10 * KB).path.read_bytes())
    before = len(path.read_bytes().splitlines())
    with writer.Writer(path, 2000, 0.5) as process:
        told = process.told()
    lines = path.read_bytes().splitlines()
    number, records, _ = told[-1]
    assert len(lines) - before == records
    assert 1000 <= records <= 1100
    assert writer.marked(lines[-1].decode()) == [number]
    assert [when for *_, when in told] == sorted(when for *_, when in told)
    uuids = [record["uuid"] for line in lines if "uuid" in (record := orjson.loads(line))]
    assert len(set(uuids)) == len(uuids)


def test_piped_command_is_timed() -> None:
    busy = "import time\nend = time.process_time() + 0.2\nwhile time.process_time() < end: pass\n"
    wall, cpu = run_piped([sys.executable, "-c", busy + "print('x' * 3_000_000)"])
    assert cpu >= 0.2
    assert wall >= 0.2


def test_piped_command_that_fails_is_an_error() -> None:
    with pytest.raises(subprocess.CalledProcessError):
        run_piped([sys.executable, "-c", "raise SystemExit(3)"])


def test_a_pass_tells_what_it_took() -> None:
    command = [sys.executable, "-m", "benchmarks.passes", str(session(300 * KB).path)]
    told = orjson.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    assert set(told) == {"wall", "cpu"}
    assert told["wall"] > 0


def test_a_child_that_ends_takes_none_of_the_time_with_it() -> None:
    busy = "import time\nwhile time.process_time() < 0.5: pass"
    code = (
        "import subprocess, sys\n"
        "subprocess.run([sys.executable, '-c', sys.argv[1]], check=True)\n"
        "print('ended', flush=True)\nsys.stdin.read()"
    )
    command = [sys.executable, "-c", code, busy]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ended\n"
        assert children_of(process.pid) == []
        assert cpu_of_tree(process.pid) >= 0.5
