"""Agents of a workflow as the commands show them: part of the call that started them."""

import json

import pytest

from tests.cli.conftest import FIRST, CommandLine
from tests.nested_agents import workflow_logs


@pytest.mark.slow
@pytest.mark.parametrize("run", ["wf_1", None])
def test_agents_of_a_workflow_belong_to_its_call(agentview: CommandLine, run: str | None) -> None:
    folder = agentview.home / ".claude" / "projects" / "-home-dev-shop"
    path = workflow_logs(folder, run=run, session=FIRST)
    lines = [json.loads(line) for line in agentview.ok("events", str(path)).splitlines()]
    owners = {line["stream"]["id"]: line.get("parent_call") for line in lines}
    assert owners == {"": None, "a0": "w1", "a1": "w1", "a2": "w1"}
    titles = agentview.ok("cat", str(path), "--detail", "title").splitlines()
    assert ["3 agents" in title for title in titles] == [False, True]
