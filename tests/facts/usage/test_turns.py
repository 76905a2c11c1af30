"""Turns are counted as the timeline shows them: queued prompts that were taken up count once."""

import pytest

from agentview.facts.usage.group_by import Totals
from agentview.facts.usage.pricing import PriceList
from agentview.facts.usage.reader import measure
from agentview.timeline.rows.reducing import reduce_lines
from agentview.timeline.rows.session_store import SessionStore
from tests.samples import Sample, line_samples


def _turns_of_timeline(sample: Sample) -> int:
    """How many turns the timeline shows: none that the conversation went back over."""
    session = SessionStore(sample.provider, sample.ref)
    session.append(reduce_lines(sample.ref, sample.lines()))
    session.finish_indexing()
    rows = range(session.first, session.end)
    return sum(session.shown(row) and session.starts_turn(row) for row in rows)


@pytest.mark.parametrize("sample", line_samples(), ids=str)
def test_turns_are_those_of_the_timeline(sample: Sample) -> None:
    usage = measure(sample.ref, PriceList(), agents=False)
    totals = Totals(None)
    totals.add(usage)
    assert totals.turns == _turns_of_timeline(sample)
    numbers = [turn.number for turn in usage.turns]
    assert numbers == sorted(numbers)
    assert {*range(1, totals.turns + 1)} <= {*numbers}
