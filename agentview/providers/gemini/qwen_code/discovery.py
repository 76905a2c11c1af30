"""Where sessions lie, whether a file is one, and which files its agents write."""

import re
from collections.abc import Sequence
from glob import escape
from itertools import chain, islice
from pathlib import Path

import orjson
from msgspec.structs import replace

from agentview.domain.session import SessionInfo, SessionRef, Stream, StreamKind
from agentview.normalize.json_document import is_list, items_in, records_in
from agentview.normalize.json_values import Fields, fields_of, items_of
from agentview.providers._kit import session_info as events_overview
from agentview.providers._kit.discovery import PROBED_LINES, LogFiles, probe_lines
from agentview.providers._kit.side_file import read_file
from agentview.providers._kit.signatures import Signature, SignatureTable
from agentview.providers._kit.typed_values import read_as
from agentview.providers.base import Light, Provider
from agentview.providers.gemini.qwen_code.habits import HABITS
from agentview.providers.gemini.qwen_code.schema import First, Started
from agentview.sources.files import is_file_name, read_ends

# Recognizes by content whether a file is a session of this client.

SURE = 0.95
_LIKELY = 0.8
_ENVELOPE = frozenset({"uuid", "parentUuid", "sessionId", "timestamp", "type"})
_OWN_SUBTYPES = frozenset(
    {
        "ui_telemetry", "chat_compression", "attribution_snapshot", "at_command", "slash_command",
        "session_model", "session_approval_mode", "branch_checkpoint", "file_history_snapshot",
        "custom_title", "rewind", "session_notes", "session_artifact_snapshot", "turn_result",
        "goal_state", "parent_session", "session_source",
    }
)  # fmt: skip
_CUT_PRINTED = re.compile(rb'\s*\{\s*"type"\s*:\s*"system".*"qwen_code_version"\s*:')
_CUT = re.compile(
    rb'\s*\{\s*"uuid"\s*:\s*"[^"]*"\s*,\s*"parentUuid"\s*:\s*(?:null|"[^"]*")\s*,\s*"sessionId"\s*:'
    rb'\s*"[^"]*"\s*,\s*"timestamp"\s*:\s*"[^"]*"\s*,\s*"type"\s*:\s*"(?:user|assistant|tool_result'
    rb'|system)"\s*,\s*(?:"\w+"\s*:\s*(?:"[^"]*"|true|false)\s*,\s*){0,4}'
    rb'"cwd"\s*:\s*"(?:[^"\\]|\\.)*"\s*,\s*"version"\s*:'
)


_INHERITED = 0.5
"""Part of the confidence of Gemini CLI in a file that this one has."""


def original() -> Provider:
    """The provider of Gemini CLI, whose form older versions write."""
    # Imported here: few logs are that old.
    from agentview.providers import load_provider

    return load_provider("gemini_cli")


def is_inherited(head: bytes) -> bool:
    return not probe_head(head) and original().discovery.probe(head, Path()) > 0


def is_old_document(head: bytes) -> bool:
    return not probe_head(head) and original().is_document(head)


def begins_list(head: bytes) -> bool:
    return is_list(head) and probe_head(head) > 0


def probe_head(head: bytes) -> float:
    """Confidence 0..1 that a file that begins with `head` is one of this client's."""
    if is_list(head):
        return max(map(_SIGNATURES.confidence, islice(records_in(head), PROBED_LINES)), default=0.0)
    return probe_lines(head, _probe_line)


def _probe_line(line: bytes) -> float:
    if len(line) < 3:
        return 0.0
    try:
        value: object = orjson.loads(line.strip(b"\x00 \t\r"))
    except ValueError:
        found = _CUT.match(line) or _CUT_PRINTED.match(line)
        return _LIKELY if found is not None else 0.0
    return _SIGNATURES.confidence(fields_of(value))


def _is_untyped(parts: object) -> bool:
    """The condition that parts are those of the vendor's interface, which have no type."""
    listed = items_of(parts)
    return listed is parts and not any("type" in fields_of(part) for part in listed)


def _has_untyped(parts: object) -> bool:
    return bool(parts) and _is_untyped(parts)


_TYPES = frozenset({"user", "assistant", "tool_result"})
_SIGNATURES = SignatureTable(
    Signature(SURE, {"session_id": str}, {"qwen_code_version"}),
    Signature(SURE, {"type": "system", "subtype": _OWN_SUBTYPES}, {"sessionId", "systemPayload"}),
    Signature(SURE, {"type": "tool_result"}, {"sessionId", "toolCallResult"}),
    Signature(SURE, {"type": _TYPES, "message/parts": _is_untyped}, _ENVELOPE),
    # What others make of a log has less around the messages.
    Signature(SURE, {"type": _TYPES, "message/parts": _has_untyped}, {"sessionId"}),
)


