"""Where sessions are: a folder for each project, with `<id>/subagents` for the agents of one."""

from pathlib import Path

from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.normalize.json_values import text_of, time_of
from agentview.providers._kit.discovery import LogFiles, first_record
from agentview.providers._kit.signatures import Signature
from agentview.providers.base import CERTAIN

_AGENTS = "subagents"
_AROUND = {"sessionId", "providerData", "cwd"}
"""Keys of the client around an item, which it takes from the SDK as it is."""


class Projects(LogFiles):
    """`<id>.jsonl` in the folder of a project, and `<id>/subagents/<agent>.jsonl`."""

    skipped = frozenset({"tool-results"})
    signatures = (
        Signature(
            CERTAIN,
            {"type": "function_call", "callId": str, "timestamp": time_of},
            keys={"name", "arguments"},
            any_of=_AROUND,
        ),
        Signature(
            CERTAIN,
            {"type": "function_call_result", "callId": str, "timestamp": time_of},
            any_of=_AROUND,
        ),
        Signature(
            CERTAIN,
            {"type": "message", "role": {"user", "assistant"}, "timestamp": time_of},
            keys={"content"},
            any_of=_AROUND,
            without={"message", "uuid", "parentUuid"},
        ),
        Signature(CERTAIN, {"type": "reasoning", "timestamp": time_of}, any_of={"rawContent"}),
    )

    def session(self, path: Path, head: bytes) -> SessionRef:
        """The session by the name of its file, and an agent by the folder that it is in."""
        if path.parent.name != _AGENTS:
            stated = text_of(first_record(head).get("sessionId"))
            return SessionRef(self.name, stated or path.stem, str(path))
        own = path.parent.parent.name
        stream = Stream(StreamKind.SUBAGENT, path.stem)
        return SessionRef(self.name, own, str(path), stream, parent_id=own)

    def child_places(self, ref: SessionRef) -> list[Path]:
        """The folder with the agents of a session."""
        path = Path(ref.path)
        return [path.with_suffix("") / _AGENTS] if path.parent.name != _AGENTS else []


DISCOVERY = Projects("codebuddy")
