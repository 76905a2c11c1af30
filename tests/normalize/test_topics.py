"""Topics that an agent sets with a tool are headings: no surface counts them as calls."""

import json
from pathlib import Path

import pytest

import agentview.cli
from agentview.domain.activity import RowKind
from agentview.domain.tool_inputs import TopicPayload
from agentview.domain.tools import ToolCall, ToolKind
from agentview.providers import load_provider
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import joined, shown

LOGS = (
    ("gemini_cli", "gemini_cli/agents/session-2026-11-21T00-16-7d1ee15f.jsonl"),
    ("copilot", "copilot/demo.jsonl"),
    ("happier", "happier/demo.jsonl"),
)


@pytest.mark.parametrize(("provider", "name"), LOGS)
@pytest.mark.parametrize("backward", [False, True])
def test_a_topic_is_no_call(provider: str, name: str, *, backward: bool):
    store = joined(load_provider(provider), sample_sessions_dir() / name, backward=backward)
    bodies = [each.body for each in shown(store) if isinstance(each.body, ToolCall)]
    topics = [body for body in bodies if isinstance(body.payload, TopicPayload)]
    assert topics
    assert all(body.payload != TopicPayload() for body in topics)
    assert store.summary.count(RowKind.TOPIC) == len(topics)
    assert store.summary.count(*ToolKind) == len(bodies) - len(topics)


@pytest.mark.parametrize(("provider", "name"), LOGS)
def test_events_and_stats_agree(provider: str, name: str, capsys: pytest.CaptureFixture[str]):
    path = str(sample_sessions_dir() / name)
    assert agentview.cli.main(["events", "--provider", provider, path]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    own = [line for line in lines if Path(line["records"][0]["file"]).name == Path(name).name]
    assert [line for line in own if line["type"] == "topic"]
    assert agentview.cli.main(["stats", "--json", "--provider", provider, path]) == 0
    tools = json.loads(capsys.readouterr().out)["tools"]
    calls = sum(line["type"] == "tool_call" for line in lines)
    assert sum(tool["calls"] for tool in tools) == calls
    assert not {"update_topic", "report_intent", "change_title"} & {tool["name"] for tool in tools}
