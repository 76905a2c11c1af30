"""Which logs may have changed a file, as far as the index says: the others need not be read."""

from collections.abc import Collection

from agentview.facts.edits.edited_names import ANY
from agentview.facts.search.fts_index import Log, SearchIndex, index_path
from agentview.facts.search.indexer import WriteFailed, is_unchanged
from agentview.sources.member import log_stat


class EditedLogs:
    """Logs whose calls did not change files of some names; nothing is known without an index."""

    def __init__(self) -> None:
        self._logs: dict[str, Log] = {}
        self._index = SearchIndex.open(index_path())
        try:
            self._logs = {} if self._index is None else dict(self._index.logs())
        except WriteFailed:
            self.close()
        self._whole: dict[str, bool] = {}

    def close(self) -> None:
        """Let go of the index."""
        if self._index is not None:
            self._index.close()
        self._index = None

    def without(self, names: Collection[str]) -> frozenset[str]:
        """Paths of indexed logs that have no call that may have changed one of these names."""
        if self._index is None:
            return frozenset()
        try:
            found = self._index.editing({*names, ANY})
        except WriteFailed:
            return frozenset()
        return frozenset(path for path, log in self._logs.items() if log.id not in found)

    def is_whole(self, path: str) -> bool:
        """Return True if the index has all of a log as it is now."""
        known = self._whole.get(path)
        if known is None:
            known = self._whole[path] = self._is_whole(path)
        return known

    def _is_whole(self, path: str) -> bool:
        log = self._logs.get(path)
        if log is None or log.unread or log.done != log.reached:
            return False
        try:
            return is_unchanged(log, log_stat(path))
        except OSError:
            return False
