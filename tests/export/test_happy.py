"""Envelopes of the second version: what is written is what their reader reads back."""

import subprocess
import sys

import orjson
import pytest

from agentview.domain.events import ToolResult
from agentview.domain.session import SessionRef
from agentview.domain.source import SourceRef
from agentview.domain.tools import ToolCall, ToolKind, ToolState
from agentview.export.happy import RAW_CHARS, RAW_DEPTH, RAW_ITEMS, HappyLines, cut
from agentview.export.joined import JoinedLines
from agentview.export.reading import SessionFeed
from agentview.paths import sample_sessions_dir
from agentview.providers import load_provider, recognise

READER = SessionRef("happier", "s", "x")
SAMPLES = (
    "claude_code/tools",
    "claude_code/newer_tools",
    "claude_code/denied",
    "codex/demo",
    "acp/demo",
    "acp/refused",
    "happier/demo",
)
_CHANGES = (ToolKind.WRITE, ToolKind.EDIT)
_SHARED = frozenset(ToolKind) - {ToolKind.UNKNOWN, ToolKind.NOTEBOOK_EDIT, ToolKind.READ_LINTS}


@pytest.mark.parametrize("name", SAMPLES)
def test_what_is_written_is_read_back(name: str):
    provider = load_provider(name.partition("/")[0])
    ref = provider.discovery.ref(sample_sessions_dir() / f"{name}.jsonl")
    reader = load_provider("happier")
    seen = 0
    happy = HappyLines()
    printed = SessionFeed(provider, ref, JoinedLines(provider), subagents=False).read()
    for line, made in [(each, made) for each in printed for made in happy.envelopes(each)]:
        record = orjson.dumps(made)
        body = reader.decode(
            record, SourceRef("x", 0, len(record)), SessionRef("happier", "s", "x")
        )[0].body
        seen += 1
        assert isinstance(body, ToolCall | ToolResult)
        assert body.call_id == line["call_id"]
        if isinstance(body, ToolResult):
            failed = line["state"] in (ToolState.OUTPUT_ERROR, ToolState.OUTPUT_DENIED)
            assert not failed or body.ok is False
            continue
        assert body.canonical_name == (line["canonical_name"] or line["provider_name"])
        assert body.provider_name == line["provider_name"]
        if line["kind"] in _SHARED and body.canonical_name in reader.tool_kinds:
            # A patch that adds one file may count as writing it.
            changes = body.kind in _CHANGES and line["kind"] in _CHANGES
            assert changes or body.kind == line["kind"]
    assert seen > 0


def test_the_command_writes_lines_that_are_recognised():
    log = sample_sessions_dir() / "claude_code" / "tools.jsonl"
    command = [sys.executable, "-m", "agentview", "events", "--happy", str(log)]
    done = subprocess.run(command, capture_output=True, check=True)
    found = recognise(done.stdout[:65_536], log)
    assert found is not None
    assert found.name == "happier"
    for line in done.stdout.splitlines():
        payload = orjson.loads(line)["payload"]
        told = payload.get("input", payload.get("output"))
        assert set(told["_happy"]) == {
            "v",
            "protocol",
            "provider",
            "rawToolName",
            "canonicalToolName",
        }
        assert "_raw" in told


def test_a_large_value_is_cut():
    assert cut("x" * (RAW_CHARS + 1)) == "x" * RAW_CHARS + "…"
    assert len(cut(list(range(RAW_ITEMS + 9)))) == RAW_ITEMS  # pyright: ignore[reportArgumentType]
    deep: object = "end"
    for _ in range(RAW_DEPTH + 500):
        deep = [deep]
    assert orjson.dumps(cut(deep)).count(b"[") == RAW_DEPTH
    assert cut({"a": 1, "b": None}) == {"a": 1, "b": None}
