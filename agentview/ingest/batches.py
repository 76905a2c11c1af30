"""Lines cut into batches that are taken in about a millisecond each."""

from collections.abc import Iterator, Sequence

from agentview.sources.line_splitter import Line

BATCH_LINES = 32
BATCH_BYTES = 64 * 1024
"""What is read between two looks at the clock."""


def batches(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Lines in their order, as many at a time as take a millisecond or so."""
    batch: list[Line] = []
    size = 0
    for line in lines:
        batch.append(line)
        size += line.length
        if len(batch) == BATCH_LINES or size > BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
