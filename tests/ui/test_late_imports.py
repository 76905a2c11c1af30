"""What is heavy is imported when it is first needed, and not before."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import agentview
from agentview.sessions.following.log_ingest import TAIL_BYTES
from tests.claude_log import ClaudeLog, conversation, write
from tests.cli.pseudo_terminal import PseudoTerminal, rows_of
from tests.patience import PATIENCE

_CODE = """
import sys
import agentview.ui.activity_widget
import agentview.ui.widgets.panel.side_panel
from agentview.domain.activity import RowKind
from agentview.domain.tools import ToolKind
for kind in (*ToolKind, *RowKind):
    agentview.ui.activity_widget.widget_for(kind)
found = sorted(
    name for name in sys.modules
    if name.startswith(
        ("pygments", "markdown_it", "pydantic", "watchfiles", "agentview.facts.edits")
    )
)
print(*found)
"""


@pytest.mark.slow
def test_no_widget_imports_a_lexer_a_parser_or_what_follows_changes() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _CODE], capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    assert done.stdout.split() == []


def test_widgets_of_kinds_are_imported_one_by_one() -> None:
    code = (
        "import sys\n"
        "from agentview.ui.activity_widget import widget_for\n"
        "from agentview.domain.tools import ToolKind\n"
        "widget_for(ToolKind.LS)\n"
        "print(*(m for m in sys.modules if m.startswith('agentview.ui.tools.')))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    assert done.stdout.split() == ["agentview.ui.tools.ls"]


_FIRST_FRAME = """
import json, sys
from pathlib import Path
import agentview.cli
import agentview.ui.app as app

def settle(self):
    read = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    told = {"read": int(read["rchar"]), "modules": sorted(sys.modules)}
    Path(sys.argv[2]).write_text(json.dumps(told))
    self.exit()

# What comes after the first frame.
app.AgentViewApp._settle = settle
agentview.cli.main(["open", sys.argv[1], *sys.argv[3:]])
"""

_LATER = (
    "agentview.sessions.following.embedded_subagents",
    "agentview.query.parser",
    "agentview.redaction",
    "agentview.sessions.following.index_history",
    "agentview.sessions.following.kept_history",
    "agentview.facts.kept",
    "agentview.facts.search",
    "agentview.ui.clipboard",
    "agentview.ui.editor",
    "agentview.ui.render.raw",
    "agentview.ui.screens.detail",
    "agentview.ui.screens.help",
    "agentview.ui.screens.library.screen",
    "agentview.ui.screens.settings",
    "agentview.ui.widgets.panel",
    "agentview.ui.timeline.minimap",
    "agentview.ui.timeline.goto_bar",
    "agentview.ui.timeline.search_bar",
    "agentview.system.workers",
    "importlib.metadata",
    "markdown_it",
    "pydantic",
    "pygments.lexers",
    "watchfiles",
)


_MOST_MODULES = 357
"""Modules of ours for the first frame of a session with calls of many kinds; it was 351. Thirteen
are only the first lines of packages: four of rooms, nine that divide crowded folders. Twelve read
and show what commands print: tests, findings, diffs; seven fold looks and head turns, or know what
runs on and what hooks report."""


def _first_frame(tmp_path: Path, log: Path, *options: str) -> dict[str, Any]:
    report = log.with_suffix(".json")
    script = tmp_path / "watched.py"
    script.write_text(_FIRST_FRAME)
    command = [sys.executable, str(script), str(log), str(report), *options]
    environment = {
        "HOME": str(tmp_path),
        "PATH": os.environ["PATH"],
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(Path(agentview.__file__).parents[1]),
    }
    with PseudoTerminal(command, environment, tmp_path) as terminal:
        assert terminal.wait() == 0
    told: dict[str, Any] = json.loads(report.read_text())
    return told


@pytest.mark.slow
def test_the_first_frame_imports_and_reads_no_more_than_it_shows(tmp_path: Path) -> None:
    logs = [
        write(tmp_path / f"{turns}.jsonl", conversation(ClaudeLog(), turns, size=9_000))
        for turns in (2, 1_000)
    ]
    # The first start may compile what the others only read.
    _first_frame(tmp_path, logs[0])
    short, long = (_first_frame(tmp_path, log) for log in logs)
    assert (tmp_path / "1000.jsonl").stat().st_size > 4 * TAIL_BYTES
    assert long["read"] - short["read"] <= 1.5 * TAIL_BYTES
    for told in (short, long):
        assert [name for name in _LATER if name in told["modules"]] == []
        ours = [name for name in told["modules"] if name.partition(".")[0] == "agentview"]
        assert len(ours) <= _MOST_MODULES


def _code_log(tmp_path: Path) -> Path:
    log = ClaudeLog()
    path, code = "/work/price.py", "def price(cents):\n    return cents\n"
    records = [
        log.prompt("Write it"),
        log.call("c1", "Write", file_path=path, content=code),
        log.result("c1", "done", {"type": "create", "filePath": path, "content": code}),
        log.text("Done"),
    ]
    return write(tmp_path / "code.jsonl", records)


@pytest.mark.slow
def test_the_first_frame_has_code_without_a_lexer(tmp_path: Path) -> None:
    told = _first_frame(tmp_path, _code_log(tmp_path), "--detail", "full")
    assert "agentview.ui.render.diff.style" in told["modules"]
    assert [name for name in told["modules"] if name.startswith("pygments.lexers")] == []


def test_code_has_its_colours_soon(tmp_path: Path) -> None:
    environment = os.environ | {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
    command = [sys.executable, "-m", "agentview", "open", str(_code_log(tmp_path))]
    with PseudoTerminal([*command, "--detail", "full"], environment, tmp_path) as terminal:
        terminal.wait_for(lambda _: _colours(terminal, "def price") == 2)


def _colours(terminal: PseudoTerminal, text: str) -> int:
    """How many colours the text has where the screen shows it; 0 where it does not."""
    for y, row in enumerate(rows_of(terminal.screen)):
        if text in row:
            cells = terminal.screen.buffer[y]
            begin = row.index(text)
            return len({cells[begin + x].fg for x, char in enumerate(text) if char != " "})
    return 0
