"""An agent whose result names the agent itself: it is shown once, and nothing goes round."""

import json
from pathlib import Path

import pytest

from tests.claude_log import SESSION, ClaudeLog, conversation, write
from tests.cli.conftest import CommandLine

pytestmark = pytest.mark.slow


def test_an_agent_that_names_itself_ends_no_command(agentview: CommandLine, tmp_path: Path):
    place = agentview.home / ".claude" / "projects" / "-home-dev-shop"
    write(place / f"{SESSION}.jsonl", conversation(ClaudeLog(), 3))
    log = ClaudeLog(agent="a1")
    records = [
        log.prompt("Look."),
        log.call("t1", "Agent", prompt="Look.", description="x", subagent_type="Explore"),
        log.result("t1", "Done.", {"status": "completed", "agentId": "a1", "content": []}),
        log.text("It is done."),
    ]
    write(place / SESSION / "subagents" / "agent-a1.jsonl", records)
    lines = [json.loads(line) for line in agentview.ok("events", SESSION).splitlines()]
    assert [line["text"] for line in lines if line.get("text") == "It is done."] == ["It is done."]
    (row,) = json.loads(agentview.ok("ls", "--json"))
    assert row["id"] == SESSION
    for command in (("stats", "--json"), ("cat", "--detail", "full"), ("diff",)):
        assert "Traceback" not in agentview.ok(command[0], SESSION, *command[1:])
