"""A log says the same however its lines are written down: spaces, escapes, ends, marks in front."""

import json
import os
import time
from pathlib import Path

import pytest

from agentview.domain.session import SessionInfo
from agentview.domain.session_state import SessionState
from agentview.providers import recognise
from agentview.providers.base import HEAD_BYTES
from agentview.sessions.library.liveness import current_status
from agentview.system.paths import sample_sessions_dir
from tests.providers import joined_log

_LOGS = (
    "acp/demo.jsonl", "claude_code/tools.jsonl", "claude_stream/demo.jsonl", "codex/demo.jsonl",
    "codex/printed/older.jsonl", "cursor/demo.jsonl", "gemini_cli/demo.jsonl",
    "happier/demo.jsonl", "pydantic_ai/demo.jsonl", "qwen_code/demo.jsonl",
)  # fmt: skip


def _written(data: bytes, how: str) -> bytes:
    records = [json.loads(line) for line in data.splitlines() if line.strip()]
    if how == "spaced and escaped":
        return b"".join(json.dumps(record).encode() + b"\r\n" for record in records)
    marked = b"\xef\xbb\xbf\n" if how == "blank lines" else b"\xef\xbb\xbf"
    end = "\n\n" if how == "blank lines" else "\n"
    lines = (json.dumps(record, ensure_ascii=False, separators=(",", ":")) for record in records)
    return marked + "".join(f"{line}{end}" for line in lines).encode()


def _facts(path: Path) -> tuple[object, ...]:
    provider = recognise(path.read_bytes()[:HEAD_BYTES], path)
    assert provider is not None
    ref = provider.discovery.ref(path)
    store = joined_log.joined(provider, path)
    info: SessionInfo = provider.info(ref)
    rows = [str(store.kind(row)) for row in range(store.first, store.end) if store.shown(row)]
    told = (info.title, info.project, info.model, info.started, info.last_activity)
    return provider.name, ref.session_id, told, rows, store.summary.problems, store.summary.tokens


@pytest.mark.parametrize("name", _LOGS)
def test_the_facts_are_the_same(name: str, tmp_path: Path):
    log = tmp_path / Path(name).name
    data = (sample_sessions_dir() / name).read_bytes()
    log.write_bytes(data)
    plain = _facts(log)
    assert plain[3]
    for how in ("spaced and escaped", "marked", "blank lines"):
        log.write_bytes(_written(data, how))
        assert _facts(log) == plain, how


def test_a_log_without_times_is_stale_once_its_file_is_old(tmp_path: Path):
    call = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls"}}
    content = [{"type": "text", "text": "I look."}, call]
    message = {"id": "msg_1", "role": "assistant", "model": "claude-opus-5", "content": content}
    printed = {"type": "assistant", "message": message, "session_id": "s", "uuid": "u"}
    item = {"id": "item_1", "type": "command_execution", "command": "ls", "status": "in_progress"}
    started = {"type": "item.started", "item": item}
    for number, record in enumerate((printed, started)):
        log = tmp_path / f"{number}.jsonl"
        log.write_text(json.dumps(record) + "\n")
        for age, state in ((0, SessionState.WORKING), (7200, SessionState.UNKNOWN)):
            at = time.time() - age
            os.utime(log, (at, at))
            provider = recognise(log.read_bytes(), log)
            assert provider is not None
            info = provider.info(provider.discovery.ref(log))
            assert current_status(info, time.time()).state is state
