"""The usage of a session in full is kept while its logs are as they were."""

import os
import time
from pathlib import Path

import pytest

from agentview.domain.period import Period
from agentview.domain.session import SessionRef
from agentview.facts.kept.index_file import index_folder
from agentview.facts.usage.pricing import PriceList
from agentview.facts.usage.reader import SessionUsageReader, measure
from agentview.facts.usage.tally import unpriced
from agentview.providers import load_provider
from tests.claude_log import ClaudeLog, conversation, write
from tests.facts.kept.test_unchanged_logs import age, opened_below

TURNS = 20


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "logs"


def session(
    logs: Path, *, size: int = 60_000, log: ClaudeLog | None = None
) -> tuple[SessionRef, Path]:
    """A session with an agent, both written long ago; gives the path of the agent's log too."""
    log = ClaudeLog() if log is None else log
    path = write(logs / f"{log.session}.jsonl", conversation(log, TURNS, size=size))
    records = conversation(ClaudeLog(log.session, agent="a1"), 2)
    agent = write(logs / log.session / "subagents" / "agent-a1.jsonl", records)
    age(path)
    age(agent)
    return load_provider("claude_code").discovery.ref(path), agent


def test_a_session_that_did_not_change_is_not_read_again(logs: Path):
    ref, _ = session(logs)
    first = measure(ref, PriceList())
    assert (first.own.responses, first.agents.responses) == (2 * TURNS, 4)
    assert len(first.turns) == TURNS
    assert first.context
    with opened_below(logs) as opened:
        assert measure(ref, PriceList()) == first
    assert ref.path not in opened


@pytest.mark.parametrize("which", ["own", "agent", "new agent"])
def test_what_any_of_its_logs_got_since_is_counted(logs: Path, which: str):
    own = ClaudeLog()
    ref, agent = session(logs, log=own)
    first = measure(ref, PriceList())
    more = own if which == "own" else ClaudeLog(own.session, agent="a2")
    place = {"own": Path(ref.path), "agent": agent}.get(which, agent.with_name("agent-a2.jsonl"))
    with place.open("ab") as file:
        file.writelines(conversation(more, 1, begin=TURNS))
    for _ in range(2):
        grown = measure(ref, PriceList())
        assert grown.total.responses == first.total.responses + 2
        age(place)


def test_how_it_is_counted_decides_too(logs: Path):
    ref, _ = session(logs)
    whole = measure(ref, PriceList())
    assert whole.total.dollars > 0
    assert measure(ref, PriceList(), agents=False).total.responses == whole.own.responses
    assert measure(ref, unpriced).total.dollars == 0
    assert not measure(ref, PriceList(), period=Period(after=time.time())).is_inside
    assert measure(ref, PriceList()) == whole


def test_a_reader_that_began_with_kept_usage_counts_on(logs: Path):
    log = ClaudeLog()
    ref, _ = session(logs, log=log)
    first = measure(ref, PriceList())
    reader = SessionUsageReader(ref, PriceList())
    reader.poll(over=True)
    assert reader.usage() == first
    with Path(ref.path).open("ab") as file:
        file.writelines(conversation(log, 1, begin=TURNS))
    for _ in range(2):
        reader.poll(over=True)
        assert reader.usage().total.responses == first.total.responses + 2
        assert len(reader.usage().turns) == TURNS + 1


def test_another_time_zone_has_other_hours(logs: Path, monkeypatch: pytest.MonkeyPatch):
    ref, _ = session(logs)
    hours: list[set[str | None]] = []
    for zone in ("UTC", "Asia/Tokyo", "UTC"):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        hours.append(set(measure(ref, PriceList()).by_hour))
    monkeypatch.undo()
    time.tzset()
    assert hours[0] == hours[2] != hours[1]


def test_damage_is_not_believed(logs: Path):
    ref, _ = session(logs)
    first = measure(ref, PriceList())
    for place in [path for path in index_folder().rglob("*") if path.is_file()]:
        data = bytearray(place.read_bytes())
        data[-20] ^= 1
        place.write_bytes(data)
    assert measure(ref, PriceList()) == first


def test_little_and_new_is_not_kept(logs: Path):
    ref, _ = session(logs, size=40)
    measure(ref, PriceList())
    assert not index_folder().exists()
    ref, agent = session(logs)
    os.utime(agent)
    measure(ref, PriceList())
    before = sum(1 for path in index_folder().rglob("*") if path.is_file())
    age(agent)
    measure(ref, PriceList())
    assert sum(1 for path in index_folder().rglob("*") if path.is_file()) == before + 1
