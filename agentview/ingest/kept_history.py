"""Joins rows that were kept of a log with what is here of it, instead of reading all of it again.

Imported when there is a history to be read: the first frame needs none of it.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from agentview.domain.index_entry import RecordFacts
from agentview.ingest.background_index import SMALL, extend_in_worker
from agentview.log_index.kept_rows import KeptRows
from agentview.sources.line_splitter import Line, cut_lines
from agentview.sources.open_file import read_at
from agentview.store.applied_record import take_records
from agentview.store.assembler import Assembler
from agentview.store.reducing import reduce_lines
from agentview.store.session_store import SessionStore

_BATCH = 32
"""Lines that are read between two turns of the event loop."""


async def joined_with_kept(
    store: SessionStore,
    start: int,
    end: int,
    whole: tuple[int, bytes] | None = None,
    read: Sequence[Line] | None = None,
) -> tuple[Assembler, int] | None:
    """All rows of a log, for `SessionStore.take_over`; None where none are kept of it.

    The lines from byte `start` to byte `end` are in `store`; those before them are `read`, where
    they were read already. `whole` as in a request. Raises NotFound and Unreadable.
    """
    ref, first = store.session, None if whole is None else whole[0]
    kept = await asyncio.to_thread(KeptRows.open, ref, first)
    if kept is not None and end - kept.end > SMALL:
        await extend_in_worker(ref, end, whole)
        kept = await asyncio.to_thread(KeptRows.open, ref, first)
    if kept is None or not 0 <= end - kept.end <= SMALL:
        return None
    earlier: list[RecordFacts] = []
    if kept.end < start:
        if read is None:
            lines = cut_lines(read_at(Path(ref.path), kept.end, start - kept.end), 0, kept.end)
        else:
            lines = [line for line in read if line.offset >= kept.end]
        for at in range(0, len(lines), _BATCH):
            earlier += reduce_lines(ref, lines[at : at + _BATCH])
            await asyncio.sleep(0)
    rows = len(take_records(earlier).places)
    begin = -rows if kept.end <= start else store.rows_before(kept.end)
    try:
        joined = await asyncio.to_thread(_joined, store, kept, begin, earlier)
    except ValueError:
        # It is damaged, and was removed.
        return None
    return joined, kept.end


def _joined(
    store: SessionStore, kept: KeptRows, begin: int, earlier: Sequence[RecordFacts]
) -> Assembler:
    by = begin - kept.rows_end
    return store.joined_behind(begin, kept.end, earlier, kept.packet(by), kept.keys(by))
