"""Sessions of DeepSeek Harness, joined as they are shown, against what a plain reading counts."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.events import Attachment, Compaction, Notification, Reasoning, User
from agentview.domain.session import StreamKind
from agentview.domain.tools import ToolKind, ToolState
from agentview.providers import load_provider, provider_roots, recognise
from agentview.providers.deepseek_harness import PROVIDER
from agentview.system import zstd
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import calls, joined, shown, texts

SAMPLES = sample_sessions_dir() / "deepseek_harness" / "harbour"
DEMO = SAMPLES / "s-harbour-1" / "session.jsonl"
each_way = pytest.mark.parametrize("backward", [False, True])


def _records() -> list[dict[str, Any]]:
    return [json.loads(line) for line in DEMO.read_text().splitlines()]


def _packed(path: Path, lines: list[str]) -> Path:
    """A log as the client writes it: a frame for the first line, and one for each time it wrote."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(zstd.packed(f"{line}\n".encode(), 3) for line in lines))
    return path


def _session(root: Path, own: str, name: str = "session.jsonl.zstd") -> Path:
    lines = (SAMPLES / own / "session.jsonl").read_text().splitlines()
    return _packed(root / "-home-dev-harbour" / own / name, lines)


@each_way
def test_every_call_is_shown_with_what_came_of_it(backward: bool):
    begun = [each["data"] for each in _records() if each["type"] == "tool/call"]
    made = calls(joined(PROVIDER, DEMO, backward=backward))
    assert {own: (call.provider_name, call.args) for own, call in made.items()} == {
        each["callId"]: (each["name"], json.loads(each["arguments"])) for each in begun
    }
    assert [(call.kind, call.state, call.ok) for call in made.values()] == [
        (ToolKind.READ, ToolState.OUTPUT_AVAILABLE, True),
        (ToolKind.SHELL, ToolState.OUTPUT_ERROR, False),
        (ToolKind.SUBAGENT_TASK, ToolState.OUTPUT_AVAILABLE, True),
        (ToolKind.TODOS, ToolState.OUTPUT_AVAILABLE, True),
        (ToolKind.SHELL, ToolState.OUTPUT_AVAILABLE, None),
    ]


@each_way
def test_only_what_the_person_wrote_is_a_prompt(backward: bool):
    bodies = [each.body for each in shown(joined(PROVIDER, DEMO, backward=backward))]
    asked = [body.text for body in bodies if isinstance(body, User)]
    assert asked == ["Count the crates.", "Weigh them.", "Try again."]
    notes = [body.name for body in bodies if isinstance(body, Attachment)]
    assert notes == ["note of workspace", "system message"]
    assert [body.text for body in bodies if isinstance(body, Reasoning)] == ["A list of crates."]
    summaries = [body.summary for body in bodies if isinstance(body, Compaction)]
    assert summaries == ["The crates were counted: nine."]
    said = [body.text for body in bodies if isinstance(body, Notification)]
    assert "Too many requests" in said
    assert "Model: deepseek-v4-flash" in said


def test_tokens_are_those_of_the_responses():
    usage = [e["data"]["usage"] for e in _records() if e["type"] == "assistant/message"]
    totals = joined(PROVIDER, DEMO).summary.usage
    assert (totals.input_uncached, totals.input_cached, totals.output) == (
        sum(each["inputTokens"] for each in usage),
        sum(each["cacheReadTokens"] for each in usage),
        sum(each["outputTokens"] for each in usage),
    )


def test_a_packed_log_of_many_frames_is_read_as_what_it_holds(tmp_path: Path):
    path = _packed(tmp_path / "session.jsonl.zstd", DEMO.read_text().splitlines())
    assert texts(joined(PROVIDER, path)) == texts(joined(PROVIDER, DEMO))


def test_a_list_names_a_packed_session_and_its_agents(tmp_path: Path):
    (root,) = provider_roots(PROVIDER.name, {"HOME": str(tmp_path)})
    _session(root, "s-harbour-1")
    _session(root, "s-agent-1")
    refs = {ref.stream.kind: ref for ref in PROVIDER.scan(root)}
    main = refs[StreamKind.MAIN]
    info = PROVIDER.info(main)
    assert info.ref.session_id == "s-harbour-1"
    assert (info.project, info.title) == ("/home/dev/harbour", "Count the crates.")
    (agent,) = PROVIDER.discovery.children(main)
    assert (agent.session_id, agent.stream.id) == ("s-harbour-1", "s-agent-1")


def test_an_agent_of_an_agent_belongs_to_the_session(tmp_path: Path):
    (root,) = provider_roots(PROVIDER.name, {"HOME": str(tmp_path)})
    main = PROVIDER.discovery.ref(_session(root, "s-harbour-1"))
    _session(root, "s-agent-1")
    header = json.loads((SAMPLES / "s-agent-1" / "session.jsonl").read_text().splitlines()[0])
    inner = header | {"id": "s-agent-2", "parentSession": "s-agent-1", "delegationDepth": 2}
    _packed(root / "-home-dev-harbour" / "s-agent-2" / "session.jsonl.zstd", [json.dumps(inner)])
    found = PROVIDER.discovery.children(main)
    assert {(each.session_id, each.stream.id) for each in found} == {
        ("s-harbour-1", "s-agent-1"),
        ("s-harbour-1", "s-agent-2"),
    }


def test_of_several_files_of_a_session_the_last_is_listed(tmp_path: Path):
    (root,) = provider_roots(PROVIDER.name, {"HOME": str(tmp_path)})
    _session(root, "s-harbour-1")
    newest = _session(root, "s-harbour-1", "session.v10.jsonl.zstd")
    _session(root, "s-harbour-1", "session.v9.jsonl.zstd")
    assert [ref.path for ref in PROVIDER.scan(root)] == [str(newest)]


def test_a_log_is_recognised_outside_of_its_folder(tmp_path: Path):
    known = load_provider("deepseek_harness")
    assert recognise(DEMO.read_bytes(), Path("unnamed")) == known
    shutil.copy(DEMO, tmp_path / "x.jsonl")
    assert PROVIDER.discovery.session_at(tmp_path / "x.jsonl") is not None
