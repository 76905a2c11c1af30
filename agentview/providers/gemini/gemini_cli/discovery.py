"""Where sessions lie, whether a file is one, and which files its agents write."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from glob import escape
from hashlib import sha256
from pathlib import Path

from agentview.domain.session import MAIN_STREAM, SessionInfo, SessionRef, Stream, StreamKind
from agentview.normalize.json_fields import mapping
from agentview.normalize.json_values import Fields, fields_of, items_of, text_of
from agentview.normalize.partial_json import begun
from agentview.providers.gemini.gemini_cli.documents import console_bytes
from agentview.providers.gemini.gemini_cli.overview import overview, says_something
from agentview.providers.gemini.gemini_cli.probing import probe_head
from agentview.sources.files import files_below, is_file_name, read_ends, read_part

NAME = "gemini_cli"

_CHATS = "chats"
_OUTPUTS = "tool-outputs"
_ROOT_FILE = ".project_root"
_ROOT_BYTES = 4096
_PROJECTS = "projects.json"
_LIST_BYTES = 262_144
_HEAD_BYTES = 16_384
_ID_IN_NAME = 8
"""Characters of a session's id that the name of its file ends with."""
_MAX_DEPTH = 6
_SHORT = 12
"""Characters of a file's name that may be a part of another's by chance."""
_SKIPPED = frozenset({_OUTPUTS, "checkpoints"})
"""Folders of no sessions; what is kept to restore files has the history of one up to some call."""
_ENDINGS = (".json", ".jsonl")
_BESIDE = frozenset({"logs.json", "shell_history.json", "settings.json", "projects.json"})
"""Files beside the sessions that are none."""


def probe(head: bytes, path: Path) -> float:
    """Confidence that a file beginning with `head` is a session or a printed stream."""
    _ = path
    return probe_head(head)


def roots(env: Mapping[str, str]) -> Sequence[Path]:
    """`.gemini/tmp` in the home directory, or in the one that GEMINI_CLI_HOME names."""
    home = env.get("GEMINI_CLI_HOME", "").strip() or env.get("HOME") or env.get("USERPROFILE")
    return [Path(home, ".gemini", "tmp")] if home else []


def files(root: Path) -> Iterable["os.DirEntry[str]"]:
    """Logs under a root, and others that lie there.

    A document that was resumed by a version that writes lines has been copied into a log beside it.
    """
    found = [
        entry
        for entry in files_below(root, _ENDINGS, skipped=_SKIPPED)
        if entry.name not in _BESIDE
    ]
    paths = {entry.path for entry in found}
    return [entry for entry in found if f"{entry.path}l" not in paths]


def held(path: Path) -> SessionRef | None:
    """The session in a file, an agent's too.

    None for the log that resuming a session begins and leaves empty, as the session goes on in its
    own (0.47 on).
    """
    head = read_part(path, 0, _HEAD_BYTES)
    if probe_head(head) <= 0:
        return None
    found = ref(path)
    return None if _is_left_empty(found, head) else found


def _is_left_empty(session: SessionRef, head: bytes) -> bool:
    """Whether a log has only what a session begins with, and another is of the same session."""
    if len(head) >= _HEAD_BYTES or session.stream.kind is not StreamKind.MAIN:
        return False
    path = Path(session.path)
    ending = f"-{session.session_id[:_ID_IN_NAME]}.jsonl"
    if not path.name.endswith(ending) or says_something(head, session):
        return False
    others = (other for other in path.parent.glob(f"*{escape(ending)}") if other != path)
    return any(
        other.stat().st_size > len(head) and ref(other).session_id == session.session_id
        for other in others
    )


def ref(path: Path) -> SessionRef:
    """The session that a file holds; an agent's file lies in a folder named after its session."""
    try:
        status = path.stat()
        meta = _meta(str(path), status.st_ino, min(status.st_size, _HEAD_BYTES))
    except OSError:
        return SessionRef(NAME, _id_in_name(path), str(path), MAIN_STREAM)
    own = text_of(meta.get("sessionId")) or text_of(meta.get("session_id")) or _id_in_name(path)
    if meta.get("kind") != "subagent":
        return SessionRef(NAME, own, str(path), modified=status.st_mtime, size=status.st_size)
    return SessionRef(
        NAME,
        _first_session(path.parent),
        str(path),
        Stream(StreamKind.SUBAGENT, own),
        parent_id=path.parent.name,
        modified=status.st_mtime,
        size=status.st_size,
    )


