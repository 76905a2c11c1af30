"""The index of the words of all sessions: one SQLite file, which may be deleted at any time.

It holds no text: `docs` has the words of each document, `places` where each document
begins in which log, `edits` the names of files that calls in a log may have changed. What it cannot
do, because it is damaged, locked or cannot be written, is done without it.
"""

import contextlib
import json
import sqlite3
from array import array
from collections.abc import Collection, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

from msgspec.structs import astuple, replace

from agentview.domain.activity import Kind
from agentview.domain.index_entry import KIND_CODES, KINDS
from agentview.domain.value import Value
from agentview.facts.search.documents import Column, Document
from agentview.system.file_writing import make_private
from agentview.system.own_database import read_schema
from agentview.system.paths import cache_dir

VERSION = 3
"""Raised when the contents of the index change, or the rules that split texts into words."""

_NAME = "search"
_PATIENCE = 2.0
"""Seconds that another process may keep the file locked."""

_CACHE_KIB = 16 * 1024
_KINDS = " ".join(KINDS)

_SCHEMA = """
CREATE TABLE about(kinds TEXT);
CREATE TABLE logs(
    id INTEGER PRIMARY KEY, path TEXT UNIQUE, device INTEGER, inode INTEGER, size INTEGER,
    modified INTEGER, done INTEGER, reached INTEGER, sample BLOB, unread INTEGER
);
CREATE TABLE spans(first INTEGER PRIMARY KEY, last INTEGER, log INTEGER);
CREATE INDEX spans_of_logs ON spans(log);
CREATE TABLE places(
    doc INTEGER PRIMARY KEY, log INTEGER, offset INTEGER, length INTEGER, sub INTEGER,
    kind INTEGER, time REAL, last INTEGER, span INTEGER, parts INTEGER
);
CREATE TABLE keys(log INTEGER, key INTEGER, doc INTEGER, PRIMARY KEY(log, key)) WITHOUT ROWID;
CREATE TABLE edits(name TEXT, log INTEGER, PRIMARY KEY(name, log)) WITHOUT ROWID;
CREATE INDEX edits_of_logs ON edits(log);
CREATE VIRTUAL TABLE docs USING fts5(
    said, command, path, args, result, content='', tokenize='ascii', detail=full
);
INSERT INTO docs(docs, rank) VALUES('hashsize', 16777216);
"""
_MATCHING = "SELECT rowid FROM docs WHERE docs MATCH ? LIMIT ?"
_RANKED = """
SELECT p.* FROM docs JOIN places p ON p.doc = docs.rowid WHERE docs MATCH ?
ORDER BY bm25(docs, 4.0, 3.0, 3.0, 1.5, 1.0) LIMIT ?
"""
_FIND_IN = """
SELECT p.* FROM docs JOIN places p ON p.doc = docs.rowid
WHERE docs MATCH ? AND docs.rowid BETWEEN ? AND ? AND instr(?, char(65 + p.kind))
ORDER BY docs.rowid DESC
"""
_PLACES = """
SELECT * FROM places WHERE doc IN (SELECT value FROM json_each(?)) ORDER BY offset DESC, sub DESC
"""
_CHUNK = 200
_EDITING = "SELECT DISTINCT log FROM edits WHERE name IN (SELECT value FROM json_each(?))"
_ALL_IN = """
SELECT * FROM places WHERE doc BETWEEN ? AND ? AND instr(?, char(65 + kind)) ORDER BY doc DESC
"""


class Log(Value):
    """The indexed part of a log: everything that begins before byte `done`.

    `size` and `modified` (nanoseconds) are what stat said then, `reached` is the end of the log's
    content, `sample` a digest of what stands before `done`, `unread` counts records too long.
    """

    id: int
    path: str
    device: int
    inode: int
    size: int
    modified: int
    done: int
    reached: int
    sample: bytes
    unread: int


class Found(Value):
    """A document that the index takes for a hit: where its records are, as `Document` has it."""

    doc: int
    log: int
    offset: int
    length: int
    sub: int
    kind: Kind
    time: float | None
    last: int
    end: int
    parts: int


def index_path() -> Path:
    return cache_dir() / f"{_NAME}-{VERSION}.sqlite"


def has_fts() -> bool:
    """Return True if this Python's SQLite can make such an index."""
    with contextlib.closing(sqlite3.connect(":memory:")) as db:
        try:
            db.execute("CREATE VIRTUAL TABLE docs USING fts5(said, content='', tokenize='ascii')")
        except sqlite3.Error:
            return False
    return True


