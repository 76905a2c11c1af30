"""Agents of which a log says odd things, or of which the session is gone."""

import json
import shutil
from pathlib import Path

import pytest

from agentview.sessions.library.scan.scanner import scan_sessions
from agentview.sessions.library.session_list import Entry, Listing
from agentview.sessions.library.sort_group import finished
from tests.claude_log import BEGAN, SESSION, ClaudeLog, conversation, write
from tests.cli.conftest import CommandLine, Printed


@pytest.mark.slow
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


def test_agents_whose_session_is_gone_stand_for_themselves_everywhere(
    agentview: CommandLine, printed: Printed, tmp_path: Path
):
    place = agentview.home / ".claude" / "projects" / "-home-dev-shop"
    session = write(place / f"{SESSION}.jsonl", conversation(ClaudeLog(), 3))
    others = {f"a{number}" * 8: number + 1 for number in range(2)}
    inner = place / SESSION / "subagents"
    for name, turns in others.items():
        log = ClaudeLog(agent=name, began=BEGAN + 60 * turns)
        write(inner / f"agent-{name}.jsonl", conversation(log, turns))
    agentview.env["AGENTVIEW_DATA_DIR"] = str(tmp_path / "data")
    with_session = json.loads(printed("stats", "--json"))
    assert [row["id"] for row in json.loads(printed("ls", "--json"))] == [SESSION]
    assert "agent of the session" in agentview.fails(2, "archive", min(others))
    session.unlink()
    assert {row["id"] for row in json.loads(printed("ls", "--json"))} == {*others}
    assert {entry.info.ref.own_id for entry in listed(place)} == {*others}
    stats = json.loads(printed("stats", "--json", "--by", "session"))
    assert {group["key"] for group in stats["groups"]} == {*others}
    assert (stats["sessions"], stats["agents"]) == (2, 2)
    assert stats["subagents"]["tokens"] == with_session["subagents"]["tokens"] > 0
    assert stats["own"]["tokens"] is None
    printed("archive", "--all")
    kept = json.loads(printed("archive", "--list", "--json"))
    assert {each["session"]: len(each["files"]) for each in kept} == dict.fromkeys(others, 1)
    shutil.rmtree(place)
    assert {row["id"] for row in json.loads(printed("ls", "--json"))} == {*others}
    for name in others:
        assert json.loads(printed("stats", "--json", name))["session"]["id"] == name


def listed(place: Path) -> list[Entry]:
    """The lines of the library."""
    listing = Listing()
    for batch in scan_sessions([("claude_code", place)]):
        listing.add(batch.facts)
    return finished(listing.entries())
