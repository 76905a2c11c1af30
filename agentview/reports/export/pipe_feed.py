"""Reads a session that comes through a pipe, forward, and follows it."""

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from pathlib import Path

from msgspec.structs import replace

from agentview.domain.session import SessionRef
from agentview.providers.base import HEAD_BYTES, Provider
from agentview.reports.export.events import Fields
from agentview.reports.export.log_feed import LineNumbers, LogForm, SessionForm
from agentview.sources.line_splitter import Line
from agentview.sources.pipe import PipeReader

_HEAD_LINES = 1000


class PipeFeed:
    """A session that comes through a pipe; its places are offsets in what came."""

    def __init__(
        self,
        reader: PipeReader,
        choose: Callable[[Path, bytes], Provider | None],
        form: Callable[[Provider], SessionForm],
    ) -> None:
        """`choose` says whose session it is, by the spool file and its first bytes."""
        self._reader = reader
        self._choose = choose
        self._form = form
        self._numbers = LineNumbers(reader.read_at)

    async def read(self, *, follow: bool) -> AsyncIterator[Iterable[Fields]]:
        """Lines in batches until the pipe closes; none when nothing is recognised.

        With `follow` those of each piece that comes, else what is held back until the end.
        """
        form: SessionForm | None = None
        log: LogForm | None = None
        unknown: list[Line] = []
        async for batch in self._reader.batches():
            unknown += batch
            if form is None or log is None:
                provider = self._choose(self._reader.path, _head(unknown))
                if provider is None:
                    continue
                form = self._form(provider)
                log = form.log(_piped_ref(provider, self._reader.path))
            yield log.take([(line, self._numbers.number(line)) for line in unknown])
            unknown.clear()
            if follow:
                yield form.release()
        if form is not None:
            yield form.release()


def _head(lines: Sequence[Line]) -> bytes:
    head = b"\n".join(line.data or line.head for line in lines[:_HEAD_LINES])
    return head[:HEAD_BYTES]


def _piped_ref(provider: Provider, spool: Path) -> SessionRef:
    """The session by what came first; the name of the spool file must not show anywhere."""
    ref = provider.discovery.ref(spool)
    return replace(ref, session_id="stdin") if ref.session_id == spool.stem else ref
