"""Facts of abandoned branches on their session: kept, so that they can be taken back."""

from collections.abc import Sequence

from agentview.domain.index_entry import Flag
from agentview.domain.session import Stream
from agentview.domain.value import Value
from agentview.timeline.rows.session_summary import Summary


class _Said(Value):
    """Facts of a row on its session next to its kind and flags."""

    streams: Sequence[Stream | None]
    """Those of which it began or ended a turn."""
    prompt: str | None


_NOTHING = _Said((), None)


class ExcludedRows:
    """Takes rows out of a summary, and puts them in again."""

    def __init__(self, summary: Summary) -> None:
        self._summary = summary
        self._said: dict[int, _Said] = {}

    def abandon(self, row: int, kind: int, flags: int) -> None:
        """Count a row no more."""
        summary = self._summary
        streams = [stream for stream, rows in summary.turn_rows.items() if row in rows]
        if streams or row in summary.prompts:
            self._said[row] = _Said(streams, summary.prompts.get(row))
        if flags & Flag.ABSENT:
            summary.gone(row)
        else:
            summary.left(row, kind, flags)

    def take_back(self, row: int, kind: int, flags: int) -> None:
        """Count a row again."""
        summary, said = self._summary, self._said.pop(row, _NOTHING)
        for stream in said.streams:
            summary.turn_rows.setdefault(stream, set()).add(row)
        if flags & Flag.ABSENT:
            return
        if said.prompt is not None:
            summary.prompts[row] = said.prompt
        summary.kinds[kind] += 1
        summary.problems += bool(flags & Flag.PROBLEM)
        summary.turns += bool(flags & Flag.TURN)
