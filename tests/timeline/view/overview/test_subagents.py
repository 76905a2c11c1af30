from pathlib import Path

from agentview.domain.tools import ToolKind
from agentview.providers import load_provider
from agentview.sessions.following.live_session import LiveSession
from agentview.system.paths import sample_sessions_dir
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.view.overview.subagents import (
    Agent,
    Known,
    agent_name,
    agent_task,
    agent_totals,
    agent_tree,
)
from tests.claude_log import ClaudeLog, write
from tests.nested_agents import nested_logs, workflow_logs

FOLDER = sample_sessions_dir() / "claude_code" / "agents"


def _opened(path: Path, provider: str = "claude_code") -> LiveSession:
    """A session with the logs of its agents, as they are after its start."""
    made = load_provider(provider)
    session = LiveSession(made, made.discovery.ref(path))
    session.open()
    for ref in made.discovery.children(session.ref):
        agent = LiveSession(made, ref)
        agent.open()
        for store in (session.store, *session.store.children.values()):
            store.set_child(ref.stream, agent.store, ref.parent_call)
        for stream, other in session.store.children.items():
            if other is not agent.store:
                agent.store.set_child(stream, other, other.session.parent_call)
    return session


def _tree(store: SessionStore, known: Known | None = None) -> list[Agent]:
    return [agent for agent in agent_tree(store, known) if agent is not None]


def _name(agent: Agent) -> str:
    call = None if agent.row is None else agent.parent.activity(agent.row)
    if agent.log is None:
        return agent_name(call)
    return agent_name(call, agent.log.session, agent.log.summary.first_prompt)


def test_agents_stand_in_the_order_of_their_calls_with_what_they_did() -> None:
    session = _opened(next(FOLDER.glob("*.jsonl")))
    agents = _tree(session.store)
    calls = [None if each.row is None else session.store.activity(each.row) for each in agents]
    named = [_name(each) for each in agents]
    assert named == ["general-purpose", "Explore", "general-purpose", "Review src/app.py."]
    assert [agent_task(call) for call in calls[:2]] == ["Count the lines", "Explore docs"]
    assert {each.depth for each in agents} == {0}
    assert [_tree(each.log) for each in agents if each.log is not None] == [[]] * 4
    totals = agent_totals(agents[0].log, calls[0])
    log = agents[0].log
    assert log is not None
    assert totals.calls == log.summary.count(*ToolKind) == 3
    assert totals.problems == 0
    assert totals.seconds is not None
    assert 2.0 < totals.seconds < 4.0


def test_agents_that_agents_started_stand_below_them(tmp_path: Path) -> None:
    path = nested_logs(tmp_path, 4)
    session = _opened(path)
    agents = _tree(session.store)
    assert [each.depth for each in agents] == [0, 1, 2, 3]
    assert [[stream.id for stream in each.way] for each in agents] == [
        [f"a{n}" for n in range(1, depth + 1)] for depth in range(1, 5)
    ]
    assert [each.parent is session.store for each in agents] == [True, False, False, False]


def test_agents_of_a_workflow_stand_below_its_call_with_their_own_names(tmp_path: Path) -> None:
    agents = _tree(_opened(workflow_logs(tmp_path, run="wf_1")).store)
    names = ["review", "map:loader", "map:writer", "Check part 2"]
    assert [_name(each) for each in agents] == names
    assert [each.depth for each in agents] == [0, 1, 1, 1]
    assert [[stream.id for stream in each.way] for each in agents] == [[], ["a0"], ["a1"], ["a2"]]


def test_a_call_without_a_log_is_an_agent_too(tmp_path: Path) -> None:
    log = ClaudeLog()
    call = log.call("t1", "Task", subagent_type="helper", description="Help", prompt="Do help.")
    session = _opened(write(tmp_path / "log.jsonl", [log.prompt("go"), call]))
    (agent,) = _tree(session.store)
    (row,) = session.store.of_kinds({ToolKind.SUBAGENT_TASK})
    assert (agent.row, agent.log, agent.way) == (row, None, ())
    assert agent_name(session.store.activity(row)) == "helper"
    assert agent_totals(None, session.store.activity(row)).calls is None


def test_calls_that_speak_to_agents_or_wait_for_them_are_no_agents() -> None:
    session = _opened(next((FOLDER.parent.parent / "codex" / "code_mode").glob("*f74e*")), "codex")
    known = Known()
    agents = _tree(session.store, known)
    calls = session.store.of_kinds({ToolKind.SUBAGENT_TASK})
    assert 0 < len(agents) < len([row for row in calls if session.store.shown(row)])
    assert all(agent.log is not None for agent in agents)
    decoded = session.store.decoded
    assert _tree(session.store, known) == agents
    assert session.store.decoded == decoded
