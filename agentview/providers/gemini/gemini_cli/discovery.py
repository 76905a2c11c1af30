"""Where sessions lie, whether a file is one, and which files its agents write."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from glob import escape
from hashlib import sha256
from itertools import chain
from pathlib import Path

import orjson
from msgspec.structs import replace

from agentview.domain.activity import RowKind
from agentview.domain.events import Hidden, User
from agentview.domain.index_entry import KIND_CODES, EventFact, LightEvent
from agentview.domain.session import SessionInfo, SessionRef, Stream, StreamKind
from agentview.normalize.json_document import items_in
from agentview.normalize.json_fields import mapping
from agentview.normalize.json_values import Fields, fields_of, items_of, text_of
from agentview.normalize.partial_json import begun
from agentview.normalize.session_state import LogHabits
from agentview.providers._kit import session_info as events_overview
from agentview.providers._kit.discovery import LogFiles, probe_lines
from agentview.providers._kit.signatures import Signature, SignatureTable, filled
from agentview.providers.base import CERTAIN, Light
from agentview.providers.gemini.gemini_cli.documents import (
    LISTS,
    console_bytes,
    document_confidence,
    is_document,
    is_on_screen,
)
from agentview.sources.files import files_below, is_file_name, read_ends, read_part
from agentview.sources.member import Member
from agentview.sources.one_look import found_once
from agentview.sources.packed_file import content_size

# Recognizes by content whether a file is a session of this client, in any of its forms.

_MESSAGE_TYPES = frozenset({"user", "gemini", "info", "warning", "error"})
_CUT = re.compile(
    rb'\s*(?:\{\s*"sessionId"\s*:\s*"[^"]*"\s*,\s*"projectHash"\s*:'
    rb'|\{\s*"\$set"\s*:\s*\{\s*"messages"\s*:\s*\[\s*\{\s*"id"\s*:'
    rb'|\{\s*"id"\s*:\s*"[^"]*"\s*,\s*"timestamp"\s*:\s*"[^"]*"\s*,\s*"type"\s*:\s*"gemini")'
)


def probe_head(head: bytes) -> float:
    """Confidence 0..1 that a file that begins with `head` is one of this client's."""
    best = probe_lines(head, _probe_line)
    return best if best >= CERTAIN else max(best, document_confidence(head))


def _probe_line(line: bytes) -> float:
    if len(line) < 3:
        return 0.0
    try:
        value: object = orjson.loads(line.strip(b"\x00 \t\r"))
    except ValueError:
        return CERTAIN if _CUT.match(line) is not None else 0.0
    return _SIGNATURES.confidence(fields_of(value))


def _is_content(content: object) -> bool:
    """True if it is a text or a list of parts of the vendor's interface, which have no type."""
    parts = items_of(content)
    return isinstance(content, str) or (
        bool(parts) and not any("type" in fields_of(p) for p in parts)
    )


_IDENTIFIED, _TIMED = frozenset({"id", "content"}), frozenset({"id", "content", "timestamp"})
_STREAMED = frozenset({"timestamp", "session_id", "model"})
_SIGNATURES = SignatureTable(
    # A session, and its changes.
    Signature(CERTAIN, {"sessionId": str}, {"projectHash"}),
    Signature(0.9, {"$set": filled}, any_of={"$set/lastUpdated", "$set/messages"}, only={"$set"}),
    Signature(0.5, {"$set": filled}, only={"$set"}),
    Signature(0.9, {"$rewindTo": str}),
    # Lines of `-o stream-json`; what others keep of it may have no times.
    Signature(CERTAIN, {"type": "tool_use"}, {"tool_name", "tool_id", "parameters"}),
    Signature(0.9, {"type": "tool_result"}, {"tool_id", "status"}),
    Signature(0.9, {"type": "result"}, {"stats/total_tokens", "status"}),
    Signature(0.9, {"type": "init"}, _STREAMED),
    # Messages. Clients that grew out of this one name responses after themselves.
    Signature(CERTAIN, {"type": "gemini"}, _IDENTIFIED, {"thoughts", "tokens"}),
    Signature(0.8, {"type": "gemini"}, _IDENTIFIED),
    Signature(0.8, {}, _TIMED | {"type", "thoughts", "tokens", "model"}),
    Signature(
        0.6, {"type": _MESSAGE_TYPES, "content": _is_content}, _TIMED,
        only=_TIMED | {"type", "displayContent"},
    ),
    Signature(
        0.6, {"type": "message", "content": str}, {"timestamp"},
        only={"type", "timestamp", "role", "content", "delta"},
    ),
)  # fmt: skip


