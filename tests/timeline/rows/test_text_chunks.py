"""Pieces of one text are joined the same in whatever order blocks of a log are read."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from agentview.domain.index_entry import Flag
from agentview.domain.session import Stream, StreamKind
from agentview.timeline.rows.links import TextChunk, TextChunks
from agentview.timeline.rows.tables.row_table import PackedRows, Place

SIDE = Stream(StreamKind.SUBAGENT, "a")

Plain = tuple[Stream | None, str | None, bool]
"""A piece before it has a row."""


class Joined:
    """Rows and the runs in them."""

    def __init__(self) -> None:
        self.rows = PackedRows()
        self.touched: set[int] = set()
        self.runs = TextChunks(self.rows, self.mark, self.touched.add)

    def mark(self, row: int, flag: int) -> None:
        self.rows.set_flags(row, self.rows.flags(row) | flag)

    def append(self, block: Sequence[Plain]) -> None:
        start = self.rows.append([Place(0, 1, 0, 0, 0)] * len(block))
        self.runs.append(TextChunk(start + at, *plain) for at, plain in enumerate(block))

    def prepend(self, block: Sequence[Plain]) -> None:
        start = self.rows.prepend([Place(0, 1, 0, 0, 0)] * len(block))
        self.runs.prepend(TextChunk(start + at, *plain) for at, plain in enumerate(block))

    def texts(self) -> list[list[int]]:
        """The rows of each text that stands in its own right, counted from the first row."""
        first = self.rows.first
        return [
            [row - first for row in (head, *self.runs.pieces(head))]
            for head in range(first, self.rows.end)
            if not self.rows.flags(head) & Flag.ABSENT
        ]


def by_hand(log: Sequence[Plain]) -> list[list[int]]:
    """The same by the rule as it is told: neighbours of one stream and run, until a whole one."""
    texts: list[list[int]] = []
    open_texts: dict[Stream | None, tuple[str | None, list[int]]] = {}
    for row, (stream, run, whole) in enumerate(log):
        known, text = open_texts.get(stream, (None, []))
        if run is not None and run == known and not whole:
            text.append(row)
            continue
        if run is not None and run == known:
            texts.remove(text)
        texts.append([row])
        open_texts[stream] = (None if whole else run, texts[-1])
    return texts


plains = st.tuples(
    st.sampled_from([None, SIDE]), st.sampled_from([None, "text", "thought"]), st.booleans()
)


@given(st.lists(st.lists(plains, max_size=6), max_size=8), st.integers(0, 8))
def test_any_order_of_blocks_gives_the_texts_of_one_pass(
    blocks: list[list[Plain]], middle: int
) -> None:
    log = [plain for block in blocks for plain in block]
    joined = Joined()
    behind = list(blocks[middle:])
    for block in reversed(blocks[:middle]):
        if behind:
            joined.append(behind.pop(0))
        joined.prepend(block)
    for block in behind:
        joined.append(block)

    assert joined.texts() == by_hand(log)


def test_every_later_piece_knows_the_first() -> None:
    joined = Joined()
    joined.append([(None, "text", False)] * 3)
    joined.prepend([(None, None, False), (None, "text", False)])

    assert joined.runs.pieces(-1) == [0, 1, 2]
    assert [joined.runs.head(row) for row in (-2, -1, 0, 1, 2)] == [None, None, -1, -1, -1]


def test_the_first_piece_is_told_when_its_text_grows() -> None:
    joined = Joined()
    joined.append([(None, "text", False)])
    joined.append([(None, "text", False)])

    assert joined.touched == {0}


def test_a_whole_text_takes_the_place_of_pieces_that_are_read_after_it() -> None:
    joined = Joined()
    joined.append([(None, "text", True), (None, "text", False)])
    joined.prepend([(None, "text", False)])
    joined.prepend([(None, None, False), (None, "text", False)])

    assert joined.texts() == [[0], [3], [4]]
