"""Where sessions are: `<id>.jsonl`, and `<id>.json` next to it, which says what they are about."""

from pathlib import Path

from msgspec.structs import replace

from agentview.domain.session import SessionInfo, SessionRef
from agentview.providers._kit.discovery import LogFiles
from agentview.providers._kit.session_info import end_lines, overview
from agentview.providers._kit.side_file import read_file
from agentview.providers._kit.signatures import Signature
from agentview.providers.base import CERTAIN, Light
from agentview.providers.kiro.kiro.schema import Description
from agentview.sources.files import read_ends

_KINDS = frozenset({"Prompt", "AssistantMessage", "ToolResults", "Clear"})
_DESCRIPTION_BYTES = 1_048_576


class Sessions(LogFiles):
    """Files of lines in one folder."""

    signatures = (Signature(CERTAIN, {"kind": _KINDS, "version": str, "data": dict}),)

    def session(self, path: Path, head: bytes) -> SessionRef:
        """The session by the id in its description, which is also the name of the file."""
        _ = head
        own = read_file(path.with_suffix(".json"), Description).session_id
        return SessionRef(self.name, own or path.stem, str(path))

    def info(self, ref: SessionRef, decode: Light) -> SessionInfo:
        """Facts from the ends of the log, and the title, the folder and the model next to it."""
        path = Path(ref.path)
        head, tail, start = read_ends(path)
        about = read_file(path.with_suffix(".json"), Description)
        events = end_lines(head, tail, start, ref, decode)
        made = overview(ref, events, name=about.title or None, project=about.cwd or None)
        return made if made.model is not None else replace(made, model=_model(about))


def _model(about: Description) -> str | None:
    """The model that the session uses now; None where the client chooses one itself."""
    model = about.session_state.rts_model_state.model_info.model_id
    return model if model not in ("", "auto") else None


DISCOVERY = Sessions("kiro")
