"""What is counted of a log does not change when the responses of what was read are packed."""

from hypothesis import given, settings
from hypothesis import strategies as st

from agentview.domain.events import TokenUsage
from agentview.domain.index_entry import EventFact
from agentview.domain.usage import Usage
from agentview.timeline.rows.session_summary import Summary

_ROWS = 300
_BLOCK = 60
counts = st.none() | st.integers(0, 9)
usages = st.builds(Usage, input_uncached=counts, output=counts)


@settings(max_examples=30)
@given(st.dictionaries(st.integers(0, _ROWS - 1), usages, max_size=4), st.integers(1, 2 * _ROWS))
def test_totals_and_repeated_responses_in_front_are_counted_as_before(
    totals: dict[int, Usage], responses: int
):
    whole, packed = Summary(), Summary()
    # The newest block is the longest, as most logs end behind their last total.
    for stop in (2 * _ROWS, *range(_ROWS, 0, -_BLOCK)):
        for row in range(_ROWS if stop > _ROWS else stop - _BLOCK, stop):
            usage = TokenUsage(str(row % responses), Usage(output=row, cache_write=1))
            if row in totals:
                usage = TokenUsage("", totals[row], total=True)
            for summary in (whole, packed):
                summary.take(row, EventFact(0, 0, 0, usage=usage))
        packed.pack_responses()
        assert packed.usage == whole.usage
        assert packed.spent == whole.spent
        assert packed.snapshot().responses == whole.snapshot().responses
    assert len(packed.responses) < len(whole.responses) or responses < _ROWS
