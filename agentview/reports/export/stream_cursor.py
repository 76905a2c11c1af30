"""A place in the stream of all sessions, from which it continues: what was sent of each log."""

import base64
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

import msgspec
from msgspec.structs import replace

from agentview.domain.session import SessionRef
from agentview.domain.value import Value
from agentview.errors import AgentViewError, UsageError
from agentview.sources.member import log_stat, member_of
from agentview.sources.open_file import read_at

SLACK = 60 * 10**9
"""Nanoseconds by which clocks of file systems may differ, or a clock may be set back."""

_VERSION = "1"
_CHECKED = 256
"""Bytes before a position by which a log is known again."""


class LogState(Value):
    """A log as it was when its lines were sent."""

    stamp: int
    """When it was written or put in its place, nanoseconds since the epoch."""
    version: str
    """Another text once the log has changed."""
    position: int = 0
    """The byte behind the last record that was sent; 0 where records have no fixed places."""
    check: str = ""
    """A digest of the bytes before the position."""


class Cursor(Value, array_like=False, rename={"until": "u", "logs": "l", "databases": "d"}):
    """All logs of sessions that were last written up to `until`, and these logs, have been sent.

    `logs` has the logs that were written later, by `key_of`; `databases` the databases, by their
    keys, whose sessions are among those up to `until`.
    """

    until: int
    """Nanoseconds since the epoch."""
    logs: Mapping[str, LogState]
    databases: frozenset[str] = frozenset()

    def encoded(self) -> str:
        """The cursor as a text without spaces, for `decoded`."""
        return f"{_VERSION}.{base64.urlsafe_b64encode(_encode(self)).decode().rstrip('=')}"


_encode = msgspec.json.Encoder(order="deterministic").encode
_decode = msgspec.json.Decoder(Cursor).decode


def decoded(text: str) -> Cursor:
    """The cursor that a line of the stream has. Raises UsageError for any other text."""
    version, _, body = text.strip().partition(".")
    wrong = UsageError(
        "--since is not a cursor.", "Give the `cursor` of the last line of that type, unchanged."
    )
    if version != _VERSION or not re.fullmatch(r"[\w-]+", body, re.ASCII):
        raise wrong
    try:
        return _decode(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    except ValueError:
        raise wrong from None


def key_of(*parts: object) -> str:
    """A short name of a path or of anything else, the same in each run."""
    text = "\x00".join(map(str, parts)).encode("utf-8", "replace")
    return blake2b(text, digest_size=8).hexdigest()


def state_of(ref: SessionRef) -> LogState | None:
    """A log as it is now, nothing of it sent; None where it is gone."""
    try:
        status = log_stat(ref.path)
    except (OSError, ValueError):
        return None
    if member_of(ref.path) is not None and ref.modified is not None:
        # The database is written for each of its sessions: what the session's own row says counts.
        return LogState(int(ref.modified * 1e9), key_of(ref.modified))
    # A copy may keep the time of the original, but not the time at which it was made.
    version = key_of(status.st_size, status.st_mtime_ns, status.st_ino)
    return LogState(status.st_ctime_ns, version)


def unknown_state(ref: SessionRef) -> LogState:
    """A log of which nobody knows what it was before it was read: it counts as changed since."""
    now = state_of(ref)
    return LogState(0 if now is None else now.stamp, "")


def sent_until(state: LogState, path: str, position: int) -> LogState:
    return replace(state, position=position, check=_digest(path, position))


def position_in(path: str, state: LogState) -> int:
    """The position, 0 if the log no longer has what was before it."""
    return state.position if _digest(path, state.position) == state.check else 0


def database_of(ref: SessionRef) -> str | None:
    """The path of the database or archive that a session is in; None for one that is in none."""
    member = member_of(ref.path)
    return None if member is None else member[0]


def database_keys(paths: Iterable[str]) -> frozenset[str]:
    """Keys of databases; one that was replaced has another key."""
    found: set[str] = set()
    for path in paths:
        with suppress(OSError, ValueError):
            found.add(key_of(path, log_stat(path).st_ino))
    return frozenset(found)


def _digest(path: str, position: int) -> str:
    if position <= 0:
        return ""
    start = max(0, position - _CHECKED)
    try:
        return key_of(read_at(Path(path), start, position - start).hex())
    except (AgentViewError, OSError):
        return ""
