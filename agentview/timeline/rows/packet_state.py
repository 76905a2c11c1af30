"""A packet as values that another module can write down, and the packet that was made of them.

Rows get other numbers when they are taken back: a log that has grown is opened at another place.
"""

from array import array
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any

from msgspec.structs import astuple

from agentview.normalize.call_occurrences import OpenCall, SameId
from agentview.timeline.rows.assembler import Assembler
from agentview.timeline.rows.branches.branch_tree import BranchFacts
from agentview.timeline.rows.links import Edge, RowLinkFacts
from agentview.timeline.rows.packets import Joins, Keys, Packet
from agentview.timeline.rows.session_summary import Summary
from agentview.timeline.rows.tables.key_table import PackedKeys
from agentview.timeline.rows.tables.row_table import Segment


def whole_packet(joined: Assembler) -> Packet:
    """All rows of a log from its first byte on, for an assembler that has none of them."""
    rows, links = joined.rows, joined.links
    return Packet(
        0,
        rows.front(rows.end - rows.first),
        [],
        Joins(
            dict(joined.progress.items()),
            joined.outcomes,
            joined.extra_results,
            joined.calls.requests,
            joined.calls.processes.all(),
            joined.calls.containers.all(),
            joined.children,
            joined.agent_prompts,
            joined.calls.open_calls(),
            None if links is None else links.facts(range(rows.first, rows.end)),
            joined.reset_row,
        ),
        joined.summary.snapshot(),
        joined.branches.facts(),
    )


Plain = tuple[Any, ...]
"""Of numbers, texts, bytes, such tuples, and values of `domain`."""

_NO_ROW = -(1 << 61)
"""Below it are no rows, but what stands for none."""


def moved(row: int, by: int) -> int:
    """The number of a row when all are numbered `by` higher."""
    return row + by if row > _NO_ROW else row


def plain_segments(packet: Packet) -> Iterator[Plain]:
    return (segment.state() for segment in packet.segments)


def plain_rest(packet: Packet) -> Plain:
    """All of a packet but its rows. It must touch no others."""
    if packet.touched:
        raise ValueError("a packet that is kept has all its rows")
    return (_plain_joins(packet.joins), packet.summary.state(), _plain_branches(packet.branches))


def plain_keys(keys: Keys) -> Plain:
    """A part of the keys."""
    arrays = ((packed.hashes.tobytes(), packed.rows.tobytes()) for packed in keys.tables)
    return (*arrays, keys.part, keys.last, keys.recent)


def packet_of(segments: Iterable[Plain], rest: Plain, by: int) -> Packet:
    """The packet, with rows numbered `by` higher. Raises ValueError, TypeError, KeyError."""
    joins, summary, branches = rest
    return Packet(
        0,
        [Segment.of(state, by) for state in segments],
        [],
        _joins_of(joins, by),
        Summary.of(summary, lambda row: moved(row, by)),
        _branches_of(branches, by),
    )


def keys_of(plain: Plain, by: int) -> Keys:
    """A part of the keys. Raises ValueError and TypeError."""
    calls, firsts, lasts, part, last, recent = plain
    states = tuple((key, SameId.of(state, by).state()) for key, state in recent)
    return Keys(_keys(calls, by), _keys(firsts, by), _keys(lasts, by), part, last, states)


def _keys(plain: Plain, by: int) -> PackedKeys:
    hashes, rows = array("Q", plain[0]), array("i", plain[1])
    if len(hashes) != len(rows):
        raise ValueError("keys without rows")
    return PackedKeys(hashes, array("i", [row + by for row in rows]) if by else rows)


def _plain_joins(joins: Joins) -> Plain:
    links = joins.links
    return (
        _pairs(joins.progress),
        _lists(joins.outcomes),
        _lists(joins.extra_results),
        _lists(joins.requests),
        tuple((name, _packed(rows)) for name, rows in joins.began.items()),
        tuple(joins.containers),
        tuple(joins.children.items()),
        tuple((prompt, _packed(rows)) for prompt, rows in joins.agent_prompts.items()),
        tuple(map(astuple, joins.open_calls)),
        None
        if links is None
        else (
            _lists(links[0]),
            _pairs(links[1]),
            tuple((stream, *astuple(edge)) for stream, edge in links[2].items()),
        ),
        joins.reset_row,
    )


def _joins_of(plain: Plain, by: int) -> Joins:
    progress, outcomes, extra, requests, began, containers, *rest = plain
    children, prompts, open_calls, links, reset_row = rest
    return Joins(
        _rows_by_row(progress, by),
        _lists_by_row(outcomes, by),
        _lists_by_row(extra, by),
        _lists_by_row(requests, by),
        {name: [row + by for row in _unpacked(rows)] for name, rows in began},
        [(stream, row + by, *rest) for stream, row, *rest in containers],
        {stream: row + by for stream, row in children},
        {prompt: [row + by for row in _unpacked(rows)] for prompt, rows in prompts},
        [OpenCall(key, row + by, *rest) for key, row, *rest in open_calls],
        None if links is None else _links_of(links, by),
        None if reset_row is None else reset_row + by,
    )


def _links_of(plain: Plain, by: int) -> RowLinkFacts:
    amendments, ends, edges = plain
    return (
        _lists_by_row(amendments, by),
        _rows_by_row(ends, by),
        {
            stream: Edge(moved(row, by), moved(head, by), run, whole)
            for stream, row, head, run, whole in edges
        },
    )


def _plain_branches(facts: BranchFacts) -> Plain:
    return (
        _pairs(facts.links),
        tuple(facts.rewinds.items()),
        _packed(facts.marks),
        _packed(facts.roots),
        facts.unchained,
        tuple(facts.relays.items()),
        tuple(facts.marked),
        _pairs(facts.prompts),
    )


def _branches_of(plain: Plain, by: int) -> BranchFacts:
    by_row, rewinds, marks, roots, unchained, relays, marked, prompts = plain
    return BranchFacts(
        _rows_by_row(by_row, by),
        {row + by: rewind for row, rewind in rewinds},
        {moved(row, by) for row in _unpacked(marks)},
        {moved(row, by) for row in _unpacked(roots)},
        unchained,
        dict(relays),
        [(start + by, stop + by) for start, stop in marked],
        {row + by: digest for row, digest in zip(*map(_unpacked, prompts), strict=True)},
    )


def _packed(numbers: Iterable[int]) -> bytes:
    return array("q", numbers).tobytes()


def _unpacked(data: bytes) -> "array[int]":
    return array("q", data)


def _pairs(table: Mapping[int, int]) -> Plain:
    return (_packed(table.keys()), _packed(table.values()))


def _rows_by_row(plain: Plain, by: int) -> dict[int, int]:
    pairs = zip(*map(_unpacked, plain), strict=True)
    return {moved(row, by): moved(other, by) for row, other in pairs}


def _lists(table: Mapping[int, list[int]]) -> Plain:
    """Rows, how many others each has, and these: many lists are as quick to read as one."""
    others = table.values()
    return (_packed(table), _packed(map(len, others)), _packed(chain.from_iterable(others)))


def _lists_by_row(plain: Plain, by: int) -> dict[int, list[int]]:
    rows, counts, others = map(_unpacked, plain)
    moving = iter([moved(other, by) for other in others] if by else others)
    return {row + by: [*islice(moving, count)] for row, count in zip(rows, counts, strict=True)}
