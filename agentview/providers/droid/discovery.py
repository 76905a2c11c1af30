"""Where sessions are, and whether a file is one."""

import re
from pathlib import Path

import orjson
from msgspec.structs import replace

from agentview.domain.session import SessionInfo, SessionRef
from agentview.normalize.json_values import Fields, fields_of, text_of
from agentview.providers._kit.discovery import LogFiles
from agentview.providers._kit.signatures import Signature
from agentview.providers.base import CERTAIN, Light
from agentview.sources.files import read_part

_CUT = re.compile(
    rb'\s*\{\s*"type"\s*:\s*"session_start"\s*,\s*"id"\s*:\s*".*"sessionTitle"', re.DOTALL
)
_ID = re.compile(
    rb'"type"\s*:\s*"session_start"\s*,\s*"id"\s*:\s*"([^"\\]{1,200})"'
    rb'|"session_?[iI]d"\s*:\s*"([^"\\]{1,200})"'
)
_LIKELY = 0.85
_SETTINGS_BYTES = 65_536
_START = frozenset({"sessionTitle", "owner", "title", "cwd"})
"""Keys of the first record of a session, of which all versions have two at least."""


class DroidLogs(LogFiles):
    """`<id>.jsonl` in a folder for each directory; `<id>.settings.json` is next to it."""

    signatures = (
        Signature(CERTAIN, {"type": "tool_call"}, keys={"toolName", "parameters"}),
        Signature(CERTAIN, {"type": "tool_result"}, keys={"value"}),
        Signature(CERTAIN, {"type": "completion"}, keys={"finalText"}),
        Signature(CERTAIN, {"type": "system"}, keys={"reasoning_effort"}),
        Signature(_LIKELY, {"type": "message"}, keys={"role", "text", "timestamp"}),
    )
    cut_lines = ((_CUT, _LIKELY),)

    def probe_record(self, record: Fields) -> float:
        """Certain of how a session begins; what `droid exec` printed has an id and a signature."""
        if record.get("type") == "session_start":
            return CERTAIN if len(_START & record.keys()) > 1 else 0.0
        named = isinstance(record.get("session_id", record.get("sessionId")), str)
        return super().probe_record(record) if named else 0.0

    def session_id(self, head: bytes) -> str | None:
        """The id that the first record states."""
        found = _ID.search(head)
        named = (found[1] or found[2]) if found is not None else None
        return named.decode("utf-8", "replace") if named is not None else None

    def info(self, ref: SessionRef, decode: Light) -> SessionInfo:
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
