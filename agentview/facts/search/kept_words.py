"""Words that a log shows and need not have in its bytes, kept until the log or the rules change.

With them, the bytes of a log that a search has read before decide whether it is read again.
"""

from collections.abc import Sequence
from hashlib import blake2b

from agentview.domain.session import SessionRef
from agentview.facts.kept.facts_db import FactsDatabase, path_key, path_of
from agentview.facts.kept.index_file import LogKey
from agentview.facts.kept.indexed_log import key_of
from agentview.facts.search.tokenizer import words_of
from agentview.sources.file_stamp import is_recent

_LONGEST = 16_384
"""Characters that are kept of a log."""
_AT_ONCE = 256
"""Logs that are written at once."""
_HOLDS = "shown"
_READ = "SELECT path, digest, words FROM shown"
_PUT = "INSERT OR REPLACE INTO shown (path, digest, words) VALUES (?, ?, ?)"


class KeptWords:
    """The words of logs in the database of facts; without one nothing is known or kept."""

    def __init__(self, database: FactsDatabase | None = None) -> None:
        self._database = database
        self._rows: dict[object, tuple[object, object]] | None = None
        self._new: list[tuple[str | bytes, bytes, str]] = []

    def key(self, log: SessionRef) -> LogKey | None:
        """The key of a log as it is now; None where nothing is kept of it, or it was just written.

        Take it when the log is open, before it is read.
        """
        key = None
        if self._database is not None:
            key = key_of(log, None, lines=False, holds=_HOLDS)
        return None if key is None or is_recent(key.modified) else key

    def find(self, key: LogKey | None) -> str | None:
        """The words of a log, in lines; None where they are not known."""
        if key is None or self._database is None:
            return None
        if self._rows is None:
            rows = self._database.attempt(lambda file: file.execute(_READ).fetchall(), [])
            self._rows = {path_of(path): (digest, words) for path, digest, words in rows}
        digest, words = self._rows.get(key.path, (None, None))
        return words if isinstance(words, str) and digest == _digest(key, words) else None

    def put(self, key: LogKey | None, log: SessionRef, texts: Sequence[str]) -> None:
        """Keep what records of a log show, unless it was written since its key was taken."""
        words = "\n".join(sorted({word for text in texts for word in words_of(text)}))
        if key is None or len(words) > _LONGEST or key != self.key(log):
            return
        self._new.append((path_key(key.path), _digest(key, words), words))
        if len(self._new) >= _AT_ONCE:
            self.write()

    def write(self) -> None:
        """Write what was put."""
        new, self._new = self._new, []
        if new and self._database is not None:
            self._database.attempt(lambda file: file.executemany(_PUT, new), None)


def _digest(key: LogKey, words: str) -> bytes:
    """Of what the words are of, and of the words themselves, which may be damaged."""
    text = f"{key!r}\0{words}".encode("utf-8", "backslashreplace")
    return blake2b(text, digest_size=16).digest()
