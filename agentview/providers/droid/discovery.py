"""Where sessions are, and whether a file is one."""

import re
from pathlib import Path

import orjson
from msgspec.structs import replace

from agentview.domain.session import SessionInfo, SessionRef
from agentview.normalize.json_values import Fields, fields_of, text_of
from agentview.providers._kit.discovery import CERTAIN, LogFiles, probe_lines
from agentview.providers.base import Decode
from agentview.sources.files import read_part

_CUT = re.compile(rb'\s*\{\s*"type"\s*:\s*"session_start"\s*,\s*"id"\s*:\s*"')
_ID = re.compile(
    rb'"type"\s*:\s*"session_start"\s*,\s*"id"\s*:\s*"([^"\\]{1,200})"'
    rb'|"session_?[iI]d"\s*:\s*"([^"\\]{1,200})"'
)
_LIKELY = 0.85
_SETTINGS_BYTES = 65_536
_PRINTED = frozenset({"message", "tool_call", "tool_result", "completion", "system"})


def _probe_line(line: bytes) -> float:
    if len(line) < 3:
        return 0.0
    try:
        fields = fields_of(orjson.loads(line.strip(b"\x00 \t\r")))
    except ValueError:
        return _LIKELY if _CUT.match(line) and b'"sessionTitle"' in line else 0.0
    kind = text_of(fields.get("type")) or ""
    if kind == "session_start" and len(_START & set(fields)) > 1:
        return CERTAIN
    return _printed(kind, fields)


_START = frozenset({"sessionTitle", "owner", "title", "cwd"})


def _printed(kind: str, fields: Fields) -> float:
    """Confidence in a record that `droid exec` printed."""
    named = isinstance(fields.get("session_id", fields.get("sessionId")), str)
    if kind not in _PRINTED or not named:
        return 0.0
    if kind == "tool_call" and "toolName" in fields and "parameters" in fields:
        return CERTAIN
    if kind == "tool_result" and "value" in fields:
        return CERTAIN
    if kind == "completion" and "finalText" in fields:
        return CERTAIN
    if kind == "system":
        return CERTAIN if "reasoning_effort" in fields else 0.0
    return _LIKELY if kind == "message" and {"role", "text", "timestamp"} <= set(fields) else 0.0


class DroidLogs(LogFiles):
    """`<id>.jsonl` in a folder for each directory; `<id>.settings.json` is next to it."""

    def probe(self, head: bytes, path: Path) -> float:
        """Confidence that a file beginning with `head` is a session or a stream of this client."""
        _ = path
        return probe_lines(head, _probe_line)

    def session_id(self, head: bytes) -> str | None:
        """The id that the first record states."""
        found = _ID.search(head)
        named = (found[1] or found[2]) if found is not None else None
        return named.decode("utf-8", "replace") if named is not None else None

    def info(self, ref: SessionRef, decode: Decode) -> SessionInfo:
        """Facts from the first and the last 128 kB; the model is in the settings of the session."""
        info = super().info(ref, decode)
        if info.model is not None:
            return info
        path = Path(ref.path)
        settings = read_part(path.with_name(f"{path.stem}.settings.json"), 0, _SETTINGS_BYTES)
        try:
            model = text_of(fields_of(orjson.loads(settings)).get("model"))
        except ValueError:
            return info
        return replace(info, model=model)


DISCOVERY = DroidLogs("droid")
