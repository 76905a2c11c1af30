"""A log that begins with what several clients write is nobody's until it says whose it is."""

import asyncio
from pathlib import Path

import pytest

from agentview.cli import wait_for_session
from agentview.domain.session import SessionRef
from agentview.sessions.targets.log_file import Choice
from agentview.system.paths import sample_sessions_dir
from tests.claude_log import ClaudeLog
from tests.patience import PATIENCE

SHORT = 0.05
"""Seconds that a second record has where the first one alone is shown."""


async def begun(path: Path, first: bytes, rest: bytes) -> SessionRef:
    """The session of a log whose second record comes after more than the time that it has."""
    path.touch()
    found = asyncio.create_task(wait_for_session.file_begun(path, Choice()))
    with path.open("ab", buffering=0) as file:
        # It has looked at the empty log by then.
        await asyncio.sleep(0)
        file.write(first)
        await asyncio.sleep(10 * SHORT)
        file.write(rest)
        async with asyncio.timeout(PATIENCE):
            return await found


def test_what_heads_a_log_decides_nothing_however_long_it_is_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wait_for_session, "_SECOND_RECORD", SHORT)
    first, end, rest = (
        (sample_sessions_dir() / "command_code" / "demo.jsonl").read_bytes().partition(b"\n")
    )
    ref = asyncio.run(begun(tmp_path / "log.jsonl", first + end, rest))
    assert ref.provider == "command_code"


def test_a_prompt_is_shown_before_its_answer_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wait_for_session, "_SECOND_RECORD", SHORT)
    path = tmp_path / "log.jsonl"
    path.touch()

    async def waited() -> SessionRef:
        found = asyncio.create_task(wait_for_session.file_begun(path, Choice()))
        await asyncio.sleep(0)
        path.write_bytes(ClaudeLog().prompt("Lift the crane."))
        async with asyncio.timeout(PATIENCE):
            return await found

    assert asyncio.run(waited()).provider == "claude_code"
