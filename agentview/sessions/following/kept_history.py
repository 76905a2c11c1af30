"""Joins rows that were kept of a log with what is here of it, instead of reading all of it again.

Imported when there is a history to be read: the first frame needs none of it.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from agentview.domain.index_entry import RecordFacts
from agentview.facts.kept.kept_rows import KeptRows
from agentview.sessions.following.background_index import SMALL, extend_in_worker
from agentview.sources.file_stamp import Stamp
from agentview.sources.line_splitter import Line, cut_lines
from agentview.sources.open_file import read_at
from agentview.sources.resume_point import digest_of_log
from agentview.timeline.rows.applied_record import take_records
from agentview.timeline.rows.assembler import Assembler
from agentview.timeline.rows.reducing import reduce_lines
from agentview.timeline.rows.session_store import SessionStore

_BATCH = 32
"""Lines that are read between two turns of the event loop."""


async def joined_with_kept(
    store: SessionStore,
    start: int,
    end: int,
    first: int | None = None,
    read: Sequence[Line] | None = None,
    stamp: Stamp = None,
) -> tuple[Assembler, int] | None:
    """All rows of a log, for `SessionStore.take_over`; None where none are kept of it.

    The lines from byte `start` to byte `end` are in `store`; those before them are `read`, where
    they were read already. `first` is the byte of the first record of a log whose records may be
    written again, `stamp` that of a document before it was read. Raises NotFound and Unreadable.
    """
    ref = store.session
    kept = await asyncio.to_thread(KeptRows.open, ref, first, stamp)
    if kept is not None and end - kept.end > SMALL:
        await extend_in_worker(ref, end, await whole_of(Path(ref.path), first, end))
        kept = await asyncio.to_thread(KeptRows.open, ref, first, stamp)
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


async def whole_of(path: Path, first: int | None, end: int) -> tuple[int, bytes] | None:
    """The state by which a log whose records may be written again is compared; see `Request`.

    None for one that only grows. Raises NotFound and Unreadable.
    """
    if first is None:
        return None
    return first, await asyncio.to_thread(digest_of_log, path, first, end)


def _joined(
    store: SessionStore, kept: KeptRows, begin: int, earlier: Sequence[RecordFacts]
) -> Assembler:
    by = begin - kept.rows_end
    return store.joined_behind(begin, kept.end, earlier, kept.packet(by), kept.keys(by))
