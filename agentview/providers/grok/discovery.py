"""Where sessions are: `sessions/<directory>/<id>/`, each with updates and a history."""

import os
from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace

from agentview.domain.session import SessionInfo, SessionRef
from agentview.normalize.partial_json import readable
from agentview.providers._kit.discovery import LogFiles
from agentview.providers._kit.session_info import end_lines, overview
from agentview.providers._kit.side_file import read_file
from agentview.providers._kit.signatures import Signature
from agentview.providers.base import CERTAIN, Light
from agentview.providers.grok.schema import About
from agentview.sources.files import read_ends, read_part
from agentview.sources.member import Member

_HISTORY = "chat_history.jsonl"
UPDATES = "updates.jsonl"
"""The name of the file of updates, which are traffic of ACP."""
_OWN = (_HISTORY, UPDATES)
_SUMMARY = "summary.json"
_UPDATES_BYTES = 16_384
"""How much of a file of updates is looked at."""
_OTHERS = frozenset({"message", "uuid", "payload", "part", "role", "sessionId", "session_id"})
"""Keys of other clients' records of the same types."""


class Histories(LogFiles):
    """The updates of sessions, or their histories; `summary.json` next to them knows more.

    The client adds to the updates, and writes the history again when it is compacted: where a
    session has both, its updates are the log.
    """

    endings = _OWN
    signatures = (
        Signature(
            CERTAIN,
            {"role": "assistant"},
            keys={"model_id", "content"},
            without=_OTHERS - {"role"},
        ),
        Signature(0.0, any_of=_OTHERS),
        Signature(
            CERTAIN,
            {"type": "assistant"},
            keys={"content"},
            any_of={"model_id", "model_fingerprint"},
        ),
        Signature(
            CERTAIN,
            {"type": "user", "content": list},
            any_of={"prompt_index", "synthetic_reason"},
        ),
        Signature(CERTAIN, {"type": "backend_tool_call"}, keys={"kind/tool_type"}),
    )

    def probe(self, head: bytes, path: Path) -> float:
        """By the keys of prompts, responses and searches.

        Updates are traffic of ACP, which others log as well: what is next to them says whose.
        """
        traffic = path.name == UPDATES and self._is_kept(path)
        return _traffic(head, path) if traffic else super().probe(head, path)

    def _is_kept(self, updates: Path) -> bool:
        """Return True for updates with a summary or a history of this client next to them."""
        if _about(updates).info.id:
            return True
        history = updates.with_name(_HISTORY)
        head = readable(read_part(history, 0, _UPDATES_BYTES))
        return super().probe(head, history) > 0

    def files(self, root: Path) -> Iterable["os.DirEntry[str] | Member"]:
        return (
            entry
            for entry in super().files(root)
            if entry.name != _HISTORY or not _are_updates(Path(entry.path).with_name(UPDATES))
        )

    def session_at(self, path: Path) -> SessionRef | None:
        """The session in a file; updates are recognised as traffic of ACP."""
        if path.name != UPDATES:
            return super().session_at(path)
        return self.ref(path) if _are_updates(path) else None

    def session(self, path: Path, head: bytes) -> SessionRef:
        """The session in a file: its id is the name of the folder, and in the summary."""
        _ = head
        own = _about(path).info.id
        folder = path.parent.name if path.name in _OWN else path.stem
        return SessionRef(self.name, own or folder or path.stem, str(path))

    def info(self, ref: SessionRef, decode: Light) -> SessionInfo:
        """Facts from the records, and from the summary next to them."""
        head, tail, start = read_ends(Path(ref.path))
        about = _about(Path(ref.path))
        name = about.generated_title or about.session_summary or None
        events = end_lines(head, tail, start, ref, decode)
        made = overview(ref, events, name=name, project=about.info.cwd or None)
        model = made.model or about.current_model_id or None
        return replace(made, branch=about.head_branch or None, model=model)


def _are_updates(path: Path) -> bool:
    """Return True for a file of updates that the provider of ACP knows."""
    head = readable(read_part(path, 0, _UPDATES_BYTES))
    return bool(head) and _traffic(head, path) >= CERTAIN


def _traffic(head: bytes, path: Path) -> float:
    # Imported here: whoever has histories alone does not need that provider.
    from agentview.providers import load_provider

    return load_provider("acp").discovery.probe(head, path)


def _about(path: Path) -> About:
    return read_file(path.with_name(_SUMMARY), About) if path.name in _OWN else About()


DISCOVERY = Histories("grok")
