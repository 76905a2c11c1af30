"""Ranges of rows: first row and the one behind the last."""

from collections.abc import Iterator, Sequence


def beyond(ranges: Sequence[tuple[int, int]], others: Sequence[tuple[int, int]]) -> Iterator[int]:
    """Rows of some ranges that are in none of the others; both in order, without overlap."""
    at = 0
    for start, stop in ranges:
        row = start
        while row < stop:
            while at < len(others) and others[at][1] <= row:
                at += 1
            if at < len(others) and others[at][0] <= row:
                row = others[at][1]
                continue
            edge = min(stop, others[at][0]) if at < len(others) else stop
            yield from range(row, edge)
            row = edge
