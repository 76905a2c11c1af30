"""Where sessions lie, whether a file is one, and which files its agents write."""

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import cast

import orjson
from msgspec.structs import replace

from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.normalize.json_values import Fields
from agentview.providers._kit.discovery import LogFiles
from agentview.providers._kit.signatures import Signature, Test
from agentview.providers._kit.typed_values import read_as
from agentview.providers.claude.claude_code.schema import AgentMeta, Identity, JournalLine
from agentview.sources.files import files_below, is_directory, is_file_name, listed_in, read_part
from agentview.sources.member import Member
from agentview.sources.one_look import found_once

NAME = "claude_code"

_STATE_KEYS = {
    "ai-title": "aiTitle",
    "api-request": "shapeHash",
    "api-request-shape": "shapeHash",
    "api-request-blob": "hash",
    "atis-latch": "atis",
    "cost-state": "totalCostUSD",
    "custom-title": "customTitle",
    "file-history-delta": "snapshotMessageId",
    "file-history-snapshot": "snapshot",
    "last-prompt": "sessionId",
    "mode": "mode",
    "permission-mode": "permissionMode",
    "pr-link": "prUrl",
    "queue-operation": "operation",
    "summary": "leafUuid",
}
"""Types of records outside the conversation, with a key that each of them has."""

_CUT = re.compile(
    rb'\s*\{\s*(?="(?:parentUuid|isSidechain|type|uuid|logicalParentUuid)")'
    rb'.*"isSidechain"\s*:\s*(?:true|false)',
    re.DOTALL,
)
_PREFIXED_ID = re.compile(r"session-[0-9a-f]{8}-.*", re.DOTALL)
_AGENT_FILE = re.compile(r"agent-(.+)\.jsonl")
_NAMED_AGENT = re.compile(r"a([a-z][a-z0-9_-]*)-[0-9a-f]{6,}")
"""The id of an agent with a name or a purpose, as `acompact-1f2e3d`; of others it is hex alone."""
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_NOT_SESSIONS = frozenset({"journal.jsonl", "history.jsonl"})
_SKIPPED = frozenset({"tool-results", "file-history", "memory"})

_HEAD = 16_384
_FIRST = 4_096
"""Bytes read of a file whose name is the id of a session."""
_META = 1_048_576
"""The same of a file about an agent."""


def _identity(head: bytes) -> tuple[list[str], bool, str | None]:
    """Session ids in the order they come, whether all records are of a sidechain, and its agent."""
    ids: list[str] = []
    sidechain: bool | None = None
    agent_id: str | None = None
    for record in records_in(head):
        own = read_as(record, Identity)
        if own.session_id and own.session_id not in ids:
            ids.append(own.session_id)
        if own.is_sidechain is not None:
            sidechain = own.is_sidechain and sidechain is not False
            agent_id = agent_id or own.agent_id or None
    if not ids:
        ids = re.findall(r'"sessionId"\s*:\s*"([^"]+)"', head.decode("utf-8", "replace"))[:1]
    return ids, sidechain is True, agent_id


def records_in(block: bytes) -> Iterator[Fields]:
    """The objects on the whole lines of a block; anything else is left out."""
    for line in block.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        try:
            value: object = orjson.loads(line.strip(b"\x00"))
        except ValueError:
            continue
        if isinstance(value, dict):
            yield cast("Fields", value)


def _parent_folder(path: Path) -> str | None:
    """Name of the folder that has a file in its folder `subagents`: its session's, as a rule."""
    for folder in path.parents:
        if folder.name == "subagents":
            return folder.parent.name
    return None


def _run_of(path: Path) -> str | None:
    """Id of the workflow run in whose folder `workflows/<run>` a file lies."""
    return next((each.name for each in path.parents if each.parent.name == "workflows"), None)


def _journal_label(path: Path, agent: str) -> str | None:
    """The label of an agent in the journal of its run."""
    if _run_of(path) is None:
        return None
    journal = path.with_name("journal.jsonl")
    try:
        status = journal.stat()
    except OSError:
        return None
    return _journal_labels(journal, status.st_mtime_ns, status.st_size).get(agent)


@lru_cache(maxsize=16)
def _journal_labels(journal: Path, _modified: int, _size: int) -> Mapping[str, str]:
    """Labels by agent, of the `started` lines of a journal as it is now."""
    records = records_in(read_part(journal, 0, _META))
    lines = (read_as(each, JournalLine) for each in records)
    return {each.agent_id: each.label for each in lines if each.agent_id and each.label}


