"""Turns are counted as the timeline shows them: queued prompts that were taken up count once."""

import pytest

from agentview.accounting.meter import measure
from agentview.accounting.prices import PriceList
from agentview.domain.outline import Flag
from agentview.store.reducing import reduce_lines
from agentview.store.session_store import SessionStore
from tests.samples import Sample, line_samples


def _turns_of_timeline(sample: Sample) -> tuple[int, bool]:
    """How many turns the timeline shows, and whether the conversation went back over any."""
    session = SessionStore(sample.provider, sample.ref)
    session.append(reduce_lines(sample.ref, sample.lines()))
    session.finish_indexing()
    rows = range(session.first, session.end)
    flags = session.codes(session.first, session.end)[1]
    rewound = any(flag & Flag.TURN and flag & Flag.REWOUND for flag in flags)
    return sum(session.shown(row) and session.starts_turn(row) for row in rows), rewound


@pytest.mark.parametrize("sample", line_samples(), ids=str)
def test_turns_are_those_of_the_timeline(sample: Sample) -> None:
    shown, rewound = _turns_of_timeline(sample)
    usage = measure(sample.ref, PriceList(), agents=False)
    counted = sum(1 for turn in usage.turns if turn.number)
    # What the conversation went back over was paid for: it is counted and no longer shown.
    assert counted >= shown if rewound else counted == shown
