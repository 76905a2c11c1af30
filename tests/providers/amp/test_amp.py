"""Threads of Amp, against what a plain reading of the documents counts."""

import json
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.events import Notification, Topic, User
from agentview.domain.session_state import SessionState
from agentview.domain.tool_inputs import SubagentPayload
from agentview.domain.tool_results import ShellResult
from agentview.domain.tools import ToolCall, ToolKind, ToolState
from agentview.providers import load_provider
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import calls, joined, shown

FOLDER = sample_sessions_dir() / "amp"
PROVIDER = load_provider("amp")


def document(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_bytes())


@pytest.mark.parametrize("name", ["demo", "live", "stopped"])
def test_every_call_is_shown_once(name: str):
    parts = [part for message in document(name)["messages"] for part in message["content"]]
    asked = {part["id"] for part in parts if part["type"] == "tool_use"}
    assert set(calls(joined(PROVIDER, FOLDER / f"{name}.json"))) == asked


def test_tokens_are_those_of_the_responses():
    used = [each["usage"] for each in document("demo")["messages"] if "usage" in each]
    usage = joined(PROVIDER, FOLDER / "demo.json").summary.usage
    given = (usage.input_uncached or 0) + (usage.input_cached or 0) + (usage.cache_write or 0)
    assert given == sum(each["totalInputTokens"] for each in used)
    assert usage.output == sum(each["outputTokens"] for each in used)


def test_outcomes():
    made = calls(joined(PROVIDER, FOLDER / "demo.json"))
    shell = made["toolu_2"]
    assert isinstance(shell.result, ShellResult)
    assert (shell.ok, shell.result.exit_code) == (False, 2)
    assert made["toolu_4"].interrupted
    assert made["toolu_7"].state is ToolState.OUTPUT_DENIED
    assert (made["toolu_8"].kind, made["toolu_8"].error) == (ToolKind.MCP, "berth 7 is taken")
    oracle = made["toolu_5"].payload
    assert isinstance(oracle, SubagentPayload)
    assert (oracle.agent_type, oracle.prompt) == ("oracle", "Where is the rice?")
    assert made["toolu_4"].kind is ToolKind.SEM_SEARCH


def test_a_call_at_work_shows_what_it_has_done():
    activity = shown(joined(PROVIDER, FOLDER / "live.json"))[-1]
    assert isinstance(activity.body, ToolCall)
    assert activity.body.state is ToolState.INPUT_AVAILABLE
    assert activity.progress == "lifting tea\n"
    info = PROVIDER.info(PROVIDER.discovery.ref(FOLDER / "live.json"))
    assert (info.state, info.status.certain) == (SessionState.WORKING, True)


def test_a_response_that_was_stopped():
    bodies = [each.body for each in shown(joined(PROVIDER, FOLDER / "stopped.json"))]
    assert [body.topic for body in bodies if isinstance(body, Notification)] == [Topic.INTERRUPT]
    info = PROVIDER.info(PROVIDER.discovery.ref(FOLDER / "stopped.json"))
    assert (info.title, info.state) == ("Sail.", SessionState.INTERRUPTED)


def test_session_facts():
    info = PROVIDER.info(PROVIDER.discovery.ref(FOLDER / "demo.json"))
    assert (info.title, info.project, info.branch) == (
        "Unload the ship",
        "/home/dev/the harbour",
        "main",
    )
    assert (info.model, info.client_version) == ("quay-1", "0.0.1783000000")
    assert info.state is SessionState.YOUR_TURN
    command = ("amp", "threads", "continue", document("demo")["id"])
    assert PROVIDER.resume_command(info.ref) == command
    store = joined(PROVIDER, FOLDER / "demo.json")
    (prompt,) = [each.body for each in shown(store) if isinstance(each.body, User)]
    assert len(prompt.blocks) == 1


def test_other_documents_are_not_taken():
    probe = PROVIDER.discovery.probe
    assert (
        probe(b'{"id": "T-7f0e2c4a-0000-4000-8000-000000000001", "messages": []}', Path("x")) == 0
    )
    assert probe(b'{"id": "thread-1", "v": 1, "created": 1, "messages": []}', Path("x")) == 0
