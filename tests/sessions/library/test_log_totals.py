"""What logs hold as a whole: the same as their timelines show, and what calls changed."""

import asyncio
import time
from json import dumps
from pathlib import Path

import pytest

from agentview.domain.session_state import SessionState
from agentview.domain.tools import ToolKind
from agentview.errors import AgentViewError
from agentview.facts.usage.claims import ResponseDedupe
from agentview.facts.usage.pricing import PriceList
from agentview.facts.usage.reader import measure
from agentview.providers import load_provider
from agentview.sessions.following.live_session import LiveSession
from agentview.sessions.library.log_totals import StoppedError, totals_of_log
from agentview.sessions.library.session_record import SessionTotals
from agentview.system.paths import sample_sessions_dir
from agentview.timeline.view.cost import Cost
from agentview.timeline.view.overview.last_words import last_words
from tests.claude_log import ClaudeLog, write
from tests.samples import Sample, line_samples

PRICES = PriceList()
STOPPED = "rollout-2026-11-21T00-08-37-01a1fb6e-fedb-7ee3-a93d-6342e035ac60.jsonl"
SESSION = "1" * 8 + "-1111-4111-8111-" + "1" * 12


def totals_of(provider: str, path: Path) -> SessionTotals:
    known = load_provider(provider)
    return totals_of_log(known.info(known.discovery.ref(path)), PRICES)


async def opened(provider: str, path: Path) -> LiveSession:
    """The session, read to its end, with the facts of both ends."""
    known = load_provider(provider)
    session = LiveSession(known, known.discovery.ref(path), live=False)
    session.open()
    session.start()
    while not session.store.indexed or session.log.info is None:
        await asyncio.sleep(0.005)
    session.close()
    return session


@pytest.mark.slow
@pytest.mark.parametrize("sample", line_samples(), ids=str)
async def test_totals_are_what_the_timeline_shows(sample: Sample):
    totals = totals_of(sample.provider.name, sample.path)
    session = await opened(sample.provider.name, sample.path)
    summary, header = session.store.summary, session.header()
    assert totals.turns == summary.turns
    assert totals.problems == summary.problems
    assert totals.last_words == last_words(session.store)
    assert totals.usage == summary.usage
    assert totals.context_tokens == header.context_tokens
    assert totals.context_window == header.context_window
    assert totals.cost.client == pytest.approx(header.cost)  # pyright: ignore[reportUnknownMemberType]  (summed in two orders)
    info = sample.provider.info(session.ref)
    assert (info.model, info.client_version) == (header.model, summary.text("client_version"))
    assert info.project in (None, header.cwd)
    assert totals.calls == {kind: n for kind in ToolKind if (n := summary.count(kind))}
    assert (totals.size, totals.modified) == (
        sample.path.stat().st_size,
        sample.path.stat().st_mtime,
    )


async def test_what_a_call_still_brings_sets_a_session_that_was_stopped_not_to_work():
    path = sample_sessions_dir() / "codex" / "agents" / STOPPED
    session = await opened("codex", path)
    info = session.store.provider.info(session.ref)
    assert info.state is session.store.status(time.time()).state is SessionState.INTERRUPTED


async def test_what_an_agent_printed_last_is_not_what_its_session_does(tmp_path: Path):
    def said(text: str, model: str, call: str | None = None) -> bytes:
        content = [{"type": "text", "text": text}]
        message = {"id": text, "model": model, "role": "assistant", "content": content}
        told = {"type": "assistant", "message": message, "parent_tool_use_id": call}
        return dumps(told | {"session_id": "s", "uuid": text}).encode() + b"\n"

    records = [said("One", "claude-opus-5-5"), said("Two", "claude-haiku-4-5", "toolu_1")]
    path = write(tmp_path / "printed.jsonl", records)
    session = await opened("claude_stream", path)
    info = session.store.provider.info(session.ref)
    assert info.model == session.header().model == "claude-opus-5-5"
    assert info.state is session.store.status(time.time()).state is SessionState.YOUR_TURN


