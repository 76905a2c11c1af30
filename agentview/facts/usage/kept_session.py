"""Usage of a session in full, kept until one of its logs, the prices or the time zone change."""

import os
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec.structs import astuple, replace

from agentview.domain.session import SessionRef
from agentview.domain.value import Value
from agentview.errors import AgentViewError
from agentview.facts.kept.index_file import IndexFile, LogKey, NewBlock, create
from agentview.facts.kept.indexed_log import LEAST, QUIET, key_of
from agentview.facts.usage.kept_usage import basis
from agentview.facts.usage.report import SessionUsage
from agentview.providers import load_provider
from agentview.providers.session_logs import session_logs
from agentview.sources.file_stamp import is_recent, stamp_of
from agentview.sources.open_file import open_file

State = bytes
"""What decides the usage of a session: its logs as they are, prices, and what was asked."""


class _Kept(Value):
    of: bytes
    usage: SessionUsage


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Kept).decode


class KeptSession:
    """The kept usage of one session. Those with little to count are not kept."""

    def __init__(self, ref: SessionRef) -> None:
        self._ref = ref

    def state(self, *asked: bool) -> State | None:
        """The state of the session as it is now; None where it is not kept, or may soon change.

        `asked`: what else decides how it is counted.
        """
        own = stamp_of(self._ref.path)
        if own is None or is_recent(own.modified, QUIET):
            return None
        discovery = load_provider(self._ref.provider).discovery
        stamps = [(log, stamp_of(log.path)) for log in session_logs(discovery, self._ref)]
        found = [
            (log, stamp)
            for log, stamp in stamps
            if stamp is not None and not is_recent(stamp.modified, QUIET)
        ]
        if len(found) < len(stamps) or sum(stamp.size for _, stamp in found) < LEAST:
            return None
        of = [(log.path, log.own_from, astuple(stamp)) for log, stamp in found]
        with suppress(UnicodeEncodeError):
            return _encode((basis(), asked, of))
        return None

    def find(self, state: State) -> SessionUsage | None:
        """The usage that was kept in this state."""
        key = self._key()
        file = None if key is None else IndexFile.open(key, None)
        if file is None:
            return None
        try:
            kept = _decode(file.bytes_of(file.blocks[0]))
        except ValueError:
            return None
        return replace(kept.usage, ref=self._ref) if kept.of == state else None

    def put(self, state: State, usage: SessionUsage) -> None:
        """Keep a usage; does nothing where that cannot be written."""
        key = self._key()
        if key is None:
            return
        with suppress(AgentViewError, OSError, UnicodeEncodeError, OverflowError):
            data = _encode(_Kept(state, usage))
            fd, _ = open_file(Path(self._ref.path))
            try:
                create(key, [NewBlock(0, len(data), data)], fd)
            finally:
                os.close(fd)

    def _key(self) -> LogKey | None:
        return key_of(self._ref, None, lines=False, holds="usage")
