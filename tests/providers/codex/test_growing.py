"""A log that grows while it is open comes to what it is when it is opened as a whole."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from agentview.facts.usage.reader import LogUsageReader
from agentview.facts.usage.tally import unpriced
from agentview.providers.codex import PROVIDER
from agentview.providers.codex.discovery import DISCOVERY
from agentview.providers.codex.forked_prefix import MOST
from agentview.reports.export.events import RESET
from agentview.reports.export.log_feed import LogFeed
from agentview.reports.export.records import RecordLines
from agentview.sessions.following.live_session import LiveSession
from tests.patience import until
from tests.providers.codex.log import Record
from tests.providers.codex.test_inherited import (
    AGENT,
    INHERITED,
    OWN,
    PARENT,
    agent,
    later,
    meta,
)
from tests.providers.joined_log import shown


def printed(thread: str, said: str, used: int) -> list[Record]:
    message = {"id": "item_0", "type": "agent_message", "text": said}
    return [
        {"type": "thread.started", "thread_id": thread},
        {"type": "turn.started"},
        {"type": "item.completed", "item": message},
        {"type": "turn.completed", "usage": {"input_tokens": used, "output_tokens": 1}},
    ]


LOGS = {
    f"rollout-{AGENT}.jsonl": [agent(), *INHERITED, *OWN],
    "fork.jsonl": [meta(AGENT, forked_from_id=PARENT), *INHERITED, *later(OWN)],
    "nameless.jsonl": [meta(AGENT, git={"branch": "trunk"}), *OWN],
    "printed.jsonl": [*printed(PARENT, "Sorted", 900), *printed(AGENT, "Counted", 30)],
}


def lines(records: list[Record]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def picture(session: LiveSession) -> tuple[object, ...]:
    """What is shown: the rows, and what is told of the session."""
    facts, summary = session.header(), session.store.summary
    rows = [(activity.body, activity.events[0].id) for activity in shown(session.store)]
    told = (facts.title, facts.cwd, facts.branch, facts.model, facts.state, facts.usage)
    return rows, told, session.ref.stream, summary.turns, summary.prompts, dict(+summary.kinds)


async def opened(path: Path) -> LiveSession:
    session = LiveSession(PROVIDER, DISCOVERY.ref(path), live=True)
    session.open()
    session.start()
    await until(lambda: session.store.indexed and session.log.info is not None)
    return session


@pytest.mark.parametrize("name", LOGS)
async def test_a_log_that_grows_ends_as_one_that_is_opened_whole(tmp_path: Path, name: str):
    records = LOGS[name]
    path = tmp_path / "sessions" / name
    path.parent.mkdir()
    path.write_bytes(b"")
    grown = await opened(path)
    try:
        for end in (1, len(records) // 2, len(records) - 1, len(records)):
            path.write_bytes(lines(records[:end]))
            await until(lambda end=end: grown.store.end - grown.store.first >= end)
        whole = await opened(path)
        whole.close()
        await until(lambda: picture(grown) == picture(whole))
        assert shown(grown.store)
    finally:
        grown.close()


@pytest.mark.parametrize("name", LOGS)
def test_a_log_that_grows_is_printed_as_one_that_is_read_whole(tmp_path: Path, name: str):
    path = tmp_path / name
    path.write_bytes(b"")
    feed = LogFeed(PROVIDER, DISCOVERY.ref(path), RecordLines(PROVIDER))
    printed: list[dict[str, object]] = []
    for end in range(len(LOGS[name]) + 1):
        path.write_bytes(lines(LOGS[name][:end]))
        for line in feed.poll():
            printed = [] if line["type"] == RESET else [*printed, line]
    whole = [*LogFeed(PROVIDER, DISCOVERY.ref(path), RecordLines(PROVIDER)).poll()]
    assert [line["id"] for line in printed] == [line["id"] for line in whole]
    assert [line["type"] for line in printed] == [line["type"] for line in whole]


def test_a_log_is_asked_no_more_once_it_has_told_all(tmp_path: Path):
    path = tmp_path / f"rollout-{AGENT}.jsonl"
    path.write_bytes(b"")
    for number, asked_on in ((1, True), (3, True), (len(INHERITED) + 1, True), (99, False)):
        known = DISCOVERY.ref(path)
        path.write_bytes(lines([agent(), *INHERITED, *OWN][:number]))
        found = DISCOVERY.refresh_ref(known)
        assert found is not None
        assert found == DISCOVERY.ref(path)
        assert (DISCOVERY.refresh_ref(found) is not None) is asked_on


def test_a_log_is_asked_no_more_behind_all_that_is_looked_at(tmp_path: Path):
    path = tmp_path / f"rollout-{AGENT}.jsonl"
    inherited = lines([meta(AGENT, forked_from_id=PARENT), *INHERITED])
    path.write_bytes(inherited)
    assert DISCOVERY.refresh_ref(DISCOVERY.ref(path)) is not None
    path.write_bytes(inherited + b" " * MOST)
    assert DISCOVERY.refresh_ref(DISCOVERY.ref(path)) is None


@pytest.mark.parametrize("name", LOGS)
def test_a_log_that_grows_is_counted_as_one_that_is_read_whole(tmp_path: Path, name: str):
    path = tmp_path / name
    path.write_bytes(b"")
    meter = LogUsageReader(DISCOVERY.ref(path), unpriced)
    for end in range(len(LOGS[name]) + 1):
        path.write_bytes(lines(LOGS[name][:end]))
        list(meter.poll(over=True))
    whole = LogUsageReader(DISCOVERY.ref(path), unpriced)
    list(whole.poll(over=True))
    assert meter.ledger.sums().own == whole.ledger.sums().own
    assert whole.ledger.sums().own.usage.input_uncached == (930 if "printed" in name else 30)


def test_what_an_agent_belongs_to_stays_known(tmp_path: Path):
    path = tmp_path / f"rollout-{AGENT}.jsonl"
    path.write_bytes(lines([agent(), *INHERITED]))
    known = replace(DISCOVERY.ref(path), session_id="root")
    path.write_bytes(lines([agent(), *INHERITED, *OWN]))
    found = DISCOVERY.refresh_ref(known)
    assert found is not None
    assert (found.session_id, found.stream) == ("root", known.stream)
    assert found.own_from > known.own_from
