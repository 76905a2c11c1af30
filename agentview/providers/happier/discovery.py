"""Where traces lie, and whether a file is one."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import orjson

from agentview.domain.session import LiveState, SessionInfo, SessionRef
from agentview.normalize.fields import Fields, mapping, number, text
from agentview.normalize.overview import end_lines, overview
from agentview.providers.happier.decode import decode
from agentview.providers.happier.documents import is_document

NAME = "happier"

_PROTOCOLS = frozenset({"acp", "codex", "claude"})
_PROBED_LINES = 20
_SURE = 0.96
_HEAD = 65_536
_END_BYTES = 131_072


def probe(head: bytes, path: Path) -> float:
    """Confidence that a file beginning with `head` is a tool trace or a file of fixtures."""
    _ = path
    if is_document(head):
        return _SURE
    best = 0.0
    for line in head.lstrip(b"\xef\xbb\xbf\x00").split(b"\n", _PROBED_LINES)[:_PROBED_LINES]:
        best = max(best, _probe_line(line))
    return best


def _probe_line(line: bytes) -> float:
    try:
        fields = mapping(orjson.loads(line))
    except ValueError:
        return 0.0
    whole = isinstance(fields.get("payload"), dict) and isinstance(fields.get("kind"), str)
    if not whole or text(fields, "direction") not in ("inbound", "outbound"):
        return 0.0
    known = text(fields, "protocol") in _PROTOCOLS
    return _SURE if known and number(fields, "v") is not None and "ts" in fields else 0.6


def roots(env: Mapping[str, str]) -> Sequence[Path]:
    """The folder of traces that the environment names, else the one in the client's home."""
    folder = env.get("HAPPIER_STACK_TOOL_TRACE_DIR", "").strip()
    file = env.get("HAPPIER_STACK_TOOL_TRACE_FILE", "").strip()
    found = [Path(folder)] if folder else []
    found += [Path(file).parent] if file and Path(file).is_absolute() else []
    own = env.get("HAPPIER_HOME_DIR", "").strip()
    home = env.get("HOME") or env.get("USERPROFILE")
    if own or home:
        base = Path(own) if own else Path(home or "", ".happier")
        found.append(base / "tool-traces")
    return list(dict.fromkeys(found))


def scan(root: Path) -> Iterable[SessionRef]:
    """All traces in a folder."""
    for path in sorted(root.glob("*.jsonl")):
        if path.is_file() and probe(_read(path, 0, _HEAD), path) > 0:
            yield ref(path)


def ref(path: Path) -> SessionRef:
    """The session of a trace's first record; a file of fixtures has many and goes by its name."""
    head = _read(path, 0, _HEAD)
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


def children(ref: SessionRef) -> Sequence[SessionRef]:
    """None: a trace has no other files."""
    _ = ref
    return ()


def child_places(ref: SessionRef) -> Sequence[Path]:
    """None, as there are no such files."""
    _ = ref
    return ()


def spilled(ref: SessionRef, recorded: str) -> Path | None:
    """None: nothing is kept beside the trace."""
    _ = ref, recorded
    return None


def info(ref: SessionRef) -> SessionInfo:
    """Facts from the first and the last 128 kB of a file."""
    path = Path(ref.path)
    head = _read(path, 0, _END_BYTES)
    if is_document(head):
        return overview(ref, ())
    start = max(_END_BYTES, (ref.size or 0) - _END_BYTES)
    tail = _read(path, start, _END_BYTES) if (ref.size or 0) > _END_BYTES else b""
    events = end_lines(head, tail, start, ref, decode)
    return overview(ref, events, asking=LiveState.WAITING_APPROVAL)


def _read(path: Path, start: int, limit: int) -> bytes:
    try:
        with path.open("rb") as file:
            file.seek(start)
            return file.read(limit)
    except OSError:
        return b""