def _read_meta(path: Path) -> tuple[str | None, str | None]:
    """Return the name of an agent, and the call that started it (`agent-<id>.meta.json`).

    An agent of a workflow has a label, as in the `started` line of its run's `journal.jsonl`.
    """
    try:
        meta = read_as(orjson.loads(read_part(path.with_suffix(".meta.json"), 0, _META)), AgentMeta)
    except ValueError:
        return None, None
    # All agents of a workflow are of one type: their prompts say more.
    kind = meta.agent_type if _run_of(path) is None else None
    return meta.label or meta.description or kind or None, meta.tool_use_id or None


@found_once
def _names_in(folder: str) -> frozenset[str]:
    try:
        _, entries = listed_in(folder)
    except (OSError, ValueError):
        return frozenset()
    return frozenset(entry.name for entry in entries)


def _subagent_folders(ref: SessionRef) -> list[Path]:
    path = Path(ref.path)
    places = [path.with_suffix("") / "subagents"]
    if is_file_name(ref.session_id):
        places.append(path.parent / ref.session_id / "subagents")
    return list(dict.fromkeys(places))


def _is_content(value: object) -> bool:
    return isinstance(value, str | list)


_SAID: Mapping[str, Test] = {"type": {"user", "assistant"}, "message/content": _is_content}


