from hypothesis import given
from hypothesis import strategies as st

from agentview.timeline.view.filter.row_set import RowSet

ROWS = st.integers(-60, 60)


@given(st.lists(st.tuples(ROWS, st.booleans()), max_size=40), ROWS)
def test_it_is_a_set_with_an_order(changes: list[tuple[int, bool]], row: int) -> None:
    rows = RowSet()
    same: set[int] = set()
    for changed, present in changes:
        rows.put(changed, present)
        (same.add if present else same.discard)(changed)
    assert list(rows) == sorted(same)
    assert len(rows) == len(same)
    assert (row in rows) == (row in same)
    assert rows.next(row) == min((r for r in same if r >= row), default=None)
    assert rows.previous(row) == max((r for r in same if r <= row), default=None)
    assert rows.rank(row) == (sorted(same).index(row) + 1 if row in same else 0)
    assert rows.mask(-20, 30) == bytes(255 if r in same else 0 for r in range(-20, 30))
