"""What is mistyped: the error names what was probably meant, by one rule everywhere."""

from pathlib import Path

import pytest

from tests.cli.conftest import FIRST, CommandLine, Refused
from tests.cli.pseudo_terminal import PseudoTerminal

MEANT: dict[tuple[str, ...], tuple[int, str]] = {
    ("tial",): (2, "Did you mean tail?"),
    ("help", "stat"): (2, "Did you mean stats?"),
    ("cat", "x", "--detail", "ful"): (2, "Did you mean full?"),
    ("cat", "x", "--only", "shel"): (2, "Did you mean shell?"),
    ("cat", "x", "--provider", "claude"): (2, "Did you mean claude_code?"),
    ("--theme", "grvbox", "config", "show"): (2, "Did you mean gruvbox?"),
    ("config", "show", "--set", "theme=grvbox"): (2, "Did you mean gruvbox?"),
    ("--set", "them=gruvbox", "ls"): (2, "Did you mean theme?"),
    ("search", "kind:promt"): (2, "Did you mean prompt?"),
    ("search", "in:comand", "x"): (2, "Did you mean command?"),
    ("open", "1111112"): (1, "Did you mean 1111111?"),
    ("1111112",): (1, "Did you mean 1111111?"),
    ("events", "--follow", "--project", "shpo"): (1, "Did you mean shop?"),
}


@pytest.mark.parametrize("arguments", MEANT, ids=" ".join)
def test_the_nearest_that_there_is_is_named(
    refused: Refused, projects: Path, arguments: tuple[str, ...]
) -> None:
    code, question = MEANT[arguments]
    assert question in refused(code, *arguments)


def test_a_project_without_sessions_is_told_apart_from_none_at_all(
    agentview: CommandLine, projects: Path
) -> None:
    done = agentview("ls", "--project", "/nowhere")
    assert (done.returncode, done.stdout) == (0, "")
    assert "No session of the project /nowhere" in done.stderr
    assert "blog" in done.stderr
    assert "demo" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [(FIRST[:8],), ("--detail", "title", FIRST)], ids=str)
def test_a_session_needs_no_command(
    agentview: CommandLine, projects: Path, arguments: tuple[str, ...]
) -> None:
    path = str(next(projects.rglob(f"{FIRST}.jsonl")))
    for given in (arguments, (path,)):
        command = agentview.command(*given)
        with PseudoTerminal(command, agentview.environment, agentview.cwd) as screen:
            screen.wait_for("Step 0: please go on")
            screen.press("q")
            assert screen.wait() == 0


def test_help_is_a_command(agentview: CommandLine) -> None:
    assert agentview.ok("help") == agentview.ok("--help")
    assert agentview.ok("help", "tail") == agentview.ok("tail", "--help")
    assert "regex:/" in agentview.ok("help", "query")
