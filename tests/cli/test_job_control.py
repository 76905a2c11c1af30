"""Stopped and continued, by its shell and by others: the screen comes back, and it still ends."""

import os
import signal
import time
from pathlib import Path

import pytest

from tests.cli.conftest import THIRD, CommandLine
from tests.cli.pseudo_terminal import PseudoTerminal
from tests.patience import PATIENCE

LAST = "Step 3 is done."


def stopped(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


@pytest.mark.slow
def test_ctrl_z_leads_to_the_shell_and_fg_back(agentview: CommandLine, projects: Path):
    command = " ".join(agentview.command("open", THIRD))
    agentview.env |= {"PS1": "shell> ", "INPUTRC": os.devnull}
    with PseudoTerminal(
        ["bash", "--norc", "--noprofile", "-i"], agentview.environment, agentview.cwd, columns=140
    ) as screen:
        screen.wait_for("shell>")
        screen.press(f"{command}\r")
        screen.wait_for(LAST)
        screen.press("\x1a")
        screen.wait_for("Stopped")
        # Split, so that what is typed is not what is waited for.
        screen.press("clear; stty -a | grep -q ' icanon' && echo 'LINES ''AGAIN'\r")
        assert LAST not in screen.wait_for("LINES AGAIN")
        screen.press("fg\r")
        screen.wait_for(lambda text: LAST in text and "shell>" not in text)
        screen.press("q")
        screen.wait_for("shell>")
        screen.press("echo CODE=$?\r")
        screen.wait_for("CODE=0")


@pytest.mark.slow
def test_ctrl_z_without_a_shell_says_so(agentview: CommandLine, projects: Path):
    with PseudoTerminal(
        agentview.command("open", THIRD), agentview.environment, agentview.cwd
    ) as screen:
        screen.wait_for(LAST)
        screen.press("\x1a")
        screen.wait_for("cannot suspend: no job-control shell")
        screen.press("q")
        assert screen.wait() == 0


@pytest.mark.slow
def test_a_stop_that_it_does_not_hear_leaves_keys_and_end_as_they_were(
    agentview: CommandLine, projects: Path
):
    with PseudoTerminal(
        agentview.command("open", THIRD), agentview.environment, agentview.cwd
    ) as screen:
        screen.wait_for(LAST)
        os.kill(screen.pid, signal.SIGSTOP)
        deadline = time.monotonic() + PATIENCE
        while not stopped(screen.pid):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        seen = len(screen.output)
        os.kill(screen.pid, signal.SIGCONT)
        screen.wait_for(lambda text: b"\x1b[?1049h" in screen.output[seen:] and LAST in text)
        screen.press("?")
        screen.wait_for("Next activity")
        screen.press("\x1b")
        screen.wait_for(lambda text: "Next activity" not in text)
        screen.press("q")
        assert screen.wait() == 0
