"""The command line as a whole: help, version, wrong usage, closed pipes, interrupts."""

import os
import re
import signal
import subprocess
import sys
from argparse import PARSER, ArgumentParser
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import agentview as package
from agentview.cli.grammar import build_parser
from tests.cli.conftest import FIRST, CommandLine, Refused
from tests.patience import PATIENCE

COMMANDS = ("tail", "open", "ls", "cat", "events", "demo", "config", "completion", "help")


def test_version(agentview: CommandLine):
    assert agentview.ok("--version") == f"agentview {package.__version__}\n"


def test_help_lists_every_command_once_in_groups_before_the_options(agentview: CommandLine):
    text = agentview.ok("--help")
    commands = next(each for each in build_parser()._actions if each.nargs == PARSER).choices
    listed = re.findall(r"^  ([a-z]+) ", text[: text.index("\noptions:\n")], re.MULTILINE)
    assert listed == list(commands or ())
    assert listed[:3] == ["tail", "open", "board"]
    assert text.index("\nto learn first:\n  tail ") < text.index("\nfind:\n  ls ")
    assert "examples:\n  agentview" in text


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help_with_examples(agentview: CommandLine, command: str):
    text = agentview.ok(command, "--help")
    assert text.startswith(f"usage: agentview {command} ")
    assert f"agentview {command}" in text.partition("examples:\n")[2]


def test_a_command_made_alone_is_the_same_as_among_all_others():
    def commands(*words: str) -> Mapping[str, ArgumentParser]:
        parser = build_parser(words or None)
        return next(each for each in parser._actions if each.nargs == PARSER).choices  # type: ignore[return-value]

    for name, parser in commands().items():
        alone = commands(name)
        assert alone[name].format_help() == parser.format_help()
        assert name == "help" or len(alone) == 1


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_help_takes_the_width_of_the_terminal(agentview: CommandLine, columns: int):
    lines = agentview.ok("ls", "--help", COLUMNS=str(columns)).splitlines()
    own = [line for line in lines[: lines.index("examples:")] if line.startswith((" ", "usage"))]
    assert max(map(len, own)) <= columns


@pytest.mark.parametrize(
    "arguments",
    [
        ("--bogus",),
        ("tial",),
        ("help", "tial"),
        ("tail", "--detail", "everything"),
        ("cat",),
        ("cat", "x", "--only", "nonsense"),
        ("cat", "x", "--only", ","),
        ("events",),
        ("completion", "ksh"),
        ("demo", "--speed", "0"),
        ("demo", "--speed", "fast"),
        ("ls", "--provider", "nobody"),
        ("cat", "x", "--provider", "nobody"),
    ],
)
def test_wrong_usage_is_a_sentence_with_a_hint_and_exit_code_2(
    refused: Refused, arguments: tuple[str, ...]
):
    error = refused(2, *arguments)
    assert len(error.splitlines()) == 2


@pytest.mark.parametrize("command", [(), ("tail",), ("open", FIRST), ("demo",)])
def test_a_screen_needs_a_terminal(
    agentview: CommandLine, projects: Path, command: tuple[str, ...]
):
    assert "needs a terminal" in agentview.fails(2, *command)


@pytest.mark.slow
def test_a_closed_pipe_ends_in_silence(agentview: CommandLine, projects: Path):
    path = next(projects.rglob(f"{FIRST}.jsonl"))
    path.write_bytes(path.read_bytes() * 400)
    for command in (("events", FIRST), ("cat", FIRST, "--detail", "title")):
        process = subprocess.Popen(
            agentview.command(*command),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=agentview.environment,
            cwd=agentview.cwd,
        )
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=PATIENCE) == 0
        process.stderr.close()


def test_a_full_disk_is_a_sentence(agentview: CommandLine, projects: Path):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            agentview.command("events", FIRST),
            stdout=full,
            stderr=subprocess.PIPE,
            env=agentview.environment,
            cwd=agentview.cwd,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == b"agentview: No space left on device.\n"


def test_ctrl_c_ends_with_130_and_no_traceback(agentview: CommandLine, projects: Path):
    process = subprocess.Popen(
        agentview.command("events", "--follow", FIRST),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=agentview.environment,
        cwd=agentview.cwd,
    )
    assert process.stdout is not None
    assert process.stdout.readline()
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert errors == b""
    assert all(line.endswith(b"}") for line in output.splitlines())


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_code_names_the_command(agentview: CommandLine, shell: str):
    assert "agentview" in agentview.ok("completion", shell)


@pytest.fixture
def complete(agentview: CommandLine, tmp_path: Path) -> Callable[[str], set[str]]:
    """What a real bash offers for a line, with the code that `completion` prints."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "agentview"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m agentview "$@"\n')
    script.chmod(0o755)
    code = agentview.ok("completion", "bash")

    def offered(line: str) -> set[str]:
        words = line.split(" ")
        program = (
            f"{code}\nCOMP_LINE={line!r}; COMP_POINT={len(line)}; COMP_TYPE=9\n"
            f"COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}\n"
            "_python_argcomplete agentview\nprintf '%s\\n' \"${COMPREPLY[@]}\""
        )
        environment = agentview.environment
        environment["PATH"] = f"{folder}:{environment['PATH']}"
        done = subprocess.run(
            ["bash", "-c", program], capture_output=True, text=True, check=True, env=environment
        )
        assert done.stderr == ""
        return {word.strip() for word in done.stdout.split()}

    return offered


def test_bash_completes_commands_options_and_choices(complete: Callable[[str], set[str]]):
    assert {"tail", "open", "ls"} <= complete("agentview ")
    assert complete("agentview compl") == {"completion"}
    assert "--detail" in complete("agentview cat --d")
    assert complete("agentview tail --detail f") == {"full"}


@pytest.mark.slow
def test_bash_completes_what_is_found_on_the_machine(
    complete: Callable[[str], set[str]], projects: Path
):
    assert complete("agentview cat 11111") == {"11111111"}
    assert complete("agentview ls --project sh") == {"shop"}
    assert complete("agentview ls --provider qw") == {"qwen_code"}
    assert complete("agentview open x --theme gr") == {"gruvbox"}
    assert complete("agentview cat x --only shell,ed") == {"shell,edit"}
    assert "detail.default=" in complete("agentview config --set detail.de")
    # Bash takes the part behind the sign of equality for a word of its own.
    assert complete("agentview config --set timeline.density=comp") <= {
        "compact",
        "timeline.density=compact",
    }
    assert complete("agentview open x --theme nothing-like-it") == set()


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_version_and_help_import_next_to_nothing(option: str):
    command = [sys.executable, "-X", "importtime", "-m", "agentview", option]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ)
    imported = [line.rpartition("|")[2].strip() for line in done.stderr.splitlines()]
    packages = [name.partition(".")[0] for name in imported]
    assert 0 < packages.count("agentview") <= 16
    heavy = "asyncio orjson pydantic pygments rich sqlite3 textual watchfiles"
    assert {*heavy.split()}.isdisjoint(packages)
