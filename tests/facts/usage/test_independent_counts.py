"""Counts of the command against counts made here from the bare files, which share no code with it.

Claude Code: by id of the message, the last of its records. Codex: totals that go up, each once.
Gemini CLI: by id of the message, the last of its records. Qwen Code: by id of the record.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import agentview.cli
from tests.facts.bare_logs import Record, numbered_records, part

ROOT = Path(__file__).parents[3] / "sample_sessions"
Counts = dict[str, int]
NAMES = ("input_uncached", "input_cached", "cache_write", "output")


def records(path: Path) -> Iterator[Record]:
    return (record for _, record in numbered_records(path))


def added(counts: list[Counts]) -> Counts:
    return {name: sum(each.get(name, 0) for each in counts) for name in NAMES}


def claude_messages(path: Path) -> dict[str, tuple[bool, Counts]]:
    """By id: whether it is an agent's, and its counts."""
    found: dict[str, tuple[bool, Counts]] = {}
    for record in records(path):
        message = part(record, "message")
        usage = part(message, "usage")
        if record.get("type") != "assistant" or not usage:
            continue
        if message.get("model") == "<synthetic>" or record.get("isApiErrorMessage"):
            continue
        written = usage.get("cache_creation_input_tokens") or 0
        by_age = part(usage, "cache_creation")
        name = message.get("id") or record.get("requestId") or record["uuid"]
        counts = {
            "input_uncached": usage.get("input_tokens") or 0,
            "input_cached": usage.get("cache_read_input_tokens") or 0,
            "cache_write": max(written, sum(by_age.values())),
            "output": usage.get("output_tokens") or 0,
        }
        found[name] = (bool(record.get("isSidechain")), counts)
    return found


def is_agent_file(path: Path) -> bool:
    return path.name.startswith("agent-")


def claude_agents(path: Path) -> list[Path]:
    """Logs of the agents of a session: in its folder, or beside it with its id inside."""
    inside = list((path.with_suffix("") / "subagents").rglob("agent-*.jsonl"))
    ids = {record.get("sessionId") for record in records(path)}
    beside = [
        other
        for other in path.parent.glob("agent-*.jsonl")
        if {record.get("sessionId") for record in records(other)} & ids
    ]
    return inside + beside


def codex_counts(path: Path) -> Counts:
    seen: set[str] = set()
    found: list[Counts] = []
    by_response: list[Counts] = []
    for record in records(path):
        payload = part(record, "payload")
        if record.get("type") == "token_usage_record":
            by_response.append(codex_record_counts(part(payload, "usage")))
        info = part(payload, "info") if payload.get("type") == "token_count" else {}
        last = part(info, "last_token_usage")
        total = json.dumps(info.get("total_token_usage"), sort_keys=True)
        if total in seen or not (last.get("input_tokens") or last.get("output_tokens")):
            continue
        seen.add(total)
        cached = last.get("cached_input_tokens") or 0
        written = last.get("cache_write_input_tokens") or 0
        found.append(
            {
                "input_uncached": last["input_tokens"] - cached - written,
                "input_cached": cached,
                "cache_write": written,
                "output": last["output_tokens"],
            }
        )
    return added(found or by_response)


def codex_record_counts(usage: Record) -> Counts:
    """The same from the record of a response: some clients write no other."""
    cached, written = usage["cached_input_tokens"], usage.get("cache_creation_input_tokens") or 0
    return {
        "input_uncached": usage["input_tokens"] - cached - written,
        "input_cached": cached,
        "cache_write": written,
        "output": usage["output_tokens"],
    }


def gemini_messages(path: Path) -> Iterator[Record]:
    try:
        yield from json.loads(path.read_bytes())["messages"]
    except ValueError:
        for record in records(path):
            yield record
            yield from part(record, "$set").get("messages", [])


def gemini_counts(path: Path) -> Counts:
    found: dict[str, Counts] = {}
    for message in gemini_messages(path):
        tokens = part(message, "tokens")
        if not tokens or message.get("type") == "user":
            continue
        thoughts, tool = tokens.get("thoughts") or 0, tokens.get("tool") or 0
        inside = tokens.get("total") == tokens["input"] + tokens["output"] + tool
        found[message["id"]] = {
            "input_uncached": tokens["input"] - (tokens.get("cached") or 0) + tool,
            "input_cached": tokens.get("cached") or 0,
            "output": tokens["output"] + (0 if inside else thoughts),
        }
    return added(list(found.values()))


