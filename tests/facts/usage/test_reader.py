"""What a session used, while it grows, over many responses, and split by what it went to."""

import time
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import astuple

from agentview.domain.events import TokenUsage
from agentview.domain.index_entry import NO_ROW, EventFact, RecordFacts
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolKind
from agentview.domain.usage import Usage
from agentview.errors import AgentViewError
from agentview.facts.usage.accumulator import KEPT, UsageAccumulator
from agentview.facts.usage.aggregate import hour_of
from agentview.facts.usage.claims import ResponseDedupe
from agentview.facts.usage.group_by import GroupKey, Totals
from agentview.facts.usage.pricing import PriceList
from agentview.facts.usage.reader import POINTS, SessionUsageReader, measure
from agentview.facts.usage.report import SessionUsage
from agentview.facts.usage.tally import Price, Tally, share, unpriced
from agentview.providers import load_provider
from agentview.sessions.following.whole_session import attach_agents, read_log
from agentview.sessions.library.cache_db import SessionCache
from agentview.sessions.library.counted_sessions import CountedSessions
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.rows.session_summary import Summary
from tests.claude_log import ClaudeLog, conversation, write
from tests.samples import Sample, all_samples, line_samples

SAMPLES = line_samples()


def ref_of(path: Path) -> SessionRef:
    return load_provider("claude_code").discovery.ref(path)


def summed(tallies: "list[Tally]") -> Usage:
    whole = Tally()
    for tally in tallies:
        whole.merge(tally)
    return whole.usage


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_every_split_adds_up_to_the_whole(sample: Sample):
    usage = measure(sample.ref, PriceList())
    total = usage.total
    for split in (
        [turn.tally for turn in usage.turns],
        list(usage.by_model.values()),
        list(usage.by_tool.values()),
        list(usage.by_hour.values()),
    ):
        assert summed(split) == total.usage
        assert abs(sum(tally.dollars for tally in split) - total.dollars) < 1e-9
    counts = astuple(total.usage)
    assert all(count is None or count >= 0 for count in counts)


def test_it_reads_on_as_the_log_grows(tmp_path: Path):
    log = ClaudeLog()
    records = conversation(log, 4)
    path = write(tmp_path / "s.jsonl", records[:5])
    meter = SessionUsageReader(ref_of(path), PriceList())
    meter.poll()
    first = meter.usage()
    for record in records[5:]:
        with path.open("ab") as file:
            file.write(record)
        meter.poll()
    whole = meter.usage()
    assert (first.total.responses, whole.total.responses) == (2, 8)
    again = measure(ref_of(path), PriceList())
    assert (whole.total, whole.turns, whole.by_tool) == (again.total, again.turns, again.by_tool)
    assert [turn.prompt for turn in whole.turns] == [f"Step {at}: please go on" for at in range(4)]


def test_a_log_that_is_written_anew_is_counted_anew(tmp_path: Path):
    path = write(tmp_path / "s.jsonl", conversation(ClaudeLog(), 4))
    meter = SessionUsageReader(ref_of(path), unpriced)
    meter.poll()
    path.unlink()
    write(path, conversation(ClaudeLog(), 1))
    meter.poll()
    assert meter.usage().total.responses == 2


def test_agents_are_counted_apart_and_a_log_that_cannot_be_read_is_an_error(tmp_path: Path):
    path = write(tmp_path / "s.jsonl", conversation(ClaudeLog(), 1))
    ref = ref_of(path)
    agent = tmp_path / "s" / "subagents" / "agent-a1.jsonl"
    write(agent, conversation(ClaudeLog(agent="a1"), 2))
    usage = measure(ref, unpriced)
    assert (usage.own.responses, usage.agents.responses, len(usage.agent_paths)) == (2, 4, 1)
    assert measure(ref, unpriced, agents=False).total.responses == 2
    path.unlink()
    path.mkdir()
    with pytest.raises(AgentViewError):
        measure(ref, unpriced)


def test_a_response_of_an_agent_in_two_logs_counts_once(tmp_path: Path):
    agent = ClaudeLog(agent="a1")
    records = conversation(agent, 2)
    main = conversation(ClaudeLog(), 1)
    path = write(tmp_path / "s.jsonl", [*main, *records[:2]])
    write(tmp_path / "s" / "subagents" / "agent-a1.jsonl", records)
    usage = measure(ref_of(path), unpriced)
    assert (usage.own.responses, usage.agents.responses) == (2, 4)


def responses(count: int) -> list[RecordFacts]:
    facts = (TokenUsage(f"r{at}", Usage(at, 1, None, 2), "claude-opus-5-5") for at in range(count))
    return [
        RecordFacts(at, 1, (EventFact(0, NO_ROW, 0, usage=told, time=float(at)),))
        for at, told in enumerate(facts)
    ]


def test_old_responses_are_kept_as_sums_and_still_count_once():
    count = 6 * KEPT
    ledger = UsageAccumulator(PriceList())
    told = responses(count)
    for start in range(0, count, 500):
        ledger.take(told[start : start + 500])
    ledger.take(told[:100])
    ledger.take(told[-100:])
    sums = ledger.sums()
    assert sums.own.responses == count
    assert sums.own.usage == Usage(sum(range(count)), count, None, 2 * count)


