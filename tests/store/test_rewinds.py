"""What a conversation went back behind is dropped in whatever order blocks of a log are read."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from agentview.domain.events import Rewind
from agentview.domain.outline import Flag
from agentview.store.rewinds import Rewinds
from agentview.store.rows import PackedRows, Place

TURN = "turn"
OTHER = "other"

Line = str | int
"""A turn, another row, or how many turns the conversation went back."""


class Conversation:
    """Rows and what was dropped of them."""

    def __init__(self) -> None:
        self.rows = PackedRows()
        self.keys: dict[str, int] = {}
        self.rewinds = Rewinds(self.rows, self.mark, self.keys.get, self.keys.get)

    def mark(self, row: int, flag: int) -> None:
        self.rows.set_flags(row, self.rows.flags(row) | flag)

    def take(self, lines: Sequence[Line], *, front: bool) -> None:
        places = [Place(0, 1, 0, 0, Flag.TURN if line == TURN else 0) for line in lines]
        start = self.rows.prepend(places) if front else self.rows.append(places)
        for at, line in enumerate(lines):
            if isinstance(line, int):
                self.rewinds.add(start + at, Rewind(turns=line))
        self.rewinds.advance()

    def left(self) -> list[int]:
        """Rows that count, from the first row on."""
        first = self.rows.first
        numbers = range(first, self.rows.end)
        return [row - first for row in numbers if not self.rows.flags(row) & Flag.REWOUND]


def by_hand(lines: Sequence[Line]) -> list[int]:
    """The same by the rule as it is told: drop from the last turns on, keep what tells of it."""
    left: list[tuple[int, Line]] = []
    for row, line in enumerate(lines):
        if isinstance(line, int):
            turns = [at for at, (_, kept) in enumerate(left) if kept == TURN]
            left = left[: turns[-line] if line <= len(turns) else 0]
        left.append((row, line))
    return [row for row, _ in left]


lines = st.lists(st.sampled_from([TURN, TURN, OTHER]) | st.integers(1, 3), max_size=6)


@given(st.lists(lines, max_size=6), st.integers(0, 6))
def test_any_order_of_blocks_drops_the_same(blocks: list[list[Line]], middle: int) -> None:
    conversation = Conversation()
    for block in blocks[middle:]:
        conversation.take(block, front=False)
    for block in reversed(blocks[:middle]):
        conversation.take(block, front=True)

    assert conversation.left() == by_hand([line for block in blocks for line in block])


def test_all_from_a_named_record_on_is_dropped_even_when_it_is_read_last() -> None:
    conversation = Conversation()
    conversation.take([OTHER, OTHER], front=False)
    conversation.rewinds.add(1, Rewind(key="m2"))
    conversation.rewinds.advance()
    assert conversation.left() == [1]

    conversation.keys["m2"] = -2
    conversation.take([TURN, OTHER, OTHER], front=True)

    assert conversation.left() == [0, 4]


def test_all_is_dropped_when_the_named_record_is_not_there() -> None:
    conversation = Conversation()
    conversation.take([TURN, OTHER, OTHER], front=False)
    conversation.rewinds.add(2, Rewind(key="nowhere"))
    conversation.rewinds.advance()

    assert conversation.left() == [2]


def test_a_prompt_whose_other_record_is_read_later_counts_once() -> None:
    conversation = Conversation()
    conversation.take([TURN, OTHER, 1], front=False)
    conversation.mark(0, Flag.TWIN)
    conversation.take([OTHER, TURN], front=True)

    assert conversation.left() == [0, 4]