def qwen_counts(path: Path) -> Counts:
    """Of the log itself; thoughts stand beside the output where the sum says so."""
    found: dict[str, Counts] = {}
    for record in records(path):
        usage = part(record, "usageMetadata")
        if record.get("type") != "assistant" or not usage:
            continue
        given, cached = usage["promptTokenCount"], usage.get("cachedContentTokenCount") or 0
        said, thoughts = usage["candidatesTokenCount"], usage.get("thoughtsTokenCount") or 0
        inside = usage.get("totalTokenCount") == given + said
        found[record["uuid"]] = {
            "input_uncached": given - cached,
            "input_cached": cached,
            "output": said + (0 if inside else thoughts),
        }
    return added(list(found.values()))


def counted(capsysbinary: pytest.CaptureFixture[bytes], path: Path, *more: str) -> dict[str, Any]:
    assert agentview.cli.main(["stats", str(path), "--json", *more]) == 0
    return json.loads(capsysbinary.readouterr().out)


def plain(tally: dict[str, Any]) -> Counts:
    return {name: tally[name] or 0 for name in NAMES}


def names(paths: list[Path]) -> list[str]:
    return [path.relative_to(ROOT).as_posix() for path in paths]


CLAUDE = sorted(
    path for path in (ROOT / "claude_code").rglob("*.jsonl") if path.name != "journal.jsonl"
)
CODEX = sorted(path for path in (ROOT / "codex").rglob("*.jsonl") if path.parent.name != "printed")
GEMINI = sorted(
    path
    for path in (ROOT / "gemini_cli").rglob("*.json*")
    if path.parent.name != "printed" and path.name != "logs.json"
)


QWEN = sorted(
    path for path in (ROOT / "qwen_code").rglob("*.jsonl") if path.parent.name != "printed"
)


@pytest.mark.parametrize("path", CLAUDE, ids=names(CLAUDE))
def test_claude_code_by_message(path: Path, capsysbinary: pytest.CaptureFixture[bytes]):
    of_file = claude_messages(path)
    inline = [] if is_agent_file(path) else [each for side, each in of_file.values() if side]
    own = [each for side, each in of_file.values() if is_agent_file(path) or not side]
    agents = [] if is_agent_file(path) else claude_agents(path)
    theirs = [each for agent in agents for _, each in claude_messages(agent).values()]
    told = counted(capsysbinary, path)
    assert plain(told["own"]) == added(own)
    assert plain(told["subagents"]) == added([*inline, *theirs])
    assert plain(told["total"]) == added([*own, *inline, *theirs])
    assert plain(counted(capsysbinary, path, "--no-subagents")["total"]) == added(own)
    assert told["total"]["responses"] == len(own) + len(inline) + len(theirs)


@pytest.mark.parametrize("path", CODEX, ids=names(CODEX))
def test_codex_by_totals(path: Path, capsysbinary: pytest.CaptureFixture[bytes]):
    told = counted(capsysbinary, path, "--no-subagents")
    assert plain(told["total"]) == codex_counts(path)


@pytest.mark.parametrize("path", GEMINI, ids=names(GEMINI))
def test_gemini_cli_by_message(path: Path, capsysbinary: pytest.CaptureFixture[bytes]):
    told = counted(capsysbinary, path, "--no-subagents")
    assert plain(told["total"]) == gemini_counts(path)


@pytest.mark.parametrize("path", QWEN, ids=names(QWEN))
def test_qwen_code_by_record(path: Path, capsysbinary: pytest.CaptureFixture[bytes]):
    told = counted(capsysbinary, path, "--no-subagents")
    assert plain(told["total"]) == qwen_counts(path)


def test_the_samples_have_something_to_count():
    assert len(CLAUDE) > 20
    assert sum(bool(claude_messages(path)) for path in CLAUDE) > 15
    assert sum(any(codex_counts(path).values()) for path in CODEX) > 10
    assert sum(any(gemini_counts(path).values()) for path in GEMINI) > 6
    assert sum(any(qwen_counts(path).values()) for path in QWEN) > 3


def test_all_sessions_together_count_each_message_once(capsysbinary: pytest.CaptureFixture[bytes]):
    # What a session has of the past of another has the same id in both.
    begun: dict[str, Counts] = {}
    copies = 0
    for path in CLAUDE:
        for name, (_, counts) in claude_messages(path).items():
            copies += name in begun
            begun[name] = counts
    told = counted(capsysbinary, ROOT / "claude_code")
    assert copies > 0
    assert told["total"]["responses"] == len(begun)
    assert plain(told["total"]) == added(list(begun.values()))
