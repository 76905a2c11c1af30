"""v in a terminal: the editor gets the terminal, the file and the line, and gives them back."""

import stat
from pathlib import Path

import pytest

from tests.claude_log import ClaudeLog, write
from tests.cli.conftest import CommandLine
from tests.cli.pseudo_terminal import PseudoTerminal


def _editor(folder: Path) -> Path:
    editor = folder / "vim"
    editor.write_text(
        '#!/bin/sh\nprintf "%s\\n" "$@" > "$0.arguments"\necho EDITING\nread answer\n'
        'echo "$answer" > "$0.answer"\n'
    )
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)
    return editor


@pytest.mark.slow
def test_v_lends_the_terminal_to_the_editor(agentview: CommandLine, tmp_path: Path):
    editor = _editor(tmp_path)
    source = tmp_path / "retry.py"
    source.write_text("one\ntwo\n")
    log = ClaudeLog()
    path = write(
        tmp_path / "log.jsonl",
        [log.prompt("Read it"), log.call("toolu_1", "Read", file_path=str(source), offset=2)],
    )
    agentview.env["EDITOR"] = str(editor)
    with PseudoTerminal(
        agentview.command("open", str(path)), agentview.environment, agentview.cwd
    ) as screen:
        screen.wait_for("retry.py")
        screen.press("G")
        screen.press("v")
        screen.wait_for("EDITING")
        screen.press("typed in it\n")
        screen.wait_for(lambda text: "EDITING" not in text and "retry.py" in text)
        assert editor.with_name("vim.arguments").read_text() == f"+2\n{source}\n"
        assert editor.with_name("vim.answer").read_text() == "typed in it\n"
        source.unlink()
        screen.press("v")
        screen.wait_for("is not on this machine")
        screen.press("q")
        assert screen.wait() == 0
