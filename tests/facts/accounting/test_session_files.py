"""Which files belong to a session, and what other files are."""

import os
from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.facts.accounting.session_files import (
    EMPTY,
    OTHERS,
    UNCLAIMED,
    SkippedFile,
    files_below,
    why_left,
)
from agentview.system.paths import sample_sessions_dir
from tests.claude_log import ClaudeLog, write

SAMPLES = sample_sessions_dir() / "claude_code"


def names(found: list[SessionRef | SkippedFile]) -> dict[str, str]:
    """What each file is, by its name: the provider of a session, else why it is none."""
    return {
        Path(each.path).name: each.why if isinstance(each, SkippedFile) else each.provider
        for each in found
    }


def test_every_file_below_a_directory_is_something(tmp_path: Path):
    write(tmp_path / "a" / "log.jsonl", [ClaudeLog().prompt("hello")])
    (tmp_path / "blank.jsonl").write_text("\n \n")
    (tmp_path / "notes.md").write_text("# Notes\n")
    (tmp_path / "node_modules").mkdir()
    write(tmp_path / "node_modules" / "log.jsonl", [ClaudeLog().prompt("hello")])
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "gone").symlink_to("nowhere")
    found = list(files_below(tmp_path))
    assert names(found) == {
        "log.jsonl": "claude_code",
        "blank.jsonl": EMPTY,
        "notes.md": UNCLAIMED,
        "pipe": f"{tmp_path / 'pipe'} is not a regular file.",
        "gone": "No such file or directory",
    }
    only = list(files_below(tmp_path, "codex"))
    assert {Path(each.path).name for each in only} == {"pipe", "gone"}
    assert names(list(files_below(tmp_path, "claude_code")))["log.jsonl"] == "claude_code"


def test_a_log_of_another_provider_is_told_as_such():
    assert why_left(SAMPLES / "demo.jsonl").why == OTHERS