# What a session is about and what it is doing, from the records at its two ends.

HABITS = LogHabits(late_calls=True)
"""A message is written when it is complete, its calls once they have ended (0.61)."""

_PROMPT = KIND_CODES[RowKind.USER]
_ITEM = re.compile(r'\{\s*"(?:id|content)"\s*:')
_OBJECTIVE = re.compile(r"<objective>\s*(.+?)\s*</objective>", re.DOTALL)


def overview(
    ref: SessionRef, head: bytes, tail: bytes, tail_start: int, decode: Light, root: str | None
) -> SessionInfo:
    """Facts about a session from the bytes of its head and of its tail, which begins anywhere.

    `root` is the directory of its project, where that is known from elsewhere.
    """
    # Imported here: few files get this far.
    from agentview.providers.gemini.gemini_cli.messages import TYPES

    if is_document(head):
        members, messages = _begun(head)
        types = TYPES.union(filter(None, (text_of(item.get("type")) for item in messages)))
        # The messages that stand whole in the tail.
        values = (members, *messages, *items_in(tail, _ITEM, types))
        found = (events_overview.decoded(value, ref, decode) for value in values if value)
        events: Iterable[LightEvent] = chain.from_iterable(found)
    else:
        events = events_overview.end_lines(head, tail, tail_start, ref, decode)
    standing = _standing(events_overview.light_forms(events, ref))
    return events_overview.overview(ref, map(_bare, standing), project=root, habits=HABITS)


def says_something(log: bytes, ref: SessionRef) -> bool:
    """Return True if a whole log of lines has more than what is hidden."""
    # Imported here: only a short log is looked at.
    from agentview.providers.gemini.gemini_cli.decode import decode

    events = events_overview.whole_lines(log, 0, ref, decode)
    return any(not isinstance(event.body, Hidden) for event in events)


def _standing(events: Iterable[EventFact]) -> list[EventFact]:
    """The events without prompts that were taken back or written again later."""
    found: list[EventFact] = []
    for event in events:
        back = event.tie.rewinds if event.tie is not None else None
        gone = _place(found, back.key if back is not None else None)
        if gone is not None:
            found[gone:] = [each for each in found[gone:] if each.kind != _PROMPT]
        again = _place(found, event.rewrites) if event.kind == _PROMPT else None
        if again is None:
            found.append(event)
        else:
            found[again] = event
    return found


def _place(events: list[EventFact], key: str | None) -> int | None:
    """Where the last event with a key stands."""
    if key is None:
        return None
    places = range(len(events) - 1, -1, -1)
    return next((place for place in places if events[place].rewrites == key), None)


def _bare(light: EventFact) -> LightEvent:
    """The same event; the prompt of an agent without the form that its objective was put into."""
    if light.kind != _PROMPT:
        return light
    event = light.event()
    body = event.body
    if not isinstance(body, User) or event.stream.kind is StreamKind.MAIN:
        return light
    found = _OBJECTIVE.search(body.text)
    return replace(event, body=replace(body, text=found[1])) if found is not None else light


def _begun(head: bytes) -> tuple[Fields, list[Fields]]:
    """Return the facts on the session at the beginning of a document, and the messages in it."""
    text = head[console_bytes(head) :].decode("utf-8", "replace")
    members = dict(begun('{"messages":' + text if text.lstrip().startswith("[") else text) or {})
    lists = [items_of(members.pop(key, None)) for key in LISTS]
    first: Sequence[object] = next((listed for listed in lists if listed), ())
    listed = map(fields_of, first)
    return members, [_as_message(item) for item in listed if item]


