"""A log says the same however its lines are written down: spaces, escapes, ends, marks in front."""

import json
from pathlib import Path

import pytest

from agentview.domain.session import SessionInfo
from agentview.paths import sample_sessions_dir
from agentview.providers import HEAD_BYTES, recognise
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
    info: SessionInfo = provider.discovery.info(ref)
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
