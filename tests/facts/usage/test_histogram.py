"""Sums by stretches of time, which get longer as the session does."""

from math import fsum

from hypothesis import given
from hypothesis import strategies as st

from agentview.facts.usage.aggregate import POINTS, TokenHistogram

USES = st.lists(
    st.tuples(st.floats(-1e9, 4e9), st.integers(0, 10**6), st.floats(0, 100)), max_size=60
)


@given(USES, st.integers(0, 60))
def test_all_is_in_some_stretch_however_it_is_put_together(
    uses: list[tuple[float, int, float]], cut: int
) -> None:
    whole, merged, second = TokenHistogram(), TokenHistogram(), TokenHistogram()
    for at, use in enumerate(uses):
        whole.add(*use)
        (merged if at < cut else second).add(*use)
    merged.merge(second)
    assert [point.tokens for point in merged.points()] == [point.tokens for point in whole.points()]
    points = list(whole.points())
    assert len(points) <= POINTS
    assert sum(point.tokens for point in points) == sum(tokens for _, tokens, _ in uses)
    assert abs(fsum(point.cost for point in points) - fsum(cost for _, _, cost in uses)) < 1e-6
    for time, _, _ in uses:
        assert any(point.time <= time < point.time + point.seconds for point in points)


def test_what_has_no_time_stands_nowhere() -> None:
    pace = TokenHistogram()
    pace.add(None, 10, 1.0)
    assert list(pace.points()) == []
    pace.add(30.0, 10, 1.0)
    pace.add(61.0, 5, 0.5)
    assert [point.tokens for point in pace.points()] == [10, 0, 5]