def test_the_last_record_of_a_response_counts():
    ledger = UsageAccumulator(unpriced)
    parts = [
        RecordFacts(at, 1, (EventFact(0, NO_ROW, 0, usage=TokenUsage("r", Usage(5, output=at))),))
        for at in (1, 7, 9)
    ]
    ledger.take(parts)
    assert ledger.sums().own.usage == Usage(5, output=9)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0), (1, 0, 2)])
def test_of_several_counts_of_a_response_the_final_one_holds_whatever_their_order(
    order: tuple[int, ...],
):
    counts = (Usage(0, output=0), Usage(5, output=1, unfinished=1), Usage(5, output=9))
    ledger, summary = UsageAccumulator(unpriced), Summary()
    for row, at in enumerate(order):
        told = TokenUsage("r", counts[at], "claude-opus-5-5")
        fact = EventFact(0, NO_ROW, 0, usage=told, time=1.0)
        ledger.take([RecordFacts(row, 1, (fact,))])
        summary.spending.begin(row, [fact], [])
        summary.take(row, fact)
    assert ledger.sums().own.usage == summary.usage == Usage(5, output=9)
    assert [usage for _, usage in summary.spent] == [Usage(5, None, None, 9)]


def test_a_count_that_is_not_final_makes_the_cost_a_lower_bound():
    told = TokenUsage("r", Usage(5, 0, 0, 1, unfinished=1), "claude-opus-5-5")
    ledger = UsageAccumulator(PriceList())
    ledger.take([RecordFacts(0, 1, (EventFact(0, NO_ROW, 0, usage=told, time=1.0),))])
    assert ledger.sums().own.worth().text().endswith("+")
    # What the client counts in all has what was not counted to its end.
    total = TokenUsage("", Usage(5, 0, 0, 40), "claude-opus-5-5", total=True)
    ledger.take([RecordFacts(1, 1, (EventFact(0, NO_ROW, 0, usage=total, time=2.0),))])
    own = ledger.sums().own
    assert (own.usage, own.cost_is_whole) == (Usage(5, 0, 0, 40), True)


def test_what_another_model_took_on_the_side_is_no_response_and_not_in_the_context():
    ledger = UsageAccumulator(PriceList())
    own = TokenUsage("r", Usage(5, output=1), "claude-sonnet-4-6")
    side = TokenUsage("r:1", Usage(100_000, output=8_000), "claude-opus-4-7", aside=True)
    facts = tuple(EventFact(at, NO_ROW, 0, usage=told) for at, told in enumerate((own, side)))
    ledger.take([RecordFacts(0, 1, facts), RecordFacts(1, 1, facts)])
    sums = ledger.sums()
    assert sums.own.responses == 1
    assert sums.by_model["claude-opus-4-7"].usage == Usage(100_000, output=8_000)
    assert (ledger.fills, ledger.model) == ([6], "claude-sonnet-4-6")


def test_the_clients_count_of_all_fills_up_or_takes_the_place():
    more, less = (TokenUsage("", Usage(100, output=count), total=True) for count in (50, 1))
    told = responses(3)
    filled = UsageAccumulator(unpriced)
    filled.take([*told, RecordFacts(9, 1, (EventFact(0, NO_ROW, 0, usage=more),))])
    assert filled.sums().own.usage == Usage(100, 3, None, 50)
    replaced = UsageAccumulator(unpriced)
    replaced.take([*told, RecordFacts(9, 1, (EventFact(0, NO_ROW, 0, usage=less),))])
    assert replaced.sums().own.usage == Usage(100, 3, output=1)
    replaced.take(told)
    assert replaced.sums().own.usage == Usage(100, 3, output=1)


def test_tokens_of_a_response_are_shared_among_its_calls(tmp_path: Path):
    log = ClaudeLog()
    calls: list[dict[str, Any]] = [
        {"type": "tool_use", "id": f"t{at}", "name": name, "input": {}}
        for at, name in enumerate(("Bash", "Read", "Read"))
    ]
    path = write(
        tmp_path / "s.jsonl",
        [
            log.prompt("go"),
            log.assistant(*calls, tokens=10),
            log.result("t0", "no", is_error=True),
            log.text("done"),
        ],
    )
    usage = measure(ref_of(path), PriceList())
    assert usage.by_tool[ToolKind.SHELL].usage.output == 4
    assert usage.by_tool[ToolKind.READ].usage.output == 6
    assert usage.by_tool[None].usage.output == 10
    assert (usage.tools[ToolKind.SHELL].problems, usage.tools[ToolKind.READ].calls) == (1, 2)
    parts = [share(Usage(7, None, 0, 2), 3, at) for at in range(3)]
    assert parts == [Usage(3, None, 0, 1), Usage(2, None, 0, 1), Usage(2, None, 0, 0)]


