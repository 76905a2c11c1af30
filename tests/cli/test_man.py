"""The manual page: it has all of the command line, and `man` renders it without a warning."""

import argparse
import shutil
import subprocess

import pytest

from agentview.cli.grammar import build_parser
from agentview.cli.man_page import page
from tests.cli.conftest import CommandLine


def test_it_has_each_command_with_its_options(agentview: CommandLine):
    text = agentview.ok("help", "--man").replace("\\-", "-")
    commands = next(each for each in build_parser()._actions if each.nargs == "A...").choices
    for name, parser in dict(commands or ()).items():
        assert f".SS agentview {name}\n" in text
        for action in parser._actions:
            if action.help not in (None, argparse.SUPPRESS):
                assert [option for option in action.option_strings if option not in text] == []
    assert ".SS agentview dev fixtures build\n" in text
    assert "==SUPPRESS==" not in text


def test_no_line_is_a_request_by_chance():
    known = {".TH", ".SH", ".SS", ".PP", ".TP", ".B", ".nf", ".fi", ".sp"}
    lines = page().splitlines()
    assert {line.split()[0] for line in lines if line.startswith((".", "'"))} <= known
    assert page().isascii()


@pytest.mark.skipif(shutil.which("groff") is None, reason="needs groff: apt install groff")
def test_it_renders_without_a_warning():
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-z"],
        input=page(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