def _first_session(folder: Path) -> str:
    """The session that started the agent whose files lie in a folder, or the agent before it."""
    for _ in range(_MAX_DEPTH):
        above = next(iter(sorted(folder.parent.glob(f"*/{escape(folder.name)}.jsonl"))), None)
        if above is None:
            break
        folder = above.parent
    return folder.name


def _id_in_name(path: Path) -> str:
    return path.name.removesuffix(".jsonl").removesuffix(".json")


@lru_cache(maxsize=8192)
def _meta(path: str, inode: int, size: int) -> Fields:
    """What the beginning says of its session; it stays as long as as much of it is there."""
    _ = inode
    head = read_part(Path(path), 0, size)
    text = head[console_bytes(head) :].decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    listed = text.startswith("[")
    found = begun('{"items":' + text if listed else _first_value(text)) or {}
    return fields_of(next(iter(items_of(found.get("items"))), None)) if listed else found


def _first_value(text: str) -> str:
    """The first line where it is a record, else the whole beginning of a document."""
    line = text.partition("\n")[0].rstrip()
    return line if line.endswith("}") else text


def children(ref: SessionRef) -> Sequence[SessionRef]:
    """Files of agents that a session started, and of those that they started in turn."""
    if ref.stream.kind is not StreamKind.MAIN:
        return ()
    return tuple(sorted(_agents(ref), key=lambda child: child.path))


def _agents(session: SessionRef) -> Iterator[SessionRef]:
    waiting, seen = [session.session_id], set[str]()
    folder = Path(session.path).parent
    while waiting:
        name = waiting.pop()
        if name in seen or not is_file_name(name):
            continue
        seen.add(name)
        for path in sorted((folder / name).glob("*.jsonl")):
            found = ref(path)
            if found.stream.kind is StreamKind.SUBAGENT:
                waiting.append(found.stream.id)
                yield SessionRef(
                    NAME,
                    session.session_id,
                    found.path,
                    found.stream,
                    parent_id=name,
                    modified=found.modified,
                    size=found.size,
                )


def child_places(ref: SessionRef) -> Sequence[Path]:
    """The folder of the session's agents, and those of agents that they started."""
    if ref.stream.kind is not StreamKind.MAIN or not ref.session_id:
        return ()
    folder = Path(ref.path).parent
    names = dict.fromkeys((ref.session_id, *(child.stream.id for child in children(ref))))
    return tuple(folder / name for name in names if is_file_name(name))


def spilled(ref: SessionRef, recorded: str) -> Path | None:
    """The whole output of a call, in the folder of outputs beside the folder of sessions."""
    name = recorded.replace("\\", "/").rpartition("/")[2]
    if not is_file_name(name) or name.startswith("."):
        return None
    for folder in Path(ref.path).parents[:3]:
        for owner in (ref.stream.id, ref.session_id):
            place = folder / _OUTPUTS / f"session-{owner}"
            found = _output(place, name) if is_file_name(place.name) else None
            if found is not None:
                return found
    return None


def _output(folder: Path, name: str) -> Path | None:
    """The file of that name, or the only one whose name has it: the client adds to some names."""
    places = [folder / name]
    if not places[0].is_file() and len(name) > _SHORT:
        places = list(folder.glob(f"*{escape(name.removesuffix('.txt'))}*.txt"))
    found = [place for place in places if place.is_file() and not place.is_symlink()]
    return found[0] if len(found) == 1 else None


def info(ref: SessionRef) -> SessionInfo:
    """Facts from the first and the last 128 kB of a file."""
    path = Path(ref.path)
    head, tail, tail_start = read_ends(path)
    return overview(ref, head, tail, tail_start, _project_root(path))


def _project_root(path: Path) -> str | None:
    """The directory of the project, from the file beside the folder of its sessions.

    Else from the client's list of projects, by the name of that folder or the hash that it was.
    """
    folder = next((parent for parent in path.parents[:3] if parent.name == _CHATS), None)
    if folder is None:
        return None
    found = read_part(folder.parent / _ROOT_FILE, 0, _ROOT_BYTES).decode("utf-8", "replace").strip()
    return found or _listed_project(folder.parent)


def _listed_project(folder: Path) -> str | None:
    listed = read_part(folder.parent.parent / _PROJECTS, 0, _LIST_BYTES).decode("utf-8", "replace")
    for place, name in fields_of(mapping(listed).get("projects")).items():
        if folder.name in (name, sha256(place.encode()).hexdigest()):
            return place
    return None
