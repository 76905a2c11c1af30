"""Where sessions are: `<id>.jsonl`, and `<id>.json` next to it, which says what they are about."""

from pathlib import Path

import orjson
from msgspec.structs import replace

from agentview.domain.session import SessionInfo, SessionRef
from agentview.normalize.json_values import Fields, fields_of, text_of
from agentview.providers._kit.discovery import LogFiles
from agentview.providers._kit.session_info import end_lines, overview
from agentview.providers._kit.signatures import Signature
from agentview.providers.base import CERTAIN, Light
from agentview.sources.files import read_ends, read_part

_KINDS = frozenset({"Prompt", "AssistantMessage", "ToolResults", "Clear"})
_DESCRIPTION_BYTES = 1_048_576


class Sessions(LogFiles):
    """Files of lines in one folder."""

    signatures = (Signature(CERTAIN, {"kind": _KINDS, "version": str, "data": dict}),)

    def session(self, path: Path, head: bytes) -> SessionRef:
        """The session by the id in its description, which is also the name of the file."""
        _ = head
        own = text_of(_description(path).get("session_id"))
        return SessionRef(self.name, own or path.stem, str(path))

    def info(self, ref: SessionRef, decode: Light) -> SessionInfo:
        """Facts from the ends of the log, and the title, the folder and the model next to it."""
        path = Path(ref.path)
        head, tail, start = read_ends(path)
        about = _description(path)
        events = end_lines(head, tail, start, ref, decode)
        title, folder = text_of(about.get("title")), text_of(about.get("cwd"))
        made = overview(ref, events, name=title, project=folder)
        return made if made.model is not None else replace(made, model=_model(about))


def _model(about: Fields) -> str | None:
    """The model that the session uses now; None where the client chooses one itself."""
    state = fields_of(fields_of(about.get("session_state")).get("rts_model_state"))
    model = text_of(fields_of(state.get("model_info")).get("model_id"))
    return None if model == "auto" else model


def _description(path: Path) -> Fields:
    try:
        return fields_of(orjson.loads(read_part(path.with_suffix(".json"), 0, _DESCRIPTION_BYTES)))
    except ValueError:
        return {}


DISCOVERY = Sessions("kiro")
