"""The files that agentview keeps for itself, looked at without changing any of them."""

import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from agentview.domain.value import Value
from agentview.paths import cache_dir

_PATIENCE = 0.3
"""Seconds that the check of one database may take."""
_STEPS = 20_000
"""Steps of the database between two looks at the clock."""
_DATABASE = ".sqlite"
SOUND = "sound"


class CacheFile(Value):
    """One file of the cache; `state` is `sound`, what is wrong, or None for what is no database."""

    name: str
    bytes: int
    version: int | None
    """As the database has it: of its form and of the program that made it."""
    state: str | None


class CacheFacts(Value):
    """The cache, which can be deleted at any time."""

    path: str
    state: str
    """`there`, `missing`, or what stands in the way of it."""
    files: tuple[CacheFile, ...]


def cache_facts() -> CacheFacts:
    """All files of the cache."""
    path = cache_dir()
    try:
        files = sorted(each for each in path.rglob("*") if each.is_file())
        if not path.is_dir():
            return CacheFacts(str(path), _missing(path), ())
    except OSError as error:
        return CacheFacts(str(path), error.strerror or str(error), ())
    return CacheFacts(str(path), _writable(path), tuple(_file(path, each) for each in files))


def _missing(path: Path) -> str:
    """Why there is no cache: it has not been made, or it cannot be."""
    if path.exists() or path.is_symlink():
        return "no directory, so nothing is kept"
    above = next(each for each in path.parents if each.exists())
    return "missing" if _writable(above) == "there" else "cannot be made, so nothing is kept"


def _writable(path: Path) -> str:
    writable = path.is_dir() and os.access(path, os.W_OK | os.X_OK)
    return "there" if writable else "cannot be written"


def _file(cache: Path, path: Path) -> CacheFile:
    version, state = _checked(path) if path.suffix == _DATABASE else (None, None)
    try:
        size = path.stat().st_size
    except OSError as error:
        size, state = 0, error.strerror or str(error)
    return CacheFile(str(path.relative_to(cache)), size, version, state)


def _checked(path: Path) -> tuple[int | None, str | None]:
    """Version and state of a database; it is neither made nor mended."""
    began = time.monotonic()
    try:
        # A reader, too, would leave files beside a database that nobody has open.
        open_elsewhere = path.with_name(f"{path.name}-wal").exists()
        uri = f"file:{quote(str(path))}?mode=ro{'' if open_elsewhere else '&immutable=1'}"
        with closing(sqlite3.connect(uri, uri=True, timeout=_PATIENCE)) as database:
            (version,) = database.execute("PRAGMA user_version").fetchone()
            database.set_progress_handler(lambda: time.monotonic() - began > _PATIENCE, _STEPS)
            (found,) = database.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
            return None, "too large to be checked here"
        return None, str(error)
    except sqlite3.Error as error:
        return None, f"damaged, and made anew when it is needed: {error}"
    return version, SOUND if found == "ok" else f"damaged: {found}"
