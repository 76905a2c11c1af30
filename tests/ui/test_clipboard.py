"""The clipboard of the platform: a real program is asked, in time, and only where it is ours."""

import os
import stat
from pathlib import Path

import pytest

from agentview.ui.clipboard import bounded, clipboard_command, copied_words, into_clipboard


def program(folder: Path, name: str, body: str) -> str:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@pytest.mark.parametrize(
    ("environ", "platform", "names"),
    [
        ({"WAYLAND_DISPLAY": "w"}, "linux", ["wl-copy"]),
        ({"DISPLAY": ":0"}, "linux", ["xclip", "-selection", "clipboard"]),
        ({"WAYLAND_DISPLAY": "w", "DISPLAY": ":0"}, "linux", ["wl-copy"]),
        ({}, "darwin", ["pbcopy"]),
        ({"TMUX": "t", "SSH_TTY": "s"}, "linux", ["tmux", "load-buffer", "-w", "-"]),
        ({"WSL_DISTRO_NAME": "u"}, "linux", ["clip.exe"]),
        ({}, "linux", []),
        ({"DISPLAY": ":0", "SSH_CONNECTION": "s"}, "linux", []),
        ({"SSH_TTY": "s"}, "darwin", []),
    ],
)
def test_the_program_of_the_platform_is_found(
    environ: dict[str, str], platform: str, names: list[str], tmp_path: Path
) -> None:
    for name in ("wl-copy", "xclip", "xsel", "pbcopy", "tmux", "clip.exe"):
        program(tmp_path, name, "true")
    found = clipboard_command({"PATH": str(tmp_path), **environ}, platform)
    assert [os.path.basename(part) for part in found] == names  # noqa: PTH119


def test_a_program_that_is_not_there_is_not_asked(tmp_path: Path) -> None:
    program(tmp_path, "xsel", "true")
    found = clipboard_command({"PATH": str(tmp_path), "DISPLAY": ":0"}, "linux")
    assert found == [str(tmp_path / "xsel"), "--clipboard", "--input"]


async def test_the_program_gets_the_text(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    text = "ä 日本 $(touch x)\n" * 1_000
    assert await into_clipboard(text, [program(tmp_path, "copy", f'cat > "{taken}"')])
    assert taken.read_text() == text


async def test_a_program_that_fails_is_no_clipboard(tmp_path: Path) -> None:
    assert not await into_clipboard("x", [program(tmp_path, "fails", "exit 1")])
    assert not await into_clipboard("x", [str(tmp_path / "gone")])
    assert not await into_clipboard("x", [])


async def test_a_program_that_hangs_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentview.ui.clipboard._PATIENCE", 0.2)
    assert not await into_clipboard("x" * 500_000, [program(tmp_path, "hangs", "exec sleep 60")])


def test_a_copy_is_bounded_and_can_be_written() -> None:
    assert bounded("a\ud800b", 10) == "a?b"
    assert bounded("abcdef", 3) == "abc"


def test_a_copy_has_nothing_that_acts_when_it_is_pasted() -> None:
    assert bounded("ls\x1b[201~\nrm -r x\r\nend\r", 100) == "ls[201~\nrm -r x\nend\n"
    controls = "".join(map(chr, [*range(0x20), *range(0x7F, 0xA0)]))
    assert bounded(f"a{controls}b", 100).replace("\n", "").replace("\t", "") == "ab"


@pytest.mark.parametrize(
    ("copied", "total", "lines", "sentence"),
    [
        (1, 1, 1, "copied output, 1 character"),
        (1_234, 1_234, 40, "copied output, 1,234 characters in 40 lines"),
        (100, 2_000, 1, "copied the first 100 characters of the output, which has 2,000"),
    ],
)
def test_what_was_copied_is_told(copied: int, total: int, lines: int, sentence: str) -> None:
    assert copied_words("output", copied, total, lines) == sentence
