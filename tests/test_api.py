"""`agentview.api`: the programs of docs/api.md run as they are printed."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import get_args

import pytest

from agentview import api
from agentview.api import open_log, sessions
from agentview.domain.session import MAIN_STREAM, SessionRef
from agentview.errors import NotFound
from tests.claude_log import SESSION, ClaudeLog, conversation, write
from tests.patience import PATIENCE
from tests.samples import all_samples

PROGRAMS = re.findall(
    r"```python\n(.*?)```",
    (Path(__file__).parents[1] / "docs" / "api.md").read_text(),
    re.DOTALL,
)
ROOT = Path(__file__).parents[1]


def test_the_program_that_counts_calls(tmp_path: Path):
    path = write(tmp_path / "log.jsonl", conversation(ClaudeLog(), 3))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAMS[0], str(path)],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    assert done.stdout.splitlines() == ["Step 0: please go on /home/dev/shop", "3 Bash"]


def test_the_program_that_follows(tmp_path: Path):
    log = ClaudeLog()
    path, output = write(tmp_path / "log.jsonl", conversation(log, 1)), tmp_path / "out"
    with output.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAMS[1], str(path)], stdout=file, cwd=ROOT
        )
    try:
        _wait_for(output, "1 message Step 0 is done.")
        with path.open("ab") as file:
            file.write(log.text("And one more."))
        _wait_for(output, "1 message And one more.")
    finally:
        process.kill()
        process.wait()


def _wait_for(output: Path, line: str) -> None:
    end = time.monotonic() + PATIENCE
    while line not in output.read_text().splitlines():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_events_are_typed_and_secrets_masked_on_request(tmp_path: Path):
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    log = ClaudeLog()
    path = write(tmp_path / "log.jsonl", [log.prompt(f"Use {secret}"), log.text("Yes")])
    (prompt,) = [event for event in open_log(path).events() if event.type == "user"]
    assert (prompt.session, prompt.revision, prompt.status.value) == (SESSION, 1, "active")
    assert prompt.time is not None
    assert secret in str(prompt.fields["text"])
    (masked,) = [event for event in open_log(path, mask=True).events() if event.type == "user"]
    assert masked.id == prompt.id
    assert secret not in str(masked.fields["text"])


@pytest.mark.parametrize("provider", ["claude_code", "codex", "kimi_cli", "kimi_code"])
def test_no_line_has_the_id_of_another_one(provider: str):
    with_agents = 0
    for sample in all_samples():
        if sample.provider.name == provider and sample.ref.stream == MAIN_STREAM:
            events = list(open_log(sample.path).events())
            with_agents += len({event.stream for event in events}) > 1
            ids = [event.id for event in events]
            assert len(ids) == len(set(ids))
    assert with_agents


def test_sessions_of_a_directory_are_listed(tmp_path: Path):
    write(tmp_path / "p" / f"{SESSION}.jsonl", conversation(ClaudeLog(), 1))
    (found,) = sessions(directory=tmp_path)
    assert isinstance(found, SessionRef)
    assert found.session_id == SESSION


def test_what_is_not_there_is_an_error_with_a_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(NotFound) as raised:
        open_log(os.fspath(tmp_path / "none.jsonl"))
    assert raised.value.hint


@pytest.mark.parametrize("union", [api.Payload, api.Result, api.Block, api.Body])
def test_all_types_of_values_are_exported(union: object):
    assert {cls.__name__ for cls in get_args(union)} <= set(api.__all__)


def test_a_name_of_a_tool_gives_its_kind():
    assert api.map_tool_name_to_kind("cursor", "Shell") is api.ToolKind.SHELL
    assert api.map_tool_name_to_kind("claude_code", "mcp__forge__open") is api.ToolKind.MCP
    assert api.map_tool_name_to_kind("cursor", "frobnicate") is api.ToolKind.UNKNOWN