_RECORD = re.compile(r'\{\s*"(?:type|uuid)"\s*:')


def overview(
    ref: SessionRef, head: bytes, tail: bytes, tail_start: int, decode: Light
) -> SessionInfo:
    """Facts about a session from the bytes of its head and of its tail, which begins anywhere.

    An agent has the title that stands next to its log: what it was started for.
    """
    # Imported here: few files get this far.
    from agentview.providers.gemini.qwen_code.stream import TYPES

    if begins_list(head):
        ends = (*records_in(head), *items_in(tail, _RECORD, TYPES))
        found = (events_overview.decoded(record, ref, decode) for record in ends)
        events = chain.from_iterable(found)
    else:
        events = events_overview.end_lines(head, tail, tail_start, ref, decode)
    return events_overview.overview(ref, events, name=ref.label, habits=HABITS)


NAME = "qwen_code"

_CHATS = "chats"
_AGENTS = "subagents"
_META_SUFFIX = ".meta.json"
"""Suffix of the metadata file next to an agent's log."""
_NOTHING: Fields = {}
_TEXT_CUT = re.compile(rb'"(sessionId|agentId)"\s*:\s*"((?:[^"\\]|\\.)*)"')


class QwenLogs(LogFiles):
    """Logs in the folder `chats` of each project, and of agents in `subagents`.

    Before it had a form of its own, the client wrote logs as Gemini CLI does, into `tmp`.
    """

    endings = (".jsonl", ".json")
    other_endings = (_META_SUFFIX,)
    other_files = frozenset({"logs.json"})
    skipped = frozenset({"checkpoints"})
    head_bytes = 16_384

    def probe(self, head: bytes, path: Path) -> float:
        """Confidence that a file beginning with `head` is a session of this client.

        It is low for what Gemini CLI writes too: only the folder says whose it is.
        """
        return probe_head(head) or _INHERITED * original().discovery.probe(head, path)

    def session(self, path: Path, head: bytes) -> SessionRef:
        """The session that a file holds, by its first record; an agent's names its session too."""
        if is_inherited(head):
            return replace(original().discovery.ref(path), provider=NAME)
        first = read_as(_first(head), First)
        session = first.session_id or first.printed_id or path.stem
        agent = first.agent_id
        if not agent or first.is_sidechain is False:
            return SessionRef(NAME, session, str(path))
        meta = read_file(path.with_suffix(_META_SUFFIX), Started)
        return SessionRef(
            NAME,
            session,
            str(path),
            Stream(StreamKind.SUBAGENT, agent),
            parent_id=meta.parent_agent_id or session,
            parent_call=meta.tool_use_id or None,
            label=meta.description or meta.agent_type or None,
        )

    def child_places(self, ref: SessionRef) -> Sequence[Path]:
        """The folder of the session's agents, next to the folder of sessions."""
        name = ref.session_id
        if ref.stream.kind is not StreamKind.MAIN or not is_file_name(name):
            return ()
        folder = Path(ref.path).parent
        base = folder.parent if folder.name == _CHATS else folder
        return (base / _AGENTS / name,)

    def externalized_output(self, ref: SessionRef, recorded: str) -> Path | None:
        """The whole output of a command, where the client keeps it next to its sessions."""
        name = recorded.replace("\\", "/").rpartition("/")[2]
        parents = Path(ref.path).parents
        base = next((parent for parent in parents if parent.name == "projects"), None)
        if not is_file_name(name) or name.startswith(".") or base is None:
            return None
        for place in sorted(base.parent.glob(f"tmp/*/{escape(name)}")):
            if place.is_file() and not place.is_symlink():
                return place
        return None

    def info(self, ref: SessionRef, decode: Light) -> SessionInfo:
        """Facts from the first and the last 128 kB of a file."""
        head, tail, tail_start = read_ends(Path(ref.path))
        if is_inherited(head):
            return original().discovery.info(ref, decode)
        return overview(ref, head, tail, tail_start, decode)


def _first(head: bytes) -> Fields:
    """The first record."""
    if is_list(head):
        return next(records_in(head), _NOTHING)
    line = head.lstrip(b"\xef\xbb\xbf\x00 \r\n").partition(b"\n")[0]
    try:
        return fields_of(orjson.loads(line))
    except ValueError:
        found: dict[str, object] = {}
        for match in _TEXT_CUT.finditer(line):
            found.setdefault(match[1].decode(), match[2].decode("utf-8", "replace"))
        return found


DISCOVERY = QwenLogs(NAME)