class SearchIndex:
    """An open index; its methods raise `sqlite3.Error` where the file does not do as it should."""

    def __init__(self, db: sqlite3.Connection, path: Path) -> None:
        self._db = db
        self._logs: tuple[int, dict[str, Log]] | None = None
        self._all_spans: tuple[int, dict[int, list[tuple[int, int]]]] | None = None
        self.path = path

    @classmethod
    def open(cls, path: Path) -> "SearchIndex | None":
        """The index to ask; None when there is none that can be asked."""
        if not path.is_file() or not has_fts():
            return None
        try:
            db = _connect(path, "ro")
        except sqlite3.Error:
            return None
        try:
            if db.execute("SELECT kinds FROM about").fetchone() == (_KINDS,):
                return cls(db, path)
        except sqlite3.Error:
            pass
        db.close()
        return None

    @classmethod
    def create(cls, path: Path) -> "SearchIndex":
        """The index to be written, made again when there is none or none that can be used.

        Raises `sqlite3.Error` and OSError when the file cannot be written.
        """
        for attempt in (1, 2):
            make_private(path)
            try:
                db = _connect(path, "rwc")
                try:
                    _prepare(db)
                except sqlite3.Error:
                    db.close()
                    raise
                return cls(db, path)
            except sqlite3.DatabaseError as error:
                if attempt == 2 or not is_damage(error):
                    raise
                remove_index(path)
        raise AssertionError

    def close(self) -> None:
        self._db.close()

    # Asking

    def logs(self) -> dict[str, Log]:
        """Return the indexed part of each log, by path; kept until another process has written."""
        if self._logs is None or self._logs[0] != self._version():
            rows = self._db.execute("SELECT * FROM logs")
            self._logs = self._version(), {row[1]: Log(*row) for row in rows}
        return self._logs[1]

    def _version(self) -> int:
        return self._db.execute("PRAGMA data_version").fetchone()[0]

    def editing(self, names: Collection[str]) -> set[int]:
        """Logs with a call that may have changed a file or directory of one of these names."""
        rows = self._db.execute(_EDITING, (json.dumps([_stored(name) for name in names]),))
        return {log for (log,) in rows}

    def matching(self, expression: str, limit: int) -> "array[int]":
        """Numbers of documents of all logs, in order, `limit` at most."""
        return array("Q", [row[0] for row in self._db.execute(_MATCHING, (expression, limit))])

    def spans(self) -> dict[int, list[tuple[int, int]]]:
        """First and last number of the documents of each log, the last ones first."""
        if self._all_spans is None or self._all_spans[0] != self._version():
            found: dict[int, list[tuple[int, int]]] = {}
            for first, last, log in self._db.execute("SELECT * FROM spans ORDER BY first DESC"):
                found.setdefault(log, []).append((first, last))
            self._all_spans = self._version(), found
        return self._all_spans[1]

    def found(self, docs: Sequence[int]) -> Iterator[Found]:
        """Documents by their numbers, some at a time; those that lead nowhere are left out."""
        for start in range(0, len(docs), _CHUNK):
            chunk = docs[start : start + _CHUNK]
            numbers = f"[{','.join(map(str, chunk))}]"
            rows = self._db.execute(_PLACES, (numbers,)).fetchall()
            yield from map(_found, rows)

    def ranked(self, expression: str, limit: int) -> list[Found]:
        """Documents of all logs, the best match first: what was said counts more than results."""
        return [_found(row) for row in self._db.execute(_RANKED, (expression, limit))]

    def find_in(
        self, expression: str | None, log: int, kinds: Collection[Kind] = KINDS
    ) -> Iterator[Found]:
        """Documents of some kinds in one log, the last first; all without an expression."""
        letters = "".join(chr(65 + KIND_CODES[kind]) for kind in kinds)
        for first, last in self._spans(log):
            if expression is None:
                rows = self._db.execute(_ALL_IN, (first, last, letters))
            else:
                rows = self._db.execute(_FIND_IN, (expression, first, last, letters))
            yield from map(_found, rows)

    def _spans(self, log: int) -> Sequence[tuple[int, int]]:
        return self._db.execute(
            "SELECT first, last FROM spans WHERE log = ? ORDER BY first DESC", (log,)
        ).fetchall()

    # Writing

    def begin(self) -> None:
        """Begin to write; nothing of it is seen by others before `commit`."""
        self._db.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        self._db.execute("COMMIT")

    @property
    def writing(self) -> bool:
        return self._db.in_transaction

    def put_log(self, log: Log) -> Log:
        """Keep what is known of a log; its id is given when it is 0."""
        row = self._db.execute(
            "INSERT INTO logs VALUES (?,?,?,?,?,?,?,?,?,?) ON CONFLICT(path) DO UPDATE SET"
            " device = excluded.device, inode = excluded.inode, size = excluded.size,"
            " modified = excluded.modified, done = excluded.done, reached = excluded.reached,"
            " sample = excluded.sample, unread = excluded.unread RETURNING id",
            (log.id or None, *astuple(log)[1:]),
        ).fetchone()
        return replace(log, id=row[0])

    def put(self, log: int, documents: Sequence[Document]) -> None:
        """Add documents of a log."""
        if not documents:
            return
        first = self._db.execute("SELECT coalesce(max(id), 0) + 1 FROM docs_docsize").fetchone()[0]
        self._db.execute(
            "INSERT INTO spans VALUES (?,?,?)", (first, first + len(documents) - 1, log)
        )
        numbered = list(enumerate(documents, first))
        self._db.executemany(
            "INSERT INTO places VALUES (?,?,?,?,?,?,?,?,?,?)",
            (_place_row(doc, log, document) for doc, document in numbered if document.texts),
        )
        self._db.executemany(
            "INSERT INTO docs(rowid, said, command, path, args, result) VALUES (?,?,?,?,?,?)",
            (
                (doc, *(document.indexed(column) or None for column in Column))
                for doc, document in numbered
            ),
        )
        names = {_stored(name) for document in documents for name in document.edits()}
        self._db.executemany(
            "INSERT OR IGNORE INTO edits VALUES (?,?)", ((name, log) for name in names)
        )
        for doc, document in numbered:
            if document.key is not None:
                self._replace(log, document.key, doc)

    def _replace(self, log: int, key: str, doc: int) -> None:
        """Have a document count instead of an earlier one with the same key."""
        number = int.from_bytes(blake2b(key.encode("utf-8", "replace"), digest_size=7).digest())
        known = self._db.execute(
            "SELECT doc FROM keys WHERE log = ? AND key = ?", (log, number)
        ).fetchone()
        if known is not None:
            self._db.execute("DELETE FROM places WHERE doc = ?", known)
        self._db.execute("INSERT OR REPLACE INTO keys VALUES (?,?,?)", (log, number, doc))

    def forget(self, log: int) -> None:
        """Forget a log. Its words stay in the index and lead nowhere."""
        for first, last in self._spans(log):
            self._db.execute("DELETE FROM places WHERE doc BETWEEN ? AND ?", (first, last))
        self._db.execute("DELETE FROM keys WHERE log = ?", (log,))
        self._db.execute("DELETE FROM edits WHERE log = ?", (log,))
        self._db.execute("DELETE FROM spans WHERE log = ?", (log,))
        self._db.execute("DELETE FROM logs WHERE id = ?", (log,))

    def counts(self) -> tuple[int, int]:
        """Documents that lead somewhere, and all whose words are in the index."""
        given = self._db.execute("SELECT count(*) FROM docs_docsize").fetchone()[0]
        return self._db.execute("SELECT count(*) FROM places").fetchone()[0], given


