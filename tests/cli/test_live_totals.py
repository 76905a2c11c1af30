"""What a live session used is the same for all commands at any moment of it."""

import json
import time
from typing import Any

from agentview.domain.usage import Usage
from tests.claude_log import ClaudeLog, conversation, write
from tests.cli.conftest import FIRST, CommandLine, Printed


def tokens_of(usage: dict[str, Any]) -> int | None:
    return Usage(**{name: usage[name] for name in Usage.__struct_fields__}).context


def test_tokens_and_calls_of_a_session_that_is_written_are_those_of_its_logs(
    agentview: CommandLine, printed: Printed
):
    place = agentview.home / ".claude" / "projects" / "-home-dev-shop"
    began = time.time() - 60
    log, agent = ClaudeLog(FIRST, began=began), ClaudeLog(FIRST, agent="a1", began=began + 9)
    path = write(place / f"{FIRST}.jsonl", conversation(log, 2))
    inner = write(place / FIRST / "subagents" / "agent-a1.jsonl", conversation(agent, 1))
    seen: list[int] = []
    for written, by in ((path, log), (inner, agent), (path, log)):
        with written.open("ab") as file:
            file.write(b"".join(conversation(by, 3)))
        # First without, then with what the run before has kept.
        for _ in range(2):
            (live,) = json.loads(printed("status", "--json"))
            (listed,) = json.loads(printed("ls", "--json"))
            stats = json.loads(printed("stats", "--json", FIRST))
            total = stats["total"]["tokens"]
            assert (live["tokens"], listed["tokens"]) == (total, total)
            assert (live["cost"], listed["cost"]) == (stats["cost"], stats["cost"])
            assert tokens_of(listed["totals"]["tokens"]) == stats["own"]["tokens"]
            seen.append(total)
    assert len({*seen}) == 3
    path.write_bytes(b"".join(conversation(ClaudeLog(FIRST, began=began), 1)))
    (live,) = json.loads(printed("status", "--json"))
    assert live["tokens"] == json.loads(printed("stats", "--json", FIRST))["total"]["tokens"]
    assert 0 < live["tokens"] < seen[-1]
