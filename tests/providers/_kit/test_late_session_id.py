"""Whose a log is that was opened before anything stood in it."""

from pathlib import Path

import pytest

from agentview.providers import load_provider
from agentview.system.paths import sample_sessions_dir
from agentview.timeline.rows.session_refresh import SessionRefresher


@pytest.mark.parametrize("name", ["acp", "claude_code", "claude_stream", "gemini_cli", "qwen_code"])
def test_a_log_is_asked_again_until_a_record_names_its_session(tmp_path: Path, name: str) -> None:
    provider = load_provider(name)
    records = (sample_sessions_dir() / name / "demo.jsonl").read_bytes()
    log = tmp_path / "opened-early.jsonl"
    log.write_bytes(b"")
    known = provider.discovery.ref(log)
    growing = SessionRefresher(provider, known)
    assert (growing.again(), growing.asks) == (None, True)
    log.write_bytes(records)
    found = growing.again()
    assert found is not None
    assert found == provider.discovery.ref(log)
    assert found.session_id != known.session_id
    assert (growing.again(), growing.asks) == (None, False)
