import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

from agentview.domain.events import User
from agentview.domain.session import Stream
from agentview.domain.session_state import SessionState
from agentview.domain.tools import ToolKind
from agentview.facts.usage.reader import measure
from agentview.facts.usage.tally import unpriced
from agentview.providers import load_provider
from agentview.sessions.following.embedded_subagents import open_side_log, open_side_logs
from agentview.sessions.following.live_session import LiveSession
from agentview.system.paths import sample_sessions_dir
from tests.claude_log import ClaudeLog
from tests.patience import PATIENCE

PRINTED = sample_sessions_dir() / "claude_stream" / "agents.jsonl"
OLD = sample_sessions_dir() / "claude_code" / "sidechain.jsonl"


def _opened(path: Path, provider: str) -> LiveSession:
    known = load_provider(provider)
    session = LiveSession(known, known.discovery.ref(path), live=True)
    session.open()
    return session


def _calls(session: LiveSession) -> list[tuple[int, Stream]]:
    """Rows of the calls that started agents, and the streams of these."""
    rows = [
        row for row in session.store.of_kinds({ToolKind.SUBAGENT_TASK}) if session.store.shown(row)
    ]
    return [
        (row, child) for row in rows if (child := session.store.activity(row).child) is not None
    ]


async def _until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not true():
            await asyncio.sleep(0.01)


def _shown(rows: LiveSession, stream: Stream | None = None) -> list[int]:
    """Places of the records of what is shown, of one stream where it is named."""
    return [
        rows.store.source(row).offset
        for row in range(rows.store.first, rows.store.end)
        if rows.store.shown(row) and stream in (None, rows.store.event(row).stream)
    ]


async def test_an_agent_in_the_log_of_another_has_a_log_of_its_own() -> None:
    session = _opened(PRINTED, "claude_stream")
    for call, stream in _calls(session):
        agent = await open_side_log(session, stream, call)
        assert agent is not None
        await _until(lambda agent=agent: agent.store.indexed)
        assert _shown(agent) == _shown(session, stream)
        assert not any(agent.store.nested(row) for row in range(agent.store.first, agent.store.end))
        facts = agent.header()
        assert facts.state is SessionState.ENDED
        assert facts.title
        assert facts.usage.input_uncached is not None
        used = measure(agent.ref, unpriced)
        assert used.own.usage.input_uncached == facts.usage.input_uncached
        assert used.agents.responses == 0
        card = session.store.activity(call).child_summary
        assert card is not None
        assert card.call_count == agent.store.summary.count(*ToolKind)
    session.close()


async def test_what_is_written_later_reaches_the_agent(tmp_path: Path) -> None:
    data = PRINTED.read_bytes()
    whole = _opened(PRINTED, "claude_stream")
    call, stream = _calls(whole)[0]
    cut = _shown(whole, stream)[1]
    path = tmp_path / "log.jsonl"
    path.write_bytes(data[:cut])
    session = _opened(path, "claude_stream")
    session.start()
    await _until(lambda: session.store.indexed)
    list(open_side_logs(session))
    agent = session.agent(stream)
    assert agent is not None
    with path.open("ab") as file:
        file.write(data[cut:])
    await _until(lambda: _shown(agent) == _shown(whole, stream))
    assert session.store.child_call(stream) == call
    session.close()


async def test_side_conversations_of_one_name_are_told_apart_by_their_records(
    tmp_path: Path,
) -> None:
    main, *sides = ClaudeLog(), ClaudeLog(), ClaudeLog()
    records = [main.prompt("Ask two agents")]
    records += [main.call(f"t{at}", "Task", prompt="Count them", description=f"no {at}")
                for at in range(2)]  # fmt: skip
    steps = [
        [side.prompt("Count them"), side.call(f"g{at}", "Glob", pattern=f"{at}*"),
         side.result(f"g{at}", "a.py"), side.text(f"Agent {at} counted")]
        for at, side in enumerate(sides)
    ]  # fmt: skip
    told = [step for pair in zip(*steps, strict=True) for step in pair]
    marked = [
        step.replace(b'"isSidechain": false', b'"isSidechain": true').replace(b"main-", who)
        for step, who in zip(told, [b"one-", b"two-"] * 4, strict=True)
    ]
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"".join(records + marked + [main.result("t0", "1"), main.result("t1", "2")]))
    session = _opened(path, "claude_code")
    calls = _calls(session)
    assert len({stream for _, stream in calls}) == 2
    for at, (call, stream) in enumerate(calls):
        agent = await open_side_log(session, stream, call)
        assert agent is not None
        await _until(lambda agent=agent: agent.store.indexed)
        store = agent.store
        bodies = [store.activity(row).body for row in range(store.first, store.end)
                  if store.shown(row)]  # fmt: skip
        assert len(bodies) == 3
        assert f"Agent {at} counted" in str(bodies[-1])
        assert isinstance(bodies[0], User)
        assert agent.store.summary.turns == 1
    session.close()


async def test_an_old_side_conversation_is_found_by_what_it_was_asked(tmp_path: Path) -> None:
    shutil.copy(OLD, tmp_path / OLD.name)
    session = _opened(tmp_path / OLD.name, "claude_code")
    ((call, stream),) = _calls(session)
    agent = await open_side_log(session, stream, call)
    assert agent is not None
    await _until(lambda: agent.store.indexed)
    assert agent.header().title == "Count the Python files."
    assert len(_shown(agent)) == 3
    session.close()


async def test_a_stream_that_the_log_does_not_hold_is_not_found() -> None:
    session = _opened(PRINTED, "claude_stream")
    assert await open_side_log(session, Stream(id="nobody"), session.store.first) is None
