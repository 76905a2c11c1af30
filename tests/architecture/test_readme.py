"""The commands, options and make targets that README.md and docs/ name exist."""

import argparse
import re
import subprocess
import sys
from typing import cast

from agentview.cli.grammar import build_parser
from tests.architecture.sources import ROOT

README = (ROOT / "README.md").read_text()
PAGES = (README, *((ROOT / "docs" / f"{name}.md").read_text() for name in ("commands", "keys")))
CODE = "\n".join(
    code
    for page in PAGES
    for code in (
        *re.findall(r"```\w*\n(.*?)```", page, re.DOTALL),
        *re.findall(r"`([^`\n]+)`", page),
    )
)


def help_of(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "agentview", *command, "--help"],
        capture_output=True,
        text=True,
        check=False,
    )


def test_its_make_targets_are_in_the_makefile():
    wanted = set(re.findall(r"\bmake ([a-z]+)", CODE))
    known = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert {"demo", "test"} <= wanted
    assert wanted <= known


def test_its_commands_are_commands():
    wanted = set(re.findall(r"^agentview ([a-z]+)", CODE, re.MULTILINE))
    assert {"tail", "open", "cat", "events", "ls"} <= wanted
    for command in wanted:
        done = help_of(command)
        assert done.returncode == 0, done.stderr


def all_options(parser: argparse.ArgumentParser) -> set[str]:
    """The options of a parser and of all commands below it."""
    known: set[str] = set()
    for action in parser._actions:  # pyright: ignore[reportPrivateUsage]
        known.update(action.option_strings)
        below = cast("object", action.choices)
        if isinstance(below, dict):
            for each in cast("dict[str, object]", below).values():
                known |= all_options(each) if isinstance(each, argparse.ArgumentParser) else set()
    return known


def test_it_names_no_option_that_does_not_exist():
    wanted = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", CODE)) - {"--help"}
    known = all_options(build_parser())
    assert {"--json", "--older-than"} <= known
    assert wanted <= known


def test_the_ci_script_runs_the_test_command_of_the_readme():
    script = (ROOT / ".ci" / "run").read_text()
    assert "make check" in script
    assert "make test" in script
    assert "make test" in README
