"""What can go wrong around an open session: its log, its helpers, its terminal, the disk, the end.

The screen stays usable, says what happened, and leaves a clean terminal and no process behind.
"""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from benchmarks.process import children_of, descriptors_of
from tests.claude_log import ClaudeLog, conversation, write
from tests.cli.filmed import Film
from tests.patience import PATIENCE

TURNS = 3000


def film(path: Path, command: str = "tail") -> Film:
    return Film(
        [sys.executable, "-m", "agentview", command, str(path)],
        {
            "HOME": str(path.parent),
            "XDG_CONFIG_HOME": str(path.parent),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
        },
        columns=120,
        lines=30,
    )


@pytest.fixture(scope="module")
def content() -> bytes:
    return b"".join(conversation(ClaudeLog(), TURNS, size=3000))


@pytest.fixture
def path(tmp_path: Path, content: bytes) -> Path:
    """A log that takes a child some time to read."""
    return write(tmp_path / "log.jsonl", [content])


@pytest.fixture
def reel(path: Path) -> Iterator[Film]:
    with film(path) as reel:
        reel.wait(lambda: f"Step {TURNS - 1} is done." in reel.text, "no end of the log")
        yield reel


def says(reel: Film, text: str) -> None:
    reel.wait(lambda: text in reel.text, f"it does not say {text}")


def child(reel: Film) -> int:
    """The process that the program has started."""
    reel.wait(lambda: bool(children_of(reel.terminal.pid)), "no child is started")
    return children_of(reel.terminal.pid)[0]


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    # One that ended and was not waited for holds nothing any more.
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"


def leave(reel: Film) -> None:
    """The program still hears its keys, and goes."""
    reel.press("q")
    code = ended(reel)
    assert code == 0


def ended(reel: Film) -> int:
    code = reel.ended()
    assert code is not None, f"it goes on; on the screen:\n{reel.text}"
    for end in (b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?1000l"):
        assert end in reel.output, end
    assert b"Traceback" not in reel.output
    return code


@pytest.mark.slow
def test_an_index_child_that_is_killed_is_replaced(reel: Film):
    os.kill(child(reel), signal.SIGKILL)
    says(reel, f"{TURNS:,} commands")
    reel.press("g")
    says(reel, "Step 0: please go on")
    leave(reel)


@pytest.mark.slow
def test_index_children_that_are_always_killed_are_done_without(reel: Film):
    deadline = time.monotonic() + PATIENCE
    killed = set[int]()
    while f"{TURNS:,} commands" not in reel.text and time.monotonic() < deadline:
        for pid in children_of(reel.terminal.pid):
            # One that has its part done may end by itself in between.
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                killed.add(pid)
        reel.terminal.run_for(0.02)
    assert killed
    says(reel, f"{TURNS:,} commands")
    leave(reel)


@pytest.mark.slow
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT])
def test_a_signal_while_reading_leaves_nothing_behind(reel: Film, sent: signal.Signals):
    pid = child(reel)
    os.kill(reel.terminal.pid, sent)
    code = ended(reel)
    assert code == 128 + sent
    assert gone(pid)


@pytest.mark.slow
def test_ctrl_c_while_reading_leaves_nothing_behind(reel: Film):
    pid = child(reel)
    reel.press("\x03")
    reel.press("q")
    ended(reel)
    assert gone(pid)


@pytest.mark.slow
def test_a_log_that_is_cut_begins_anew(reel: Film, path: Path):
    path.write_bytes(b"".join(conversation(ClaudeLog(), 2)))
    says(reel, "Step 1 is done.")
    reel.wait(lambda: f"Step {TURNS - 1} is done." not in reel.text, "old rows stay")
    leave(reel)


@pytest.mark.slow
def test_a_log_that_is_replaced_begins_anew(reel: Film, path: Path, tmp_path: Path):
    other = write(tmp_path / "other", [ClaudeLog().prompt("Something else altogether")])
    other.replace(path)
    says(reel, "Something else altogether")
    reel.wait(lambda: f"Step {TURNS - 1} is done." not in reel.text, "old rows stay")
    leave(reel)


@pytest.mark.slow
def test_a_log_that_is_deleted_is_said_to_be(reel: Film, path: Path):
    says(reel, f"{TURNS:,} commands")
    path.unlink()
    says(reel, "removed")
    reel.press("g", "j", "k", "G")
    leave(reel)


@pytest.mark.slow
def test_a_directory_in_place_of_the_log_is_no_end(reel: Film, path: Path):
    path.unlink()
    path.mkdir()
    says(reel, "removed")
    reel.press("g", "j", "k", "G")
    leave(reel)


@pytest.mark.slow
def test_many_changes_of_size_end_with_the_last(reel: Film):
    for number in range(60):
        reel.terminal.resize(40 + number, 10 + number % 20)
        reel.terminal.run_for(0.005)
    reel.resize(110, 25)
    says(reel, f"Step {TURNS - 1} is done.")
    assert reel.status.strip()
    leave(reel)


@pytest.mark.slow
def test_idle_it_reads_and_paints_nothing(tmp_path: Path):
    # Of a session of the last week somebody may be the client: a process that starts is looked at.
    records = conversation(ClaudeLog(), 1000, size=3000)
    records = [record.replace(b'"2026-', b'"2024-') for record in records]
    path = write(tmp_path / "log.jsonl", records)
    with film(path) as reel:
        reel.wait(lambda: "reading" not in reel.text and "commands" in reel.text, "it is not read")
        # How far it was read is written once, ten seconds after it was opened.
        reel.terminal.run_for(11.0)
        before, painted = "", 0
        for _ in range(20):
            # What is made ready after the first frame takes as long as the machine is slow.
            if (before, painted) != (_reads(reel.terminal.pid), reel.terminal.received):
                before, painted = _reads(reel.terminal.pid), reel.terminal.received
                reel.terminal.run_for(1.5)
        descriptors = descriptors_of(reel.terminal.pid)
        reel.terminal.run_for(4.0)
        assert reel.terminal.received == painted
        assert _reads(reel.terminal.pid) == before
        assert descriptors_of(reel.terminal.pid) == descriptors
        assert children_of(reel.terminal.pid) == []
        leave(reel)


def _reads(pid: int) -> str:
    """Bytes that a process read, and calls that it read them with."""
    facts = Path(f"/proc/{pid}/io").read_text().splitlines()
    return " ".join(fact for fact in facts if fact.startswith(("rchar", "syscr")))
