"""What a conversation went back behind is abandoned in whatever order blocks of a log are read."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import astuple

from agentview.domain.events import (
    Body,
    Event,
    Hidden,
    Message,
    Notification,
    Rewind,
    SlashCommand,
    ToolResult,
    Topic,
    User,
)
from agentview.domain.index_entry import Flag, RecordFacts
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import MAIN_STREAM, Stream, StreamKind
from agentview.normalize.build import tool_call
from agentview.normalize.light_events import light_events, reduce_record
from agentview.timeline.rows.assembler import Assembler
from agentview.timeline.rows.branches.branch_tree import Branches
from agentview.timeline.rows.tables.row_table import PackedRows, Place

TURN = "turn"
OTHER = "other"

Line = str | int
"""A turn, another row, or how many turns the conversation went back."""


class Conversation:
    """Rows and what was dropped of them."""

    def __init__(self) -> None:
        self.rows = PackedRows()
        self.keys: dict[str, int] = {}
        self.branches = Branches(
            self.rows, self.abandon, self.take_back, self.touch, self.keys.get, self.keys.get
        )

    def mark(self, row: int, flag: int) -> None:
        self.rows.set_flags(row, self.rows.flags(row) | flag)
        self.branches.stale = True

    def abandon(self, row: int) -> None:
        assert not self.rows.flags(row) & Flag.REWOUND
        self.rows.set_flags(row, self.rows.flags(row) | Flag.REWOUND)

    def touch(self, row: int) -> None:
        assert self.rows.first <= row < self.rows.end

    def take_back(self, row: int) -> None:
        assert self.rows.flags(row) & Flag.REWOUND
        self.rows.set_flags(row, self.rows.flags(row) & ~Flag.REWOUND)

    def take(self, lines: Sequence[Line], *, front: bool) -> None:
        places = [Place(0, 1, 0, 0, Flag.TURN if line == TURN else 0) for line in lines]
        start = self.rows.prepend(places) if front else self.rows.append(places)
        for at, line in enumerate(lines):
            if isinstance(line, int):
                self.branches.add(start + at, Rewind(turns=line))
        self.branches.advance(front=front)

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
    conversation.branches.add(1, Rewind(key="m2"))
    conversation.branches.advance()
    assert conversation.left() == [1]

    conversation.keys["m2"] = -2
    conversation.take([TURN, OTHER, OTHER], front=True)

    assert conversation.left() == [0, 4]


def test_all_is_dropped_when_the_named_record_is_not_there() -> None:
    conversation = Conversation()
    conversation.take([TURN, OTHER, OTHER], front=False)
    conversation.branches.add(2, Rewind(key="nowhere"))
    conversation.branches.advance()

    assert conversation.left() == [2]


def test_a_prompt_whose_other_record_is_read_later_counts_once() -> None:
    conversation = Conversation()
    conversation.take([TURN, OTHER, 1], front=False)
    conversation.mark(0, Flag.TWIN)
    conversation.take([OTHER, TURN], front=True)

    assert conversation.left() == [0, 4]


# Logs that are trees of records

SIDE = Stream(StreamKind.SIDECHAIN, "x")


class Record:
    """A record of a log that is a tree: its id, that of its parent, and what it says."""

    def __init__(
        self, name: str, parent: str | None, body: Body, stream: Stream = MAIN_STREAM
    ) -> None:
        self.name, self.parent, self.body, self.stream = name, parent, body, stream

    def __repr__(self) -> str:
        return f"Record({self.name!r}, {self.parent!r}, {self.body!r}, {self.stream.kind})"

    def facts(self, offset: int) -> RecordFacts:
        event = Event(
            "0",
            "s",
            SourceRef("log", offset, 10),
            self.body,
            self.stream,
            record_id=self.name,
            parent_id=self.parent,
            dedupe_key=f"{self.name}:0",
        )
        return reduce_record(offset, 10, light_events([event]))


def assembled(records: Sequence[Record], cuts: Sequence[int] = (), *, tail: int = 0) -> Assembler:
    """Records in blocks: those from block `tail` on forward, then the others backward."""
    assembler = Assembler(record_keys=lambda name: (f"{name}:0",))
    facts = [record.facts(10 * at) for at, record in enumerate(records)]
    edges = sorted({0, len(facts), *(cut % (len(facts) + 1) for cut in cuts)})
    blocks = [facts[start:stop] for start, stop in pairwise(edges)]
    middle = tail % (len(blocks) or 1)
    for block in blocks[middle:]:
        assembler.append(block)
    for block in reversed(blocks[:middle]):
        assembler.prepend(block)
    return assembler


def active(assembler: Assembler) -> list[int]:
    rows = assembler.rows
    kept = (row for row in range(rows.first, rows.end) if not rows.flags(row) & Flag.REWOUND)
    return [row - rows.first for row in kept]


def counts(assembler: Assembler) -> tuple[object, ...]:
    summary, first = assembler.summary, assembler.rows.first
    branches = [
        tuple(row - first for row in astuple(branch)) for branch in assembler.branches.branches()
    ]
    return +summary.kinds, summary.turns, summary.problems, summary.first_prompt, branches


BODIES: list[Body] = [
    User("go"),
    User("go"),
    Message("done"),
    tool_call(call_id="c", name="run", arguments={}, spec=None),
    ToolResult("c", False),
    SlashCommand("/model"),
    Notification(Topic.HOOK, "hook"),
    Hidden("note", "x"),
]


@st.composite
def trees(draw: st.DrawFn) -> list[Record]:
    """Random trees; most records follow the one before them."""
    records: list[Record] = []
    for number in range(draw(st.integers(0, 24))):
        before = records[-1].name if records else None
        names = [record.name for record in records]
        parent = draw(
            st.one_of(
                st.just(before),
                st.just(before),
                st.sampled_from(names or [None]),
                st.sampled_from(["missing", "r9", "r15", None]),
            )
        )
        stream = draw(st.sampled_from([MAIN_STREAM] * 7 + [SIDE]))
        records.append(Record(f"r{number}", parent, draw(st.sampled_from(BODIES)), stream))
    return records


NOTE_BEHIND_ITS_CHILD = [
    Record("r0", None, User("go")),
    Record("r1", "r0", User("go")),
    Record("r2", "r3", User("go")),
    Record("r3", "r0", Notification(Topic.HOOK, "hook")),
]


@pytest.mark.slow
@example(NOTE_BEHIND_ITS_CHILD, [3], 1)
@given(trees(), st.lists(st.integers(0, 30), max_size=6), st.integers(0, 6))
def test_a_tree_has_the_same_branches_however_it_is_read(
    records: list[Record], cuts: list[int], tail: int
) -> None:
    whole = assembled(records)
    pieces = assembled(records, cuts, tail=tail)
    assert active(pieces) == active(whole)
    assert counts(pieces) == counts(whole)


def test_records_that_are_written_again_abandon_nothing() -> None:
    records = [
        Record("p1", None, User("one")),
        Record("a1", "p1", Message("answer")),
        Record("p2", "a1", User("two")),
        Record("a2", "p2", Message("answer")),
    ]
    again = [*records, *records, Record("p3", "a2", User("three"))]
    assert active(assembled(again)) == list(range(9))
    assert active(assembled(again, [4, 6], tail=2)) == list(range(9))


@given(st.lists(st.integers(0, 40), max_size=20))
def test_the_prompts_that_count_are_those_that_the_newest_record_descends_from(
    choices: list[int],
) -> None:
    records = [Record("p", None, User("first")), Record("a", "p", Message("answer"))]
    answers = ["a"]
    for number, choice in enumerate(choices):
        prompt, answer = f"p{number}", f"a{number}"
        records.append(Record(prompt, answers[choice % len(answers)], User("next")))
        records.append(Record(answer, prompt, Message("answer")))
        answers.append(answer)
    parents = {record.name: record.parent for record in records}
    chain: set[str] = set()
    name: str | None = records[-1].name
    while name is not None:
        chain.add(name)
        name = parents[name]
    kept = [at for at, record in enumerate(records) if record.name in chain]
    assert active(assembled(records)) == kept
