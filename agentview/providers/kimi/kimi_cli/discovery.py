"""Where sessions are, and whether a file is one."""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import orjson

from agentview.domain.index_entry import LightEvent
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionInfo, SessionRef, Stream, StreamKind
from agentview.normalize.json_fields import mapping
from agentview.normalize.json_values import (
    Fields,
    fields_of,
    items_of,
    text_of,
    time_of,
)
from agentview.providers._kit.discovery import LogFiles
from agentview.providers._kit.session_info import end_lines, overview
from agentview.providers._kit.signatures import Signature
from agentview.providers.base import CERTAIN, Light
from agentview.sources.files import read_ends, read_part
from agentview.sources.member import Member
from agentview.sources.one_look import found_once

_MAYBE = 0.5
_LIKELY = 0.85
_PRINTED = frozenset({"Shell", "ReadFile", "WriteFile", "StrReplaceFile", "SetTodoList"})
"""Tools that no other client has."""
_OTHERS = frozenset({"type", "timestamp", "message_id", "metadata", "name", "extra"})
"""Keys of messages of the same form that other programs write."""
_CONTEXT = re.compile(r"context(?:_\d{1,4})?\.jsonl")
"""The model's input, now and before each compaction.

Next to a log of the wire these are the same messages once more; older clients wrote no other log.
"""
_SIDE_BYTES = 262_144
_MD5 = 32
"""Characters of an MD5 sum."""
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_AGENTS = "subagents"


def _is_of_context(role: object) -> bool:
    # Imported here, as below: few files get this far.
    from agentview.providers.kimi.shared.printed import CONTEXT_ROLES

    return isinstance(role, str) and role in CONTEXT_ROLES


def _is_type(kind: object) -> bool:
    from agentview.providers.kimi.kimi_cli.decode import TYPES

    return isinstance(kind, str) and kind in TYPES


def _is_tagged(content: object) -> bool:
    """Return True for a result that the client printed."""
    first = fields_of(next(iter(items_of(content)), None)).get("text")
    words = content if isinstance(content, str) else text_of(first) or ""
    return words.startswith("<system>")


def _has_own_tool(calls: object) -> bool:
    functions = (fields_of(fields_of(each).get("function")) for each in items_of(calls))
    return any(text_of(each.get("name")) in _PRINTED for each in functions)


class KimiLogs(LogFiles):
    """`wire.jsonl` in a folder for each session, in one for each project."""

    signatures = (
        # Kimi Code begins in the same way and says when.
        Signature(0.0, {"type": "metadata"}, keys={"protocol_version", "created_at"}),
        Signature(_MAYBE, {"type": "metadata"}, keys={"protocol_version"}),
        Signature(_LIKELY, {"role": _is_of_context}),
        Signature(
            _LIKELY,
            {"role": "tool", "content": _is_tagged},
            keys={"tool_call_id"},
            without=_OTHERS,
        ),
        Signature(_LIKELY, {"role": "assistant", "tool_calls": _has_own_tool}, without=_OTHERS),
        Signature(
            CERTAIN,
            {"message/type": _is_type, "timestamp": time_of},
            without={"role", "message/role"},
        ),
    )

    def files(self, root: Path) -> Iterator["os.DirEntry[str] | Member"]:
        for entry in super().files(root):
            if not _CONTEXT.fullmatch(entry.name) or _is_only_log(Path(entry.path)):
                yield entry

    def session_at(self, path: Path) -> SessionRef | None:
        """The session in a file; of an agent only where its session's log does not have all of it.

        An agent in the background has a task; what others do is in the log of who started them.
        """
        if _CONTEXT.fullmatch(path.name) and not _is_only_log(path):
            return None
        if path.parent.parent.name == _AGENTS and not _side(path, "meta.json").get("last_task_id"):
            return None
        return super().session_at(path)

    def session(self, path: Path, head: bytes) -> SessionRef:
        """The session in a file: its folder has its name, and so has that of an agent."""
        _ = head
        named = path.stem == "wire" or _CONTEXT.fullmatch(path.name)
        name = path.parent.name if named else path.stem
        if path.parent.parent.name != _AGENTS:
            found = _ID.match(name)
            return SessionRef(self.name, found[0] if found is not None else name, str(path))
        own = path.parent.parent.parent.name
        label = text_of(_side(path, "meta.json").get("description"))
        stream = Stream(StreamKind.SUBAGENT, name)
        return SessionRef(self.name, own, str(path), stream, parent_id=own, label=label)

    def child_places(self, ref: SessionRef) -> tuple[Path, ...]:
        """The folder with a folder for each agent."""
        is_main = ref.stream.kind is StreamKind.MAIN and Path(ref.path).name == "wire.jsonl"
        return (Path(ref.path).parent / _AGENTS,) if is_main else ()

    def children(self, ref: SessionRef) -> tuple[SessionRef, ...]:
        """The agents whose logs are not in that of the session."""
        paths = (
            path for place in self.child_places(ref) for path in sorted(place.glob("*/wire.jsonl"))
        )
        return tuple(each for path in paths if (each := self.session_at(path)) is not None)

    def info(self, ref: SessionRef, decode: Light) -> SessionInfo:
        """Facts from the first and the last 128 kB, and what is kept next to the log."""
        path = Path(ref.path)
        head, tail, start = read_ends(path)
        events = list(end_lines(head, tail, start, ref, decode))
        events += _last_words(head, tail, start if tail else 0, ref, decode)
        state = _side(path, "state.json")
        # A title that nobody gave and no model made is the cut first prompt.
        made = state.get("title_generated") is True
        name = text_of(state.get("custom_title")) if made else None
        return overview(ref, events, name=name or ref.label, project=_project(path))


def _is_only_log(context: Path) -> bool:
    return context.stem == "context" and not context.with_name("wire.jsonl").exists()


def _last_words(
    head: bytes, tail: bytes, start: int, ref: SessionRef, decode: Light
) -> Sequence[LightEvent]:
    """Events of the last line if it is text: a request that failed ends what is printed so."""
    end = (tail or head).rstrip()
    last = end.rpartition(b"\n")[2]
    if not last or last.startswith(b"{"):
        return []
    return decode(last, SourceRef(ref.path, start + len(end) - len(last), len(last)), ref)


def _side(path: Path, name: str) -> Fields:
    """A JSON object next to the log; empty where there is none."""
    if path.name != "wire.jsonl":
        return {}
    try:
        return fields_of(orjson.loads(read_part(path.with_name(name), 0, _SIDE_BYTES)))
    except (OSError, ValueError):
        return {}


def _project(path: Path) -> str | None:
    """The directory whose MD5 sum is the name of the folder, by the client's list of them."""
    folder = path.parent.parent
    return _work_dirs(folder.parent.parent / "kimi.json").get(folder.name[-_MD5:])


@found_once
def _work_dirs(file: Path) -> Mapping[str, str]:
    """The directories that the client lists, by their MD5 sums."""
    try:
        listed = items_of(fields_of(orjson.loads(read_part(file, 0, _SIDE_BYTES))).get("work_dirs"))
    except (OSError, ValueError):
        return {}
    places = (text_of(mapping(item).get("path")) for item in listed)
    return {_md5(place): place for place in places if place is not None}


def _md5(text: str) -> str:
    return hashlib.md5(text.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()


DISCOVERY = KimiLogs("kimi_cli")
