"""What was used in periods that follow each other adds up to what was used in all."""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from agentview.domain.events import TokenUsage
from agentview.domain.index_entry import NO_ROW, EventFact, RecordFacts
from agentview.domain.period import ALL_TIME, Period
from agentview.domain.usage import Usage
from agentview.facts.usage.accumulator import KEPT, UsageAccumulator
from agentview.facts.usage.group_by import Breakdown, GroupKey, time_key
from agentview.facts.usage.pricing import PriceList
from agentview.facts.usage.reader import measure
from agentview.facts.usage.report import SessionUsage
from agentview.facts.usage.tally import Tally, unpriced
from agentview.providers import load_provider
from agentview.query.values import moment
from tests.claude_log import ClaudeLog, write
from tests.samples import Sample, all_samples

PRICES = PriceList()


def periods(usage: SessionUsage, parts: int = 2) -> list[Period]:
    """Periods that follow each other and have all of time, with bounds inside the session."""
    started, ended = usage.started or 0.0, usage.ended or 0.0
    step = (ended - started) / parts
    bounds = [None, *sorted({started + at * step for at in range(parts + 1)}), None]
    return [Period(*pair) for pair in pairwise(bounds)]


def merged(tallies: "list[Tally]") -> Tally:
    whole = Tally()
    for tally in tallies:
        whole.merge(tally)
    return whole


def assert_adds_up(
    whole: Mapping[str | None, Tally], parts: Sequence[Mapping[str | None, Tally]]
) -> None:
    for key, tally in whole.items():
        found = merged([part[key] for part in parts if key in part])
        assert (found.responses, found.usage, found.partly) == (
            tally.responses, tally.usage, tally.partly,
        )  # fmt: skip
        assert math.isclose(found.dollars, tally.dollars, abs_tol=1e-9)
    assert {key for part in parts for key in part} == whole.keys()


@pytest.mark.parametrize("sample", all_samples(), ids=str)
def test_periods_add_up_to_the_whole(sample: Sample):
    whole = measure(sample.ref, PRICES)
    parts = [measure(sample.ref, PRICES, period=each) for each in periods(whole)]
    untimed = whole.by_hour.pop(None, Tally())
    assert_adds_up(whole.by_hour, [part.by_hour for part in parts])
    for name in ("own", "agents", "abandoned"):
        found = merged([getattr(part, name) for part in parts])
        assert getattr(whole, name).responses - untimed.responses <= found.responses
    if whole.has_untimed:
        return
    assert_adds_up(whole.by_model, [part.by_model for part in parts])
    assert_adds_up(whole.by_tool, [part.by_tool for part in parts])
    for name in ("own", "agents", "abandoned"):
        tallies: list[Mapping[str | None, Tally]] = [{"": getattr(part, name)} for part in parts]
        assert_adds_up({"": getattr(whole, name)}, tallies)
    assert sum(part.standing for part in parts) == whole.standing
    assert sum(part.compactions for part in parts) == whole.compactions
    for tool, used in whole.tools.items():
        found = [part.tools[tool] for part in parts if tool in part.tools]
        assert sum(each.calls for each in found) == used.calls
        assert sum(each.problems for each in found) == used.problems
    spent = sum(part.time.total or 0.0 for part in parts)
    assert math.isclose(spent, whole.time.total or 0.0, abs_tol=1e-6)


@pytest.mark.parametrize("by", [GroupKey.HOUR, GroupKey.DAY, GroupKey.WEEK, GroupKey.MONTH])
def test_groups_by_time_are_the_periods_that_their_names_mean(by: GroupKey, tmp_path: Path):
    log = ClaudeLog()
    records: list[bytes] = []
    for _ in range(12):
        records += [log.prompt("go"), log.text("done")]
        log.began += 9 * 86_400 + 19 * 3600
    ref = load_provider("claude_code").discovery.ref(write(tmp_path / "s.jsonl", records))
    breakdown = Breakdown(by)
    breakdown.add(measure(ref, PRICES), None)
    names = sorted(name for name in breakdown.groups if name is not None)
    assert len(names) == len(breakdown.groups) > 1
    starts = [moment(name, 0.0) for name in names]
    assert starts == sorted(starts, key=lambda start: start or 0.0)
    for name, start, end in zip(names, starts, [*starts[1:], None], strict=True):
        found = measure(ref, PRICES, period=Period(start, end))
        assert found.total == breakdown.groups[name].tally


def test_weeks_are_those_of_the_calendar():
    assert time_key("2026-11-22T23:00", GroupKey.WEEK) == "2026-W47"
    assert time_key("2026-11-23T00:00", GroupKey.WEEK) == "2026-W48"
    assert time_key("2027-01-01T00:00", GroupKey.WEEK) == "2026-W53"
    assert time_key("2026-11-23T00:00", GroupKey.MONTH) == "2026-11"
    assert time_key(None, GroupKey.WEEK) is None


def response(number: int, time: float, *, total: int | None = None) -> RecordFacts:
    """A response of one token at a time, or the client's count of all until then."""
    usage = TokenUsage(f"r{number}", Usage(1 if total is None else total), total=total is not None)
    return RecordFacts(number, 1, (EventFact(0, NO_ROW, 0, usage=usage, time=time),))


def test_a_count_of_all_is_compared_with_all_and_counts_when_it_was_made():
    count = 3 * KEPT
    records = [response(at, float(at)) for at in range(count)]
    records.append(response(count, float(count), total=count + 7))
    found: list[int | None] = []
    for period in (Period(None, 10.0), Period(10.0, count), Period(count, None), ALL_TIME):
        ledger = UsageAccumulator(unpriced, period=period)
        for record in records:
            ledger.take([record])
        found.append(ledger.sums().own.usage.input_uncached)
    assert found == [10, count - 10, 7, count + 7]


def test_a_clients_cost_is_not_that_of_a_part(tmp_path: Path):
    log = ClaudeLog()
    path = tmp_path / "s.jsonl"
    write(path, [log.prompt("go"), log.text("yes"), log.prompt("more"), log.text("done")])
    ref = load_provider("claude_code").discovery.ref(path)
    whole = measure(ref, PRICES)
    middle = ((whole.started or 0.0) + (whole.ended or 0.0)) / 2
    part = measure(ref, PRICES, period=Period(middle, None))
    assert 0 < part.total.responses < whole.total.responses
    assert [turn.number for turn in part.turns] == [2]
    assert measure(ref, PRICES, period=Period((whole.ended or 0.0) + 1, None)).is_inside is False
