import asyncio
from collections.abc import Callable
from pathlib import Path

from agentview.domain.session import LiveState, Stream
from agentview.domain.tools import ToolKind
from agentview.ingest.session import LiveSession
from agentview.ingest.side_stream import SideStream, holds_stream
from agentview.paths import sample_sessions_dir
from agentview.providers import load_provider
from agentview.tailing.splitter import cut_lines
from agentview.timeline.header import OpenSession
from agentview.timeline.model import CodedRows, LogRows

SAMPLE = sample_sessions_dir() / "claude_stream" / "agents.jsonl"
PROVIDER = load_provider("claude_stream")


def _opened(path: Path) -> LiveSession:
    session = LiveSession(PROVIDER, PROVIDER.discovery.ref(path), live=True)
    session.open()
    return session


def _calls(session: LiveSession) -> list[tuple[int, Stream]]:
    """Rows of the calls that started agents, and the streams of these."""
    rows = [row for row in session.of_kinds({ToolKind.SUBAGENT_TASK}) if session.shown(row)]
    return [(row, child) for row in rows if (child := session.activity(row).child) is not None]


async def _until(true: Callable[[], bool]) -> None:
    for _ in range(200):
        if true():
            return
        await asyncio.sleep(0.01)
    assert true()


def _shown(rows: SideStream) -> list[int]:
    return [row for row in range(rows.first, rows.end) if rows.shown(row)]


async def test_only_what_the_agent_did_is_shown_and_as_if_it_were_the_main_stream() -> None:
    session = _opened(SAMPLE)
    seen: set[int] = set()
    for call, stream in _calls(session):
        assert holds_stream(session, call, stream)
        side = SideStream(session, stream, call)
        session_like: OpenSession = side
        assert isinstance(session_like, LogRows)
        assert isinstance(session_like, CodedRows)
        side.start()
        expected = [
            row
            for row in range(session.first, session.end)
            if session.shown(row) and session.activity(row).first.stream == stream
        ]
        await _until(lambda side=side, expected=expected: _shown(side) == expected)
        assert len(expected) > 1
        assert not seen & set(expected)
        seen |= set(expected)
        facts = side.header()
        assert facts.rows == len(expected)
        assert facts.state is LiveState.ENDED
        assert facts.title
        assert facts.usage.output is None
        assert side.ref.stream == stream
        assert {side.activity(row).first.stream for row in side.of_kinds({ToolKind.SHELL})} == {
            stream
        }
        side.close()


async def test_rows_that_are_written_later_are_told_to_who_listens(tmp_path: Path) -> None:
    data = SAMPLE.read_bytes()
    whole = _opened(SAMPLE)
    call, stream = _calls(whole)[0]
    own = [r for r in range(whole.end) if whole.shown(r)
           and whole.activity(r).first.stream == stream]  # fmt: skip
    cut = whole.source(own[1]).offset
    path = tmp_path / "log.jsonl"
    path.write_bytes(data[:cut])
    session = _opened(path)
    side = SideStream(session, stream, call)
    heard: list[int] = []
    side.subscribe(lambda change: heard.extend(change.updated))
    side.start()
    await _until(lambda: _shown(side) == own[:1])
    with path.open("ab") as file:
        file.write(data[cut:])
    session.take(cut_lines(data[cut:], 0, cut))
    await _until(lambda: _shown(side) == own)
    assert set(own) <= set(heard)
    side.close()
    heard.clear()
    session.announce_state()
    assert heard == []


def test_a_stream_that_the_log_does_not_hold_is_not_found() -> None:
    session = _opened(SAMPLE)
    assert not holds_stream(session, session.first, Stream(id="nobody"))