def _as_message(item: Fields) -> Fields:
    """An item of a list as a message; one of the screen has its words in a member of its own."""
    if not is_on_screen(item):
        return item
    return {"type": text_of(item.get("type")) or "", "content": text_of(item.get("text")) or ""}


NAME = "gemini_cli"

_CHATS = "chats"
_OUTPUTS = "tool-outputs"
_ROOT_FILE = ".project_root"
_ROOT_BYTES = 4096
_PROJECTS = "projects.json"
_LIST_BYTES = 262_144
_ID_IN_NAME = 8
"""Characters of a session's id that the name of its file ends with."""
_MAX_DEPTH = 6
_SHORT = 12
"""Characters of a file's name that may be a part of another's by chance."""
_SKIPPED = frozenset({_OUTPUTS, "checkpoints"})
"""Folders of no sessions; what is kept to restore files has the history of one up to some call."""
_OTHER_FILES = frozenset({"logs.json", "shell_history.json", "settings.json", "projects.json"})
"""Files next to the sessions that are none."""


def _first_session(folder: Path) -> str:
    """The session that started the agent whose files are in a folder, or the agent before it."""
    for _ in range(_MAX_DEPTH):
        above = _folders_of_agents(folder.parent).get(f"{folder.name}.jsonl")
        if above is None:
            break
        folder = above
    return folder.name


@found_once
def _folders_of_agents(place: Path) -> Mapping[str, Path]:
    """The folders of agents in a folder of sessions, the first by the name of each log in them."""
    logs = (Path(entry.path) for entry in files_below(place, (".jsonl",), depth=1))
    return {log.name: log.parent for log in sorted(logs, reverse=True) if log.parent != place}


@found_once
def _by_end_of_name(folder: Path) -> Mapping[str, Sequence[Path]]:
    """The logs in a folder by what comes behind the last hyphen in their names."""
    found: dict[str, list[Path]] = {}
    for entry in files_below(folder, (".jsonl",), depth=0):
        found.setdefault(entry.name.rpartition("-")[2], []).append(Path(entry.path))
    return found


def _id_in_name(path: Path) -> str:
    return path.name.removesuffix(".jsonl").removesuffix(".json")


def _meta(head: bytes) -> Fields:
    """Return the facts on its session at the beginning of a file."""
    text = head[console_bytes(head) :].decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    listed = text.startswith("[")
    found = begun('{"items":' + text if listed else _first_value(text)) or {}
    return fields_of(next(iter(items_of(found.get("items"))), None)) if listed else found


def _first_value(text: str) -> str:
    """The first line where it is a record, else the whole beginning of a document."""
    line = text.partition("\n")[0].rstrip()
    return line if line.endswith("}") else text


def _output(folder: Path, name: str) -> Path | None:
    """The file of that name, or the only one whose name has it: the client adds to some names."""
    places = [folder / name]
    if not places[0].is_file() and len(name) > _SHORT:
        places = list(folder.glob(f"*{escape(name.removesuffix('.txt'))}*.txt"))
    found = [place for place in places if place.is_file() and not place.is_symlink()]
    return found[0] if len(found) == 1 else None


def _project_root(path: Path) -> str | None:
    """The directory of the project, from the file next to the folder of its sessions.

    Else from the client's list of projects, by the name of that folder or the hash that it was.
    """
    folder = next((parent for parent in path.parents[:3] if parent.name == _CHATS), None)
    if folder is None:
        return None
    found = read_part(folder.parent / _ROOT_FILE, 0, _ROOT_BYTES).decode("utf-8", "replace").strip()
    folder = folder.parent
    return found or _listed_projects(folder.parent.parent / _PROJECTS).get(folder.name)


@found_once
def _listed_projects(file: Path) -> Mapping[str, str]:
    """The directories of projects by the names that their folders may have."""
    listed = read_part(file, 0, _LIST_BYTES).decode("utf-8", "replace")
    found: dict[str, str] = {}
    for place, name in fields_of(mapping(listed).get("projects")).items():
        for each in (text_of(name), sha256(place.encode("utf-8", "replace")).hexdigest()):
            if each is not None:
                found.setdefault(each, place)
    return found


