"""Where sessions are, and whether a file is one."""

from agentview.normalize.json_fields import text
from agentview.providers._kit.discovery import LogFiles, first_record
from agentview.providers._kit.signatures import Signature

_SURE = 0.96
_MAYBE = 0.4
_ENTRY = frozenset({"id", "parentId", "timestamp"})


class Sessions(LogFiles):
    """A file for each session in a folder for each project."""

    signatures = (
        Signature(
            _SURE,
            {"type": "message", "message/role": {"user", "assistant"}, "message/meta": dict},
            keys=_ENTRY,
        ),
        Signature(
            _SURE,
            {"type": "message", "message/role": "assistant", "usage": dict, "model": str},
            keys=_ENTRY | {"usage/inputTokens", "usage/cacheReadTokens"},
        ),
        Signature(_SURE, {"type": "effort_change", "effort": str}, keys=_ENTRY),
        # Pi begins a session with the same.
        Signature(
            _MAYBE,
            {"type": "session", "version": int, "id": str, "timestamp": str, "cwd": str},
            only={"type", "version", "id", "timestamp", "cwd", "parentSession"},
        ),
    )
    other_endings = (".checkpoints.jsonl",)

    def session_id(self, head: bytes) -> str | None:
        """The id that the header states."""
        first = first_record(head)
        return text(first, "id") if first.get("type") == "session" else None


DISCOVERY = Sessions("command_code")
