"""The sessions that a directory of tables has: what each was when its rows were written."""

import zlib
from array import array
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from agentview.domain.value import Value
from agentview.errors import AgentViewError, Unreadable
from agentview.system.file_writing import replace_file

_HEAD = b"agentview tables 1\n"
_CHECKSUM = 4


class KeptSession(Value):
    """A session whose rows are in the tables."""

    provider: str
    session_id: str
    day: str
    """Of the partition that has its rows."""
    agents: tuple[str, ...]
    """Logs of agents whose rows are with its own."""
    files: dict[str, str]
    """Its logs, those of its agents and its annotations: by path, another text once it changed."""
    counted: bytes
    """Keys of the responses that are counted here, as `SessionClaims` has them."""
    repeated: bytes
    """Keys of those that earlier sessions count."""


class Manifest(Value):
    """All sessions of one user on one machine, by the paths of their logs.

    `moves` are the files that take their places by it: from a draft, or None for one that is
    removed. Who ends before all are moved leaves the others to the next run.
    """

    options: str = ""
    rules: str = ""
    """Changes with the code and the prices that the rows were made by."""
    sessions: dict[str, KeptSession] = {}  # noqa: RUF012
    moves: tuple[tuple[str | None, str], ...] = ()
    number: int = 0
    """Rises with each manifest, so that no two have drafts of one name."""


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Manifest).decode


def read_manifest(path: Path) -> Manifest | None:
    """The manifest in a file; None without one. Raises Unreadable for a damaged one, OSError."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    body = data[len(_HEAD) + _CHECKSUM :]
    if data.startswith(_HEAD) and data[len(_HEAD) :][:_CHECKSUM] == _checksum(body):
        with suppress(ValueError):
            return _decode(body)
    raise Unreadable(
        f"{path} is damaged, or was written by another version.",
        "Remove it, and all sessions are written again.",
    )


def write_manifest(path: Path, manifest: Manifest) -> None:
    """Put a manifest in the place of the one before. Raises AgentViewError, and OSError."""
    try:
        body = _encode(manifest)
    except (ValueError, OverflowError) as error:
        raise AgentViewError(f"{path} cannot be written: {error}.") from error
    replace_file(path, _HEAD + _checksum(body) + body, 0o600)


def keys_in(data: bytes) -> "array[int]":
    return array("Q", data)


def packed(keys: Iterable[int]) -> bytes:
    """Keys of responses as bytes, the same for the same keys."""
    return array("Q", sorted(keys)).tobytes()


def without_moved(
    sessions: Mapping[str, KeptSession], found: Iterable[tuple[str, str, str]]
) -> dict[str, KeptSession]:
    """The sessions but those that are now at another path; `found` has provider, id and path."""
    places: dict[tuple[str, str], set[str]] = {}
    for provider, session_id, path in found:
        places.setdefault((provider, session_id), set()).add(path)
    return {
        path: kept
        for path, kept in sessions.items()
        if path in places.get((kept.provider, kept.session_id), (path,))
    }


def _checksum(body: bytes) -> bytes:
    return zlib.crc32(body).to_bytes(_CHECKSUM)