class GeminiLogs(LogFiles):
    """Logs in the folder `chats` of each project, and of agents in a folder named after each."""

    endings = (".json", ".jsonl")
    other_files = _OTHER_FILES
    skipped = _SKIPPED
    head_bytes = 16_384

    def probe(self, head: bytes, path: Path) -> float:
        """Confidence that a file beginning with `head` is a session or a printed stream."""
        _ = path
        return probe_head(head)

    def files(self, root: Path) -> Iterable["os.DirEntry[str] | Member"]:
        """Logs under a root, and others that lie there.

        A document that was resumed by a version that writes lines has been copied into a log that
        is in the same folder.
        """
        found = list(super().files(root))
        paths = {entry.path for entry in found}
        return [entry for entry in found if f"{entry.path}l" not in paths]

    def session_at(self, path: Path) -> SessionRef | None:
        """The session in a file, an agent's too.

        None for the log that resuming a session begins and leaves empty, as the session continues
        in its own (0.47 on).
        """
        found = super().session_at(path)
        return None if found is None or self._is_left_empty(found) else found

    def _is_left_empty(self, session: SessionRef) -> bool:
        """True if a log has only what a session begins with, and another is of the same session."""
        path = Path(session.path)
        ending = f"-{session.session_id[:_ID_IN_NAME]}.jsonl"
        if session.stream.kind is not StreamKind.MAIN or not path.name.endswith(ending):
            return False
        head = read_part(path, 0, self.head_bytes)
        if len(head) >= self.head_bytes or says_something(head, session):
            return False
        others = _by_end_of_name(path.parent).get(ending.rpartition("-")[2], ())
        return any(
            other != path
            and other.name.endswith(ending)
            and content_size(other, other.stat().st_size) > len(head)
            and self.ref(other).session_id == session.session_id
            for other in others
        )

    def session(self, path: Path, head: bytes) -> SessionRef:
        """The session that a file holds; an agent's file is in a folder named after its session."""
        meta = _meta(head)
        own = text_of(meta.get("sessionId")) or text_of(meta.get("session_id")) or _id_in_name(path)
        if meta.get("kind") != "subagent":
            return SessionRef(NAME, own, str(path))
        stream = Stream(StreamKind.SUBAGENT, own)
        first = _first_session(path.parent)
        return SessionRef(NAME, first, str(path), stream, parent_id=path.parent.name)

    def children(self, ref: SessionRef) -> Sequence[SessionRef]:
        """Files of agents that a session started, and of those that they started in turn."""
        if ref.stream.kind is not StreamKind.MAIN:
            return ()
        return tuple(sorted(self._agents(ref), key=lambda child: child.path))

    def _agents(self, session: SessionRef) -> Iterator[SessionRef]:
        waiting, seen = [session.session_id], set[str]()
        folder = Path(session.path).parent
        while waiting:
            name = waiting.pop()
            if name in seen or not is_file_name(name):
                continue
            seen.add(name)
            for path in sorted((folder / name).glob("*.jsonl")):
                found = self.known(path) or self.ref(path)
                if found.stream.kind is StreamKind.SUBAGENT:
                    waiting.append(found.stream.id)
                    yield replace(found, session_id=session.session_id, parent_id=name)

    def child_places(self, ref: SessionRef) -> Sequence[Path]:
        """The folder of the session's agents, and those of agents that they started."""
        if ref.stream.kind is not StreamKind.MAIN or not ref.session_id:
            return ()
        folder = Path(ref.path).parent
        names = dict.fromkeys((ref.session_id, *(child.stream.id for child in self.children(ref))))
        return tuple(folder / name for name in names if is_file_name(name))

    def externalized_output(self, ref: SessionRef, recorded: str) -> Path | None:
        """The whole output of a call, in the folder of outputs next to the folder of sessions."""
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

    def info(self, ref: SessionRef, decode: Light) -> SessionInfo:
        """Facts from the first and the last 128 kB of a file."""
        path = Path(ref.path)
        head, tail, tail_start = read_ends(path)
        return overview(ref, head, tail, tail_start, decode, _project_root(path))


DISCOVERY = GeminiLogs(NAME)
