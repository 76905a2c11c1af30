"""What the system refuses is said in a sentence, on the command line and by the screen."""

import errno
import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from agentview.errors import shortage
from tests.cli.conftest import THIRD, CommandLine
from tests.cli.pseudo_terminal import PseudoTerminal
from tests.providers.inspect_ai.zip_files import write

pytestmark = pytest.mark.skipif(shutil.which("prlimit") is None, reason="needs prlimit")
_FEW = """
import resource, sys
import msgspec, orjson

status = open("/proc/self/status").read().split()
used = 1024 * int(status[status.index("VmData:") + 1])
resource.setrlimit(resource.RLIMIT_DATA, (used + int(sys.argv.pop(1)),) * 2)

from agentview.cli import main

sys.exit(main())
"""
"""Starts agentview with little memory left.

The native modules are imported first: they end the process when they lack memory for that. The data
is limited, not the stack: where a stack cannot grow, the system ends the process.
"""


def test_only_what_memory_and_threads_lack_is_a_shortage() -> None:
    assert shortage(MemoryError()) is not None
    assert shortage(RuntimeError("can't start new thread")) is not None
    follows = RuntimeError("cannot join thread before it is started")
    assert shortage(follows) is None
    follows.__context__ = MemoryError()
    assert shortage(follows) is not None
    assert shortage(ValueError("x")) is None
    assert shortage(OSError(errno.ENOMEM, "Cannot allocate memory")) is not None
    assert shortage(OSError(errno.ENOSPC, "No space left on device")) is None


@pytest.mark.slow
@pytest.mark.parametrize("left", range(5_000_000, 12_000_000, 500_000))
def test_a_command_without_memory_ends_with_a_sentence(
    agentview: CommandLine, projects: Path, left: int
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _FEW, str(left), "cat", THIRD],
        capture_output=True,
        cwd=agentview.cwd,
        env=agentview.environment,
        check=False,
    )
    assert b"Traceback" not in done.stderr
    assert done.returncode == 0 or done.stderr.startswith(b"agentview: ")
    assert done.returncode == 0 or b"memory" in done.stderr.splitlines()[0]


@pytest.mark.slow
def test_a_screen_without_memory_gives_the_terminal_back(
    agentview: CommandLine, projects: Path
) -> None:
    command = [sys.executable, "-c", _FEW, "10_000_000", "open", THIRD]
    with PseudoTerminal(command, agentview.environment, agentview.cwd) as screen:
        assert screen.wait() == 1
        assert "agentview: " in screen.text
        assert b"Traceback" not in screen.output
        assert screen.output.rfind(b"[?1049l") >= screen.output.rfind(b"[?1049h")


@pytest.mark.slow
def test_a_log_without_memory_for_it_is_a_row_beside_the_others(
    agentview: CommandLine, projects: Path, tmp_path: Path
) -> None:
    """As in a worker, whose memory is bounded: see tests/workers."""
    sample = b'{"id": "s1", "epoch": 1, "messages": [], "store": [%s0]}' % (b"{}," * 3_000_000)
    held = {"header.json": b'{"version": 2, "eval": {}}', "samples/s1_epoch_1.json": sample}
    (tmp_path / "logs").mkdir()
    write(tmp_path / "logs" / "x.eval", held, zipfile.ZIP_DEFLATED)
    config = tmp_path / "config.toml"
    config.write_text(f'[sessions.roots]\ninspect_ai = ["{tmp_path / "logs"}"]\n')
    done = subprocess.run(
        ["prlimit", "--data=250000000", *agentview.command("ls", "--json")],
        capture_output=True,
        cwd=agentview.cwd,
        env=agentview.environment | {"AGENTVIEW_CONFIG": str(config)},
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    titles = {row["id"]: row["title"] for row in json.loads(done.stdout)}
    assert titles["s1_epoch_1"] == "could not be read: it needs more memory than there is"
    assert THIRD in titles
