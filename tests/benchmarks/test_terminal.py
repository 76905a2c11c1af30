"""The terminal that benchmarks look through, on programs whose frames are known."""

import sys
import time
from pathlib import Path

import pytest

from benchmarks.process import children_of, cpu_of, descriptors_of, drop_from_cache, rss_of
from benchmarks.terminal import GoneError, Terminal

_ECHO = """
import os, sys, termios, time, tty
tty.setraw(0)
out = sys.stdout.buffer
out.write(b"\\x1b[?2026$p"); out.flush()
answer = b""
while not answer.endswith(b"$y"):
    answer += os.read(0, 1)
out.write(b"ready"); out.flush()
while key := os.read(0, 1):
    for _ in range(int(key)):
        out.write(b"\\x1b[?2026h\\x1b[1mkey\\x1b[0m " + key + b"\\x1b[?2026l"); out.flush()
"""


def echo() -> Terminal:
    """Paints as many frames for a digit as it says."""
    return Terminal([sys.executable, "-c", _ECHO])


def test_marker_is_timed_from_the_start() -> None:
    with Terminal(
        [sys.executable, "-c", "import time; time.sleep(0.3); print('here')"]
    ) as terminal:
        assert 0.3 <= terminal.wait_for(b"here") - terminal.started < 5


def test_what_does_not_come_is_an_error() -> None:
    with (
        Terminal([sys.executable, "-c", "import time; time.sleep(9)"]) as terminal,
        pytest.raises(GoneError, match="within"),
    ):
        terminal.wait_for(b"here", timeout=0.1)


def test_end_of_the_program_is_an_error() -> None:
    with (
        Terminal([sys.executable, "-c", "pass"]) as terminal,
        pytest.raises(GoneError, match="ended"),
    ):
        terminal.wait_for(b"here")


def test_program_is_ended_with_the_terminal() -> None:
    with Terminal([sys.executable, "-c", "import time; time.sleep(60)"]) as terminal:
        pid = terminal.pid
        assert rss_of(pid) > 0
    with pytest.raises(OSError, match="No such file"):
        rss_of(pid)


def test_frames_of_a_key_are_counted() -> None:
    with echo() as terminal:
        terminal.wait_for(b"ready")
        once, twice = terminal.press(b"1"), terminal.press(b"2")
        assert (once.frames, twice.frames) == (1, 2)
        assert 0 < once.wall < 1
        assert once.cpu > 0
        assert [frame.text.split() for frame in terminal.frames] == [["key", "2"]] * 2


def test_key_that_paints_nothing_has_no_frames() -> None:
    with echo() as terminal:
        terminal.wait_for(b"ready")
        assert terminal.press(b"0", timeout=0.2).frames == 0


def test_small_frames_can_be_left_out() -> None:
    with echo() as terminal:
        terminal.wait_for(b"ready")
        assert terminal.press(b"1", timeout=0.2, least=500).frames == 0


def test_size_is_that_given() -> None:
    show = "import os; print('size', *os.get_terminal_size())"
    wait = "import time; time.sleep(0.2); "
    with Terminal([sys.executable, "-c", wait + show], size=(77, 20)) as terminal:
        terminal.wait_for(b"size 77 20")


def test_settling_waits_for_silence() -> None:
    talk = "import time\nfor n in range(5): print(n, flush=True); time.sleep(0.05)\ntime.sleep(9)"
    with Terminal([sys.executable, "-c", talk]) as terminal:
        terminal.wait_for(b"0")
        assert terminal.settle(quiet=0.3)
        assert b"4" in terminal.screened
        assert not terminal.settle(quiet=9, timeout=0.1)


def test_cpu_and_children_of_a_process() -> None:
    busy = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(9)'])\n"
        "end = time.process_time() + 0.3\n"
        "while time.process_time() < end: pass\n"
        "print('worked', flush=True); time.sleep(9)"
    )
    with Terminal([sys.executable, "-c", busy]) as terminal:
        terminal.wait_for(b"worked")
        assert cpu_of(terminal.pid) >= 0.29
        assert len(children_of(terminal.pid)) == 1
        assert descriptors_of(terminal.pid) >= 3
        (child,) = children_of(terminal.pid)
    deadline = time.perf_counter() + 20
    assert cpu_of(terminal.pid) == 0.0
    assert time.perf_counter() < deadline
    assert child > 0


def test_dropping_from_the_cache_leaves_the_file(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"x" * 10_000)
    drop_from_cache(file)
    assert file.read_bytes() == b"x" * 10_000
