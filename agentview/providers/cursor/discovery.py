"""Where transcripts lie, whether a file is one, and which files its agents write."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import orjson

from agentview.domain.session import MAIN_STREAM, SessionInfo, SessionRef, Stream, StreamKind
from agentview.normalize.json_values import fields_of, text_of
from agentview.providers.cursor.overview import overview
from agentview.providers.cursor.probing import probe_head
from agentview.sources.files import files_below, is_directory, read_ends, read_part

NAME = "cursor"

_TRANSCRIPTS = "agent-transcripts"
_AGENTS = "subagents"
_ENDINGS = (".jsonl", ".txt")
_HEAD_BYTES = 16_384


def probe(head: bytes, path: Path) -> float:
    """Confidence that a file beginning with `head` is a stream or a transcript."""
    _ = path
    return probe_head(head)


def roots(env: Mapping[str, str]) -> Sequence[Path]:
    """`.cursor/projects` in the home."""
    home = env.get("HOME") or env.get("USERPROFILE")
    return [Path(home, ".cursor", "projects")] if home else []


def files(root: Path) -> Iterable["os.DirEntry[str]"]:
    """Transcripts under a root, a configuration directory, or the folder of one project."""
    inner = root / "projects"
    place = inner if is_directory(inner) else root
    for folder in _transcript_folders(place):
        yield from _logs(folder)


def held(path: Path) -> SessionRef | None:
    """The session in a file that `files` gave: where it lies says that it is one."""
    return ref(path)


def _transcript_folders(place: Path) -> Iterator[Path]:
    if place.name == _TRANSCRIPTS:
        yield place
        return
    for folder in (place, *_folders(place)):
        found = folder / _TRANSCRIPTS
        if is_directory(found):
            yield found


def _logs(folder: Path) -> Iterator["os.DirEntry[str]"]:
    """`<id>.jsonl`, `<id>/<id>.jsonl` and `<id>/subagents/<agent>.jsonl`."""
    yield from files_below(folder, _ENDINGS, depth=0)
    for session in _folders(folder):
        yield from files_below(session, _ENDINGS, depth=0)
        yield from files_below(session / _AGENTS, _ENDINGS, depth=0)


def _folders(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return sorted(folder / entry.name for entry in entries if entry.is_dir())
    except OSError:
        return []


def ref(path: Path) -> SessionRef:
    """The session that a file holds: the id that its first record states, else its file name."""
    try:
        status = path.stat()
    except OSError:
        return SessionRef(NAME, path.stem, str(path), MAIN_STREAM)
    found = SessionRef(NAME, path.stem, str(path), modified=status.st_mtime, size=status.st_size)
    if path.parent.name == _AGENTS:
        parent = path.parent.parent.name
        stream = Stream(StreamKind.SUBAGENT, path.stem)
        return replace(found, session_id=parent, stream=stream, parent_id=parent)
    return replace(found, session_id=_stated_id(path) or path.stem)


def _stated_id(path: Path) -> str | None:
    line = read_part(path, 0, _HEAD_BYTES).lstrip(b"\xef\xbb\xbf\x00 \r\n").partition(b"\n")[0]
    try:
        record = fields_of(orjson.loads(line))
    except ValueError:
        return None
    return text_of(record.get("session_id")) or text_of(record.get("agent_id"))


def children(ref: SessionRef) -> Sequence[SessionRef]:
    """Transcripts of the agents that a session started."""
    found = (
        entry for place in child_places(ref) for entry in files_below(place, _ENDINGS, depth=0)
    )
    paths = sorted(Path(entry.path) for entry in found)
    return tuple(
        replace(_ref(path), session_id=ref.session_id, parent_id=ref.session_id) for path in paths
    )


def _ref(path: Path) -> SessionRef:
    return ref(path)


def child_places(ref: SessionRef) -> Sequence[Path]:
    """`subagents` in the session's own folder, whether the log lies in that folder or beside it."""
    if ref.stream.kind is not StreamKind.MAIN:
        return ()
    log = Path(ref.path)
    own = log.parent if log.parent.name == log.stem else log.with_suffix("")
    return (own / _AGENTS,)


def spilled(ref: SessionRef, recorded: str) -> Path | None:
    """None: the client keeps no output beside its transcripts."""
    _ = ref, recorded
    return None


def info(ref: SessionRef) -> SessionInfo:
    """Facts from the first and the last 128 kB of a file."""
    head, tail, start = read_ends(Path(ref.path))
    return overview(ref, head, tail, start)
