"""Where traces lie, and whether a file is one."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import orjson

from agentview.domain.index_entry import LightEvent
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionInfo, SessionRef
from agentview.normalize.json_fields import Fields, mapping, text
from agentview.normalize.json_values import real_of
from agentview.providers._kit import defaults
from agentview.providers._kit.discovery import probe_records
from agentview.providers._kit.session_info import end_lines, overview
from agentview.providers._kit.signatures import Signature, Test, confidence_in
from agentview.providers.base import Light
from agentview.providers.folders import declared_roots
from agentview.providers.happier.documents import is_document, split
from agentview.sources.files import files_below, read_ends, read_part

NAME = "happier"

_PROBED_LINES = 20
_SURE = 0.96
_PROTOCOLS = frozenset({"acp", "codex", "claude"})
_TRACED: Mapping[str, Test] = {"payload": dict, "kind": str, "direction": {"inbound", "outbound"}}
_SIGNATURES = (
    Signature(_SURE, {**_TRACED, "protocol": _PROTOCOLS, "v": real_of}, keys={"ts"}),
    Signature(0.6, _TRACED),
)
_HEAD = 65_536


children = defaults.children
child_places = defaults.child_places
externalized_output = defaults.externalized_output


def probe(head: bytes, path: Path) -> float:
    """Confidence that a file beginning with `head` is a tool trace or a file of fixtures."""
    _ = path
    if is_document(head):
        return _SURE
    return probe_records(head, _probe_record, most=_PROBED_LINES)


def _probe_record(record: Fields) -> float:
    return confidence_in(record, _SIGNATURES)


def roots(env: Mapping[str, str]) -> Sequence[Path]:
    return declared_roots(NAME, env) or []


def files(root: Path) -> Iterable["os.DirEntry[str]"]:
    return files_below(root, (".jsonl",), depth=0)


def session_at(path: Path) -> SessionRef | None:
    return ref(path) if probe(read_part(path, 0, _HEAD), path) > 0 else None


def ref(path: Path) -> SessionRef:
    """The session of a trace's first record; a file of fixtures has many and goes by its name."""
    head = read_part(path, 0, _HEAD)
    first = _first(head)
    name = text(first, "sessionId") or path.stem
    try:
        status = path.stat()
    except OSError:
        return SessionRef(NAME, name, str(path))
    return SessionRef(NAME, name, str(path), modified=status.st_mtime, size=status.st_size)


def _first(head: bytes) -> Fields:
    for line in head.split(b"\n"):
        try:
            fields = mapping(orjson.loads(line))
        except ValueError:
            continue
        if "sessionId" in fields:
            return fields
    return {}


def info(ref: SessionRef, decode: Light) -> SessionInfo:
    """Facts from the first and the last 128 kB of a file."""
    head, tail, start = read_ends(Path(ref.path))
    if is_document(head):
        whole = not tail or start == len(head)
        return overview(ref, _of_document(ref, head + tail, decode) if whole else ())
    events = end_lines(head, tail, start, ref, decode)
    return overview(ref, events)


def _of_document(ref: SessionRef, data: bytes, decode: Light) -> Iterator[LightEvent]:
    """Events of a whole document; the ends of a larger one do not show where records begin."""
    with suppress(ValueError):
        for begin, end in split(data):
            yield from decode(data[begin:end], SourceRef(ref.path, begin, end - begin), ref)