def test_the_context_has_a_bounded_number_of_points_and_keeps_the_fullest(tmp_path: Path):
    log = ClaudeLog()
    texts = [log.assistant({"type": "text", "text": "x"}, tokens=at) for at in range(3 * POINTS)]
    context = measure(ref_of(write(tmp_path / "s.jsonl", texts)), unpriced).context
    assert POINTS // 2 < len(context) <= POINTS
    assert context[-1].tokens == 3 * POINTS - 1 + 5


def test_a_compaction_is_marked_where_it_was():
    sample = next(each for each in SAMPLES if str(each) == "claude_code/compaction")
    usage = measure(sample.ref, unpriced)
    assert usage.compactions == 1
    marked = [at for at, point in enumerate(usage.context) if point.compacted]
    assert len(marked) == 1
    assert usage.context[marked[0]].tokens < usage.context[marked[0] - 1].tokens


def test_what_nobody_stated_stays_unknown():
    tally = Tally()
    assert (tally.usage, tally.tokens, tally.cost) == (Usage(), None, None)
    tally.add(Usage(output=0), Price(0.0))
    assert (tally.usage, tally.tokens, tally.cost) == (Usage(output=0), 0, 0.0)
    tally.add(Usage(output=3), None)
    assert (tally.cost, tally.cost_is_whole) == (0.0, False)


def test_a_fork_takes_its_past_along_and_is_charged_for_what_is_new(tmp_path: Path):
    log = ClaudeLog()
    past, new = conversation(log, 3), conversation(log, 2)
    paths = [write(tmp_path / "a.jsonl", past), write(tmp_path / "b.jsonl", [*past, *new])]
    claims, totals = ResponseDedupe(), Totals(GroupKey.SESSION)
    found: list[SessionUsage] = []
    for path in paths:
        ref = ref_of(path)
        found.append(measure(ref, unpriced, claims.of(ref.provider)))
        totals.add(found[-1])
    assert [usage.total.responses for usage in found] == [6, 4]
    assert totals.all.tally.responses == 10
    assert measure(ref_of(paths[1]), unpriced).total.responses == 10


def test_an_agent_that_begins_with_the_conversation_of_its_session_is_charged_for_what_is_new(
    tmp_path: Path,
):
    log = ClaudeLog()
    past, asked = conversation(log, 3), conversation(log, 2, begin=3)
    path = write(tmp_path / f"{log.session}.jsonl", past)
    agent = tmp_path / log.session / "subagents" / "agent-a1.jsonl"
    side = [record.replace(b'"isSidechain": false', b'"isSidechain": true, "agentId": "a1"')
            for record in (*past, *asked)]  # fmt: skip
    write(agent, side)
    usage = measure(ref_of(path), unpriced)
    assert (usage.own.responses, usage.agents.responses) == (6, 4)
    with SessionCache() as catalogue:
        (ref,) = (ref for ref in load_provider("claude_code").scan(tmp_path) if not ref.parent_id)
        counts = CountedSessions([ref], catalogue)
        assert counts.count(ref).total.responses == 10


@pytest.mark.parametrize(
    ("provider", "response", "counted"),
    [
        ("claude_code", "short", [True, False]),
        ("codex", "resp_0123456789abcdef", [True, False]),
        ("codex", "chatcmpl-0123456789abcdef", [True, False]),
        ("codex", "turn-1", [True, True]),
        ("codex", "msg_1", [True, True]),
    ],
)
def test_the_vendors_id_alone_makes_a_response_the_same(
    provider: str, response: str, counted: list[bool]
):
    claims = ResponseDedupe()
    log = SessionRef(provider, "s", "/s.jsonl")
    found = [claims.of(provider).of(log)(response, time, None) for time in (1.0, 2.0)]
    assert found == counted
    same = claims.of(provider).of(log)(response, 2.0, None)
    assert same is False


@pytest.mark.parametrize(
    ("zone", "hour"), [("UTC", "2026-11-21T20:00"), ("JST-9", "2026-11-22T05:00")]
)
def test_hours_are_those_of_the_machine(zone: str, hour: str, monkeypatch: pytest.MonkeyPatch):
    with monkeypatch.context() as changed:
        changed.setenv("TZ", zone)
        time.tzset()
        found = hour_of(1_795_219_200.0 + 20 * 3600)
    time.tzset()
    assert found == hour
    assert hour_of(None) is None
    assert hour_of(1e300) is None


@pytest.mark.parametrize("sample", all_samples(), ids=str)
def test_as_many_calls_were_made_and_failed_as_the_timeline_shows(sample: Sample):
    store = SessionStore(sample.provider, sample.ref, folding=True)
    read_log(store)
    attach_agents(store)
    logs = [store, *store.children.values()]
    calls = sum(log.summary.count(*ToolKind) for log in logs)
    failed = sum(
        isinstance(log.kind(row), ToolKind) and log.problem(row) and log.shown(row)
        for log in logs
        for row in range(log.first, log.end)
    )
    tools = measure(sample.ref, PriceList()).tools.values()
    found = sum(tool.calls for tool in tools), sum(tool.problems for tool in tools)
    assert found == (calls, failed)
