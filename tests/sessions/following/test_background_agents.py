"""An agent in the background runs until what it has started has ended."""

import json
from pathlib import Path

from agentview.domain.tools import ToolCall, ToolState
from agentview.providers import load_provider
from agentview.sessions.following.live_session import LiveSession
from tests.claude_log import SESSION, ClaudeLog, write

LAUNCHED = "Async agent launched successfully.\nagentId: {}"


def launching(log: ClaudeLog, call_id: str, agent: str) -> list[bytes]:
    """Records of a call that starts an agent in the background."""
    structured = {"isAsync": True, "status": "async_launched", "agentId": agent}
    return [
        log.call(call_id, "Agent", description=agent, prompt=f"Work of {agent}"),
        log.result(call_id, LAUNCHED.format(agent), structured),
    ]


async def state_of_agent(path: Path) -> ToolState:
    provider = load_provider("claude_code")
    ref = provider.discovery.ref(path)
    session = LiveSession(provider, ref, live=True)
    session.open()
    try:
        await session.catch_up(provider.discovery.children(ref))
        store = session.store
        calls = [store.activity(row).body for row in range(store.first, store.end)]
        (call,) = [call for call in calls if isinstance(call, ToolCall)]
        return call.state
    finally:
        session.close()


async def test_an_agent_whose_agent_works_has_not_ended(tmp_path: Path) -> None:
    path, inner = tmp_path / f"{SESSION}.jsonl", tmp_path / SESSION / "subagents"
    main, first, second = ClaudeLog(), ClaudeLog(agent="a1"), ClaudeLog(agent="a2")
    write(path, [main.prompt("Go"), *launching(main, "t1", "a1"), main.text("It works.")])
    done = [first.prompt("Work of a1"), *launching(first, "t2", "a2"), first.text("Started.")]
    write(inner / "agent-a1.jsonl", done)
    begun = [second.prompt("Work of a2"), second.call("b", "Bash", command="make")]
    write(inner / "agent-a2.jsonl", begun)
    for agent, call in (("a1", "t1"), ("a2", "t2")):
        (inner / f"agent-{agent}.meta.json").write_text(json.dumps({"toolUseId": call}))
    assert await state_of_agent(path) is ToolState.INPUT_AVAILABLE
    write(inner / "agent-a2.jsonl", [*begun, second.result("b", "made"), second.text("Made.")])
    assert await state_of_agent(path) is ToolState.OUTPUT_AVAILABLE
