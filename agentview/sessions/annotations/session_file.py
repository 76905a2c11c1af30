"""The file of one session: JSON that several processes may change, each change atomic.

A file that cannot be read as one is set aside, never overwritten. Keys that this version does not
know are kept.
"""

import errno
import json
import os
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import cast

from agentview.errors import AgentViewError
from agentview.system import platforms
from agentview.system.paths import state_dir

VERSION = 1
_PATIENCE = 2.0
"""Seconds to wait for another process that is writing."""
_PAUSE = 0.01
_LARGEST = 50_000_000

Fields = dict[str, object]


class AnnotationsNotSaved(AgentViewError):  # noqa: N818  (reads as the sentence it stands for)
    """The file cannot be read or written. Exit code 1."""


class SessionFile:
    """Annotations of one session. `set_aside` names the file that a damaged one became, if any."""

    def __init__(self, provider: str, session_id: str, directory: Path | None = None) -> None:
        """`directory` holds the files of all sessions; None is the state directory's own."""
        self._session: Fields = {"provider": provider, "session": session_id}
        self._folder = directory or state_dir() / "sessions"
        self.set_aside: Path | None = None

    @cached_property
    def path(self) -> Path:
        """The file; it need not exist."""
        # Not wanted for the first frame.
        import hashlib

        # Session ids come from logs and may be anything; a hash is always a file name.
        named = "\0".join(map(str, self._session.values())).encode("utf-8", "replace")
        return self._folder / f"{hashlib.sha256(named).hexdigest()[:32]}.json"

    def read(self) -> Fields:
        """Give what the file says; empty without one. Raises AnnotationsNotSaved."""
        with _reported(self.path):
            found = self._parsed()
            if found is None:
                with self._locked():
                    # Another process may have replaced it meanwhile.
                    found = self._parsed()
                    if found is None:
                        self._move_aside()
        return found or {}

    def change(self, edit: Callable[[Fields], None]) -> Fields:
        """Apply `edit` to what the file says now, and write it; give the result.

        Raises AnnotationsNotSaved.
        """
        # Not wanted for the first frame.
        from agentview.system.file_writing import make_folder, replace_file

        with _reported(self.path):
            make_folder(self._folder)
            self._folder.chmod(0o700)
            with self._locked():
                found = self._parsed()
                if found is None:
                    self._move_aside()
                    found = {}
                version = found.get("version", VERSION)
                if isinstance(version, int) and version > VERSION:
                    raise AnnotationsNotSaved(
                        f"{self.path} was written by a newer agentview.", "Update agentview."
                    )
                edit(found)
                kept: Fields = {"version": VERSION, **self._session, **found}
                text = json.dumps(kept, indent=1) + "\n"
                replace_file(self.path, text.encode("utf-8"), 0o600)
                return found

    def _parsed(self) -> Fields | None:
        return _parsed(self.path)

    def _move_aside(self) -> None:
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
        target = self.path.with_name(f"{self.path.stem}.damaged-{stamp}.json")
        self.path.replace(target)
        self.set_aside = target

    @contextmanager
    def _locked(self) -> Generator[None]:
        """Keep other processes from changing files of the folder during the block."""
        descriptor = os.open(
            self._folder / ".lock", os.O_RDWR | os.O_CREAT | platforms.CLOSE_ON_EXEC, 0o600
        )
        try:
            _lock(descriptor)
            yield
        finally:
            os.close(descriptor)


def entries_of(fields: Mapping[str, object], key: str) -> Fields:
    """The entries below a key, which may be changed in place; a new object where it has none."""
    found = fields.get(key)
    return cast("Fields", found) if isinstance(found, dict) else {}


def saved_fields(path: Path) -> Fields:
    """Fields in the file of any session; empty for a damaged one. Raises AnnotationsNotSaved."""
    with _reported(path):
        return _parsed(path) or {}


def _parsed(path: Path) -> Fields | None:
    """Give the object of the file, empty without a file, None for a damaged one."""
    try:
        if path.stat().st_size > _LARGEST:
            return None
        found: object = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (ValueError, RecursionError):
        return None
    return cast("Fields", found) if isinstance(found, dict) else None


def _lock(descriptor: int) -> None:
    """Lock an open file until it is closed; where files cannot be locked, do without."""
    give_up = time.monotonic() + _PATIENCE
    while True:
        try:
            platforms.lock(descriptor)
        except BlockingIOError:
            if time.monotonic() > give_up:
                raise BlockingIOError(errno.EAGAIN, "another instance is writing") from None
            time.sleep(_PAUSE)
        except OSError:
            return
        else:
            return


@contextmanager
def _reported(path: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise AnnotationsNotSaved(f"{path} cannot be used: {error.strerror or error}.") from error
