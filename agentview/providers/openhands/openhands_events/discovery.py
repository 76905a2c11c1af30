"""Whether a file is a trajectory, and what divides it."""

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path

from agentview.domain.session import SessionInfo, SessionRef
from agentview.normalize.json_document import is_list, records_in, split_document
from agentview.normalize.json_values import Fields, fields_of, items_of, text_of
from agentview.normalize.raw_span import Span
from agentview.providers._kit.archive_logs import ArchiveLogs
from agentview.providers._kit.discovery import LogFiles, first_record
from agentview.providers._kit.json_documents import JsonDocuments, members_of
from agentview.providers.base import Light
from agentview.providers.openhands.openhands_events.archive import ARCHIVE
from agentview.sources.files import files_below
from agentview.sources.member import LINES, Member, member_of

_SURE = 0.95
_LISTS = ("trajectory", "history")
_SOURCES = frozenset({"agent", "user", "environment"})
_LOOKED_AT = 4
_BLANKS = b"\xef\xbb\xbf \t\r\n"


def _is_event(record: Fields) -> bool:
    """Whether it has the members of an action or of an observation."""
    if (
        not isinstance(record.get("timestamp"), str)
        or text_of(record.get("source")) not in _SOURCES
    ):
        return False
    acts = isinstance(record.get("action"), str) and isinstance(record.get("args"), Mapping)
    saw = isinstance(record.get("observation"), str) and isinstance(record.get("extras"), Mapping)
    return acts or saw


class Trajectories(JsonDocuments, ArchiveLogs):
    """Documents with a list of events, or files with a task on each line; they lie anywhere."""

    def probe(self, head: bytes, path: Path) -> float:
        """By the forms of the first events, in a document or as lines."""
        _ = path
        return max(self._in_document(head), self.probe_line(head))

    def probe_line(self, line: bytes) -> float:
        return _SURE if _is_event(first_record(line)) else 0.0

    def begins(self, head: bytes) -> bool:
        return self._in_document(head) > 0

    def files(self, root: Path) -> Iterable["os.DirEntry[str] | Member"]:
        """Documents below a folder, and the tasks in files of lines."""
        if root.is_file():
            yield from self._members(str(root))
            return
        for entry in files_below(root, (*self.endings, LINES)):
            if entry.name.endswith(LINES):
                yield from self._members(entry.path)
            else:
                yield entry

    def info(self, ref: SessionRef, decode: Light) -> SessionInfo:
        """Facts from the first and the last events."""
        lines = member_of(ref.path) is not None or ref.path.endswith(LINES)
        return (LogFiles if lines else JsonDocuments).info(self, ref, decode)

    @staticmethod
    def _in_document(head: bytes) -> float:
        if head.lstrip(_BLANKS).startswith(b"["):
            first: Sequence[Fields] = [*islice(records_in(head), _LOOKED_AT)]
        else:
            members = members_of(head)
            listed = next((key for key in _LISTS if key in members), "")
            first = [*map(fields_of, items_of(members.get(listed))[:_LOOKED_AT])]
        # The last one may be cut.
        return _SURE if first and all(map(_is_event, first[: len(first) - 1] or first)) else 0.0

    def split(self, data: bytes) -> Sequence[Span]:
        """Start and end of each event, and of what is around them.

        Raises ValueError when it is not a document.
        """
        return split_document(data, () if is_list(data) else _LISTS)


DISCOVERY = Trajectories("openhands_events", ARCHIVE)