def is_damage(error: sqlite3.Error) -> bool:
    """True if an error says that the file is not what it should be, rather than in use or full."""
    if isinstance(error, sqlite3.OperationalError):
        words = str(error).lower()
        return any(word in words for word in ("no such", "malformed", "no column", "i/o error"))
    return isinstance(error, sqlite3.DatabaseError)


def remove_index(path: Path) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        with contextlib.suppress(OSError):
            Path(f"{path}{suffix}").unlink(missing_ok=True)


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    db = sqlite3.connect(
        uri, uri=True, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
    )
    try:
        read_schema(db)
        db.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    except sqlite3.Error:
        db.close()
        raise
    return db


def _prepare(db: sqlite3.Connection) -> None:
    """Make the tables where there are none. Raises DatabaseError for a file of another kind."""
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    known = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if not known:
        db.executescript("BEGIN IMMEDIATE;" + _SCHEMA)
        db.execute("INSERT INTO about VALUES (?)", (_KINDS,))
        db.execute("COMMIT")
    elif db.execute("SELECT kinds FROM about").fetchone() != (_KINDS,):
        raise sqlite3.DatabaseError("made by another version")


def _place_row(doc: int, log: int, document: Document) -> tuple[object, ...]:
    offset, sub = document.place
    alone = document.parts == 1
    return (
        doc,
        log,
        offset,
        document.length,
        sub,
        KIND_CODES[document.kind],
        document.time,
        None if alone else document.last - offset,
        None if alone else document.end - offset,
        None if alone else document.parts,
    )


def _stored(name: str) -> str:
    """A name as the index has it: some bytes of a name may be no text."""
    return name.encode("utf-8", "replace").decode()


def _found(row: tuple[int, int, int, int, int, int, float | None, int | None, int, int]) -> Found:
    doc, log, offset, length, sub, kind, time, last, span, parts = row
    if last is None:
        return Found(doc, log, offset, length, sub, KINDS[kind], time, offset, offset + length, 1)
    return Found(
        doc, log, offset, length, sub, KINDS[kind], time, offset + last, offset + span, parts
    )
