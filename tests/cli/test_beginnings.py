"""Sessions that begin while `tail` waits: whose they are from the first record on."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.cli.beginnings import Beginning, beginnings
from tests.cli.conftest import CommandLine
from tests.cli.pseudo_terminal import PseudoTerminal

pytestmark = pytest.mark.slow

STEP = 0.4
"""Seconds in which the program may take a wrong look at what is there so far."""


def born_whole(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def born_empty(path: Path, data: bytes) -> None:
    path.touch()
    time.sleep(STEP)
    path.write_bytes(data)


def born_torn(path: Path, data: bytes) -> None:
    first = data.index(b"\n")
    with path.open("ab", buffering=0) as file:
        for part in (data[: first // 2], data[first // 2 : first], data[first:]):
            file.write(part)
            time.sleep(STEP)


@pytest.mark.parametrize("arguments", [("tail",), ("tail", "--wait")], ids=" ".join)
@pytest.mark.parametrize("born", [born_whole, born_empty, born_torn])
@pytest.mark.parametrize("log", beginnings(), ids=str)
def test_a_session_that_begins_is_its_own_client_s(
    agentview: CommandLine,
    log: Beginning,
    born: Callable[[Path, bytes], None],
    arguments: Sequence[str],
) -> None:
    command, env = agentview.command(*arguments), agentview.environment
    with PseudoTerminal(command, env, agentview.cwd, columns=200, rows=40) as screen:
        screen.wait_for("Waiting for a session to begin")
        born(log.path(agentview.home), log.data)
        screen.wait_for(lambda text: log.label in text.splitlines()[0])
        text = screen.wait_for(lambda text: log.title[:20] in text)
        assert log.has_unknown or "unknown record type" not in text
        screen.press("q")
        assert screen.wait() == 0


@pytest.mark.parametrize("log", beginnings(), ids=str)
def test_an_empty_log_is_nobody_s_yet(agentview: CommandLine, log: Beginning) -> None:
    path = log.path(agentview.home)
    path.touch()
    assert agentview.ok("ls", "--json").strip() == "[]"
    path.write_bytes(log.data)
    assert f'"provider": "{log.provider}"' in agentview.ok("ls", "--json")


@pytest.mark.parametrize("log", beginnings(), ids=str)
def test_a_log_in_any_directory_belongs_to_the_client_that_wrote_it(
    agentview: CommandLine, log: Beginning
) -> None:
    """Elsewhere than in its client's place a name that another client uses decides nothing."""
    path = agentview.cwd / "0b5f3a52-6c55-4f0e-9a51-2f7f3f1f0009.jsonl"
    path.write_bytes(log.data)
    line = agentview.ok("events", str(agentview.cwd)).splitlines()[0]
    assert f'"provider":"{log.provider}"' in line