class Transcripts(LogFiles):
    """Logs in a folder of each project; those of agents are below or next to their session's."""

    other_files = _NOT_SESSIONS
    skipped = _SKIPPED
    head_bytes = _HEAD
    signatures = (
        # Of the printed stream, and of programs that borrowed the envelope.
        Signature(0.0, keys={"session_id"}, without={"sessionId"}),
        Signature(0.0, any_of={"message/parts", "systemPayload", "workspace"}),
        Signature(0.0, {"sessionId": _PREFIXED_ID}),
        Signature(0.95, {"type": str, "isSidechain": bool}, keys={"sessionId"}),
        Signature(0.6, {"type": str, "isSidechain": bool}),
        Signature(0.5, {"type": "attachment", "attachment/type": str}),
        Signature(0.6, _SAID, keys={"timestamp", "cwd", "version"}),
        Signature(0.3, _SAID, keys={"timestamp"}),
        # An excerpt, as people keep of a log: the message alone, with its role in two places.
        Signature(0.2, {**_SAID, "type": "user", "message/role": "user"}),
        Signature(0.2, {**_SAID, "type": "assistant", "message/role": "assistant"}),
        *(Signature(0.9, {"type": kind}, keys={key}) for kind, key in _STATE_KEYS.items()),
    )
    cut_lines = ((_CUT, 0.9),)

    def probe(self, head: bytes, path: Path) -> float:
        """Confidence that a file beginning with `head` is a session: the shape of its records.

        The stream that the client prints (`session_id`, no `isSidechain`) is another format, and
        so are the journals and histories next to the sessions.
        """
        best = super().probe(head, path)
        if 0 < best < 0.9 and _AGENT_FILE.fullmatch(path.name):
            best += 0.05
        return best

    def files(self, root: Path) -> Iterable["os.DirEntry[str] | Member"]:
        """Logs under a root, a configuration directory, or one project's folder."""
        inner = root / "projects"
        return super().files(inner if is_directory(inner) else root)

    def session_at(self, path: Path) -> SessionRef | None:
        """The session in a file; one that is named after a session may be of another client."""
        if not _UUID.fullmatch(path.stem):
            return super().session_at(path)
        foreign = self._is_of_another(read_part(path, 0, _FIRST), path)
        return None if foreign else self._now(SessionRef(NAME, path.stem, str(path)))

    def _is_of_another(self, head: bytes, path: Path) -> bool:
        """Return True if a file begins with whole records, and none of them is one of mine."""
        first = head.partition(b"\n")[0]
        if b"\n" not in head or b'"sessionId"' in head or b'"isSidechain"' in head:
            return False
        try:
            whole = isinstance(orjson.loads(first), dict)
        except ValueError:
            return False
        return whole and self.probe(head, path) == 0

    def session(self, path: Path, head: bytes) -> SessionRef:
        """The session that a file holds.

        A sub-agent's file has the id of the session that started it, on each record; where it is in
        the folder of a session, that decides.
        """
        ids, sidechain, agent_id = _identity(head)
        named = _AGENT_FILE.fullmatch(path.name)
        if named is not None or (sidechain and agent_id is not None):
            agent = agent_id or (named[1] if named is not None else path.stem)
            folder = _parent_folder(path)
            of_folder = folder if folder is not None and _UUID.fullmatch(folder) else None
            parent = of_folder or (ids[0] if ids else folder)
            label, call = _read_meta(path)
            label = label or _journal_label(path, agent)
            found = _NAMED_AGENT.fullmatch(agent)
            if label is None and found is not None:
                label = found[1].replace("_", " ")
            return SessionRef(
                NAME,
                parent or path.stem,
                str(path),
                Stream(StreamKind.SUBAGENT, agent),
                parent_id=parent,
                parent_call=call,
                label=label,
                run=_run_of(path),
            )
        session_id = path.stem if not ids or path.stem in ids else ids[0]
        return SessionRef(NAME, session_id, str(path))

    def children(self, ref: SessionRef) -> Sequence[SessionRef]:
        """Files of agents: in the session's folder `subagents`, or next to it (up to 2.0.x)."""
        if ref.stream.kind is not StreamKind.MAIN:
            return ()
        # Thousands of sessions without agents are asked for theirs: no path is made for one.
        folder, name = os.path.split(ref.path)
        folder = folder or os.curdir
        found: dict[str, SessionRef] = {}
        own = {os.path.splitext(name)[0], ref.session_id}  # noqa: PTH122
        files = [
            Path(entry.path)
            for each in own & _names_in(folder)
            for entry in files_below(Path(folder, each, "subagents"), (".jsonl",))
            if _AGENT_FILE.fullmatch(entry.name)
        ]
        for file in (*files, *self._agents_next_to(folder).get(ref.session_id, ())):
            if str(file) != ref.path:
                found[str(file)] = self._child(file, ref)
        return tuple(found[name] for name in sorted(found))

    @found_once
    def _agents_next_to(self, folder: str) -> Mapping[str, Sequence[Path]]:
        """Logs of agents in a folder of sessions, by the sessions that each names."""
        found: dict[str, list[Path]] = {}
        for entry in files_below(folder, (".jsonl",), depth=0):
            if entry.name.startswith("agent-"):
                file = Path(entry.path)
                for session in self._sessions_of(file):
                    found.setdefault(session, []).append(file)
        return found

    def _sessions_of(self, agent: Path) -> Sequence[str]:
        """The sessions that the log of an agent names, of which a look knows the first."""
        known = self.known(agent)
        if known is None:
            return _identity(read_part(agent, 0, _HEAD))[0]
        return () if known.parent_id is None else (known.parent_id,)

    def _child(self, file: Path, parent: SessionRef) -> SessionRef:
        """The log of an agent of `parent`, under the id of its parent whatever it says itself."""
        found = self.known(file) or self.ref(file)
        return replace(found, session_id=parent.session_id, parent_id=parent.session_id)

    def child_places(self, ref: SessionRef) -> Sequence[Path]:
        """Folders in which files of agents appear: the session's own, and the one it is in."""
        if ref.stream.kind is not StreamKind.MAIN:
            return ()
        return (*_subagent_folders(ref), Path(ref.path).parent)

    def externalized_output(self, ref: SessionRef, recorded: str) -> Path | None:
        """The file with the whole of a large output (`<session>/tool-results/<id>.txt`).

        Only the name counts of the path that the log states: nothing outside of the session's own
        folder is ever read, also not through a link; but see `_task_output`.
        """
        name = re.split(r"[\\/]", recorded)[-1]
        log = Path(ref.path)
        owners = [log.with_suffix(""), *(at for at in log.parents if at.name == ref.parent_id)]
        for owner in owners:
            folder = owner / "tool-results"
            file = folder / name
            if is_file_name(name) and file.is_file() and not file.is_symlink():
                return file
        return _task_output(ref, recorded)


def _task_output(ref: SessionRef, recorded: str) -> Path | None:
    """The file to which a command in the background writes, in the directory of temporary files.

    It is `…/<project>/<session>/tasks/<id>.output` (2.1.33x), without the session up to 2.0.x. Only
    a file whose path ends so, with the names of the log itself, is read, and no link.
    """
    path, names = Path(recorded), {folder.name for folder in Path(ref.path).parents}
    folders = path.parts[-4:-1]
    old = folders[-2:-1] != (ref.session_id,)
    project = folders[-2:-1] if old else folders[-3:-2]
    if folders[-1:] != ("tasks",) or not names.issuperset(project) or path.suffix != ".output":
        return None
    try:
        regular = stat.S_ISREG(path.lstat().st_mode)
    except (OSError, ValueError):
        return None
    return path if regular and path.is_absolute() else None


DISCOVERY = Transcripts(NAME)
