"""Where sessions are, what divides a session's messages, and which agents belong to it."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import orjson
from msgspec.structs import replace

from agentview.domain.session import SessionInfo, SessionRef, Stream, StreamKind
from agentview.normalize.json_document import split_document
from agentview.normalize.json_values import fields_of, items_of, text_of
from agentview.normalize.project_path import project_path
from agentview.normalize.raw_span import Span
from agentview.providers._kit.json_documents import JsonDocuments, members_of
from agentview.providers._kit.signatures import Signature
from agentview.providers.base import Light
from agentview.sources.files import read_part
from agentview.sources.one_look import found_once

_ENDING = ".messages.json"
_LARGEST = 16 * 1024 * 1024
"""Bytes of a log that is read to find the call that started an agent."""
_MANIFEST_BYTES = 262_144


class Sessions(JsonDocuments):
    """The messages of a session, next to those of the agents that it started."""

    endings = (_ENDING,)

    signatures = (
        Signature(0.99, {"agent": str}, keys={"updated_at", "sessionId", "messages"}),
        Signature(0.99, {"origin": dict}, keys={"updated_at", "sessionId"}),
    )

    def session(self, path: Path, head: bytes) -> SessionRef:
        """The session of a file; an agent's names the session that started it."""
        members = members_of(head)
        origin = fields_of(members.get("origin"))
        own = text_of(members.get("sessionId")) or path.name.removesuffix(_ENDING)
        parent = text_of(origin.get("parentThreadId"))
        if parent is None:
            return SessionRef(self.name, own, str(path))
        # An agent's id is that of the session and, behind two underscores, its own.
        root = own.partition("__")[0]
        return SessionRef(
            self.name, root, str(path), stream=Stream(StreamKind.SUBAGENT, own), parent_id=parent,
            label=_task(members)[:80].partition("\n")[0] or None,
        )  # fmt: skip

    def split(self, data: bytes) -> Sequence[Span]:
        """Start and end of each message and of what is around them.

        Raises ValueError when it is not a document.
        """
        return split_document(data, ("messages",))

    def children(self, ref: SessionRef) -> Sequence[SessionRef]:
        """The logs of agents next to this one that name it as theirs.

        A look that knows them is at what they hold: it needs no calls that began them.
        """
        path = Path(ref.path)
        if not path.name.endswith(_ENDING):
            return ()
        own = self._agents_in(path.parent).get(ref.stream.id or ref.session_id, ())
        if all(self.known(Path(each.path)) is not None for each in own):
            return own
        calls = _tasks(Path(ref.path))
        return [replace(each, parent_call=_started_by(each, calls)) for each in own]

    @found_once
    def _agents_in(self, folder: Path) -> Mapping[str, Sequence[SessionRef]]:
        """The agents whose logs are in a folder, by the session that started each."""
        found: dict[str, list[SessionRef]] = {}
        for path in sorted(folder.glob(f"*{_ENDING}")):
            each = self.known(path) or self.session_at(path)
            if each is not None and each.parent_id is not None:
                found.setdefault(each.parent_id, []).append(each)
        return found

    def child_places(self, ref: SessionRef) -> Sequence[Path]:
        return (Path(ref.path).parent,) if Path(ref.path).name.endswith(_ENDING) else ()

    def info(self, ref: SessionRef, decode: Light) -> SessionInfo:
        """Facts from the messages, and the title and the branch from the file next to them."""
        info = super().info(ref, decode)
        path = Path(ref.path)
        if not path.name.endswith(_ENDING) or ref.parent_id is not None:
            return info
        manifest = path.with_name(path.name.removesuffix(_ENDING) + ".json")
        try:
            said = fields_of(orjson.loads(read_part(manifest, 0, _MANIFEST_BYTES)))
        except (OSError, ValueError):
            return info
        metadata = fields_of(said.get("metadata"))
        title = text_of(metadata.get("title"))
        folder = text_of(said.get("cwd"))
        return replace(
            info,
            title=" ".join(title.split())[:200] if title else info.title,
            project=project_path(folder) if folder else info.project,
            branch=text_of(fields_of(metadata.get("git")).get("branch")) or info.branch,
            model=info.model or text_of(said.get("model")),
        )


def _task(members: object) -> str:
    """Return the task of an agent: the first words of its log."""
    first = fields_of(next(iter(items_of(fields_of(members).get("messages"))), None))
    content = first.get("content")
    if isinstance(content, str):
        return content
    return text_of(fields_of(next(iter(items_of(content)), None)).get("text")) or ""


def _tasks(path: Path) -> list[tuple[str, str]]:
    """The calls of a log that start agents: id, and what the agent is asked for."""
    data = read_part(path, 0, _LARGEST + 1)
    try:
        messages = fields_of(orjson.loads(data)).get("messages")
    except ValueError:
        return []
    parts = [
        fields_of(part)
        for message in items_of(messages)
        for part in items_of(fields_of(message).get("content"))
    ]
    return [
        (text_of(part.get("id")) or "", text_of(fields_of(part.get("input")).get("task")) or "")
        for part in parts
        if part.get("type") == "tool_use"
    ]


def _started_by(ref: SessionRef, calls: list[tuple[str, str]]) -> str | None:
    """The only call that asks for what the agent was asked for; no record names it."""
    task = _task(members_of(read_part(Path(ref.path), 0, 65_536)))
    fits = [own for own, asked in calls if asked and asked == task]
    return fits[0] if len(fits) == 1 else None


DISCOVERY = Sessions("cline")