class TestChanges:
    def log(self, tmp_path: Path, *records: bytes) -> SessionTotals:
        path = tmp_path / f"{SESSION}.jsonl"
        write(path, list(records))
        return totals_of("claude_code", path)

    def test_files_that_calls_changed_in_the_order_of_the_first_change(self, tmp_path: Path):
        log = ClaudeLog(SESSION)
        totals = self.log(
            tmp_path,
            log.prompt("Mend it"),
            log.call("c1", "Read", file_path="/w/read.py"),
            log.call("c2", "Write", file_path="/w/new.py", content="x"),
            log.result("c2", "done"),
            log.call("c3", "Edit", file_path="/w/till.py", old_string="a", new_string="b"),
            log.result("c3", "done"),
            log.call("c4", "Edit", file_path="/w/new.py", old_string="a", new_string="b"),
            log.call("c5", "Bash", command="echo hi"),
        )
        assert totals.files == ("/w/new.py", "/w/till.py")
        assert totals.tools == ("Read", "Write", "Edit", "Bash")
        assert totals.calls == {
            ToolKind.READ: 1, ToolKind.WRITE: 1, ToolKind.EDIT: 2, ToolKind.SHELL: 1
        }  # fmt: skip

    def test_a_change_that_failed_is_none(self, tmp_path: Path):
        log = ClaudeLog(SESSION)
        totals = self.log(
            tmp_path,
            log.prompt("Mend it"),
            log.call("c1", "Edit", file_path="/w/a.py", old_string="a", new_string="b"),
            log.result("c1", "<tool_use_error>String not found</tool_use_error>", is_error=True),
            log.call("c2", "Edit", file_path="/w/b.py", old_string="a", new_string="b"),
            log.result("c2", "failed", is_error=True),
            log.call("c3", "Edit", file_path="/w/b.py", old_string="a", new_string="b"),
            log.result("c3", "done"),
        )
        assert totals.files == ("/w/b.py",)
        assert totals.problems == 2

    def test_tokens_and_costs_are_those_of_each_response_once(self, tmp_path: Path):
        log = ClaudeLog(SESSION)
        totals = self.log(tmp_path, log.prompt("Hello"), log.text("One"), log.text("Two"))
        assert (totals.usage.input_uncached, totals.usage.output) == (10, 20)
        assert totals.models == ("claude-opus-5-5",)
        assert totals.turns == 1


async def test_a_figure_of_the_client_is_of_the_session_until_that_goes_on(tmp_path: Path):
    log = ClaudeLog(SESSION)
    path = tmp_path / f"{SESSION}.jsonl"
    records = [log.prompt("Mend it"), log.text("Done")]
    for number, figure in enumerate((0.5, 0.75)):
        told = {"type": "cost-state", "sessionId": SESSION, "totalCostUSD": figure}
        records.append(dumps(told).encode() + b"\n")
        # A prompt alone costs nothing yet.
        for more in ((), (log.prompt(f"Go on {number}"),)):
            records += more
            write(path, records)
            assert await client_costs(path) == (figure, figure, figure)
        records.append(log.text(f"Went on {number}"))
        write(path, records)
        assert await client_costs(path) == (None, None, None)


async def client_costs(path: Path) -> tuple[float | None, ...]:
    """The client's figure in the library, in the header and in what is counted of a session."""
    session = await opened("claude_code", path)
    counted = measure(session.ref, PRICES)
    totals = totals_of("claude_code", path)
    return totals.cost.client, session.header().cost, counted.cost.client


def test_a_figure_of_the_client_is_not_of_a_session_without_its_agents(tmp_path: Path):
    log = ClaudeLog(SESSION)
    path = tmp_path / f"{SESSION}.jsonl"
    told = {"type": "cost-state", "sessionId": SESSION, "totalCostUSD": 0.5}
    write(path, [log.prompt("Mend it"), log.text("Done"), dumps(told).encode() + b"\n"])
    ref = load_provider("claude_code").discovery.ref(path)
    assert measure(ref, PRICES, agents=False).cost.shown == 0.5
    agent = ClaudeLog(SESSION, agent="a1")
    (tmp_path / SESSION / "subagents").mkdir(parents=True)
    write(tmp_path / SESSION / "subagents" / "agent-a1.jsonl", [agent.text("Mended")])
    assert measure(ref, PRICES).cost.source == "client"
    assert measure(ref, PRICES, agents=False).cost.source == "estimate"
    claims = ResponseDedupe()
    assert measure(ref, PRICES, claims.of(ref.provider)).cost.source == "client"
    assert measure(ref, PRICES, claims.of(ref.provider)).cost.source is None


def test_what_nobody_stated_is_unknown(tmp_path: Path):
    path = tmp_path / f"{SESSION}.jsonl"
    write(path, [ClaudeLog(SESSION).prompt("Hello")])
    totals = totals_of("claude_code", path)
    assert (totals.cost, totals.context_tokens, totals.context_window) == (Cost(), None, None)
    assert (totals.usage.input_uncached, totals.usage.output) == (None, None)
    assert (totals.calls, totals.tools, totals.files, totals.models) == ({}, (), (), ())


def test_a_log_that_is_gone_is_an_error(tmp_path: Path):
    provider = load_provider("claude_code")
    info = provider.info(provider.discovery.ref(tmp_path / "none.jsonl"))
    with pytest.raises(AgentViewError):
        totals_of_log(info, PRICES)


def test_it_stops_when_it_is_told_to(tmp_path: Path):
    path = tmp_path / f"{SESSION}.jsonl"
    write(path, [ClaudeLog(SESSION).prompt("Hello")])
    provider = load_provider("claude_code")
    with pytest.raises(StoppedError):
        totals_of_log(provider.info(provider.discovery.ref(path)), PRICES, lambda: True)
