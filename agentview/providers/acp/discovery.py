"""Whether a file is traffic of the protocol, and which session it is of.

Clients write such logs only where they are configured to, so no standard place has them.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

import orjson

from agentview.domain.index_entry import LightEvent
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionInfo, SessionRef
from agentview.normalize.json_fields import Fields, mapping, text
from agentview.providers._kit import defaults
from agentview.providers._kit.discovery import probe_lines
from agentview.providers._kit.session_info import overview
from agentview.providers.acp.envelope import envelope
from agentview.providers.base import Light
from agentview.providers.folders import declared_roots
from agentview.sources.files import files_below, lines_of_tail, read_ends, read_part

NAME = "acp"

_PROBED_LINES = 60
_SURE = 0.96
_LIKELY = 0.8
_MAYBE = 0.3
_HEAD = 65_536
_ENDINGS = (".jsonl", ".log", ".txt", ".ndjson")
_METHODS = frozenset(
    {
        "session/request_permission",
        "session/prompt",
        "session/new",
        "session/load",
        "session/cancel",
        "fs/read_text_file",
        "fs/write_text_file",
        "terminal/create",
    }
)
_CUT = re.compile(
    rb'[^{}"]{0,120}\{(?:[^{}]|\{)*?"method"\s*:\s*"session/(?:update|request_permission|prompt)"'
)
_SESSION_ID = re.compile(rb'"sessionId"\s*:\s*"([^"\\]{1,200})"')


children = defaults.children
child_places = defaults.child_places
externalized_output = defaults.externalized_output


def probe(head: bytes, path: Path) -> float:
    """Confidence that a file beginning with `head` is traffic between a client and an agent."""
    _ = path
    return probe_lines(head, _probe_line, _PROBED_LINES)


def _probe_line(line: bytes) -> float:
    start = line.find(b"{")
    if start < 0 or start > 120:
        return 0.0
    try:
        value: object = orjson.loads(line[start:])
    except ValueError:
        return _LIKELY if _CUT.match(line[:2000]) is not None else 0.0
    if not isinstance(value, dict):
        return 0.0
    found = envelope(cast("Fields", value), line[:start].decode("utf-8", "replace"))
    return _confidence(found.message) if found is not None else 0.0


def _confidence(message: Fields) -> float:
    method = text(message, "method")
    params, result = mapping(message.get("params")), mapping(message.get("result"))
    if method == "session/update":
        return _SURE if "sessionUpdate" in mapping(params.get("update")) else 0.0
    if method in _METHODS:
        return _SURE if "sessionId" in params or "cwd" in params else _MAYBE
    # The Model Context Protocol begins alike, with a date for its version.
    if method == "initialize" and isinstance(params.get("protocolVersion"), int):
        return _LIKELY
    if isinstance(result.get("protocolVersion"), int) and "agentCapabilities" in result:
        return _SURE
    return _MAYBE if "stopReason" in result and message.get("jsonrpc") == "2.0" else 0.0


def roots(env: Mapping[str, str]) -> Sequence[Path]:
    return declared_roots(NAME, env) or []


def files(root: Path) -> Iterable["os.DirEntry[str]"]:
    return files_below(root, _ENDINGS)


def session_at(path: Path) -> SessionRef | None:
    return ref(path) if probe(read_part(path, 0, _HEAD), path) > 0 else None


def ref(path: Path) -> SessionRef:
    """The session that a log is of: the first that its messages name, else by its file's name."""
    found = _SESSION_ID.search(read_part(path, 0, _HEAD))
    name = found[1].decode("utf-8", "replace") if found is not None else path.stem
    try:
        status = path.stat()
    except OSError:
        return SessionRef(NAME, name, str(path))
    return SessionRef(NAME, name, str(path), modified=status.st_mtime, size=status.st_size)


def info(ref: SessionRef, decode: Light) -> SessionInfo:
    """Facts from the first and the last 128 kB of a file."""
    head, tail, start = read_ends(Path(ref.path))
    blocks = (head, 0), lines_of_tail(head, tail, start)
    return overview(ref, _events(ref, blocks, decode))


def _events(
    ref: SessionRef, blocks: Iterable[tuple[bytes, int]], decode: Light
) -> Iterator[LightEvent]:
    for block, start in blocks:
        offset = start
        for line in block.split(b"\n"):
            if b"{" in line and line.rstrip().endswith(b"}"):
                yield from decode(line, SourceRef(ref.path, offset, len(line)), ref)
            offset += len(line) + 1
