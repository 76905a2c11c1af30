"""Exit codes and time limits count at the beginning of a text, and nowhere else."""

import time

import pytest

from agentview.normalize.error_text import exit_code, section, timed_out, unwrap


@pytest.mark.parametrize(
    ("text", "code", "rest"),
    [
        ("Exit code 1\nboom\n", 1, "boom\n"),
        ("Error: Exit code 127\nno such command", 127, "no such command"),
        ("Exit code: 0\nWall time: 1 seconds", 0, "Wall time: 1 seconds"),
        ("Process exited with code 2\nOutput:", 2, "Output:"),
        ("exit status 3", 3, ""),
        ("Exit code -9", -9, ""),
        ("boom\nExit code 1", None, "boom\nExit code 1"),
        ("1  if failed: exit 1\n2  Exit code 1", None, "1  if failed: exit 1\n2  Exit code 1"),
        ("exit 1", None, "exit 1"),
        ("Exit codes are numbers", None, "Exit codes are numbers"),
        ("", None, ""),
    ],
)
def test_exit_code(text: str, code: int | None, rest: str):
    assert exit_code(text) == (code, rest)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Command timed out after 2m 0.0s", True),
        ("Error: command timed out after 120 seconds", True),
        ("timed out after 5s", True),
        ("3 tests passed\nCommand timed out after 2m", False),
        ("def timed_out(): ...", False),
    ],
)
def test_timed_out(text: str, expected: bool):
    assert timed_out(text) is expected


def test_unwrap():
    assert unwrap("<e>no</e>", "e") == "no"
    assert unwrap("  <e>cut off", "e") == "cut off"
    assert unwrap("<e><e>x</e></e>", "e") == "<e>x</e>"
    assert unwrap("said <e>no</e>", "e") is None


def test_section():
    text = "<status>done</status>\n\n<out>\na <b>\n</out>"
    assert section(text, "status") == "done"
    assert section(text, "out") == "\na <b>\n"
    assert section(text, "missing") is None
    assert section("inline <out>x</out>", "out") is None
    assert section("<out>never closed", "out") is None


def test_hostile_texts_take_linear_time():
    begin = time.process_time()
    for text in ("<out>\n" * 200_000, "\n" * 1_000_000, "Exit code " * 100_000):
        section(text, "out")
        unwrap(text, "out")
        exit_code(text)
        timed_out(text)
    assert time.process_time() - begin < 2
