"""Where sessions are, and whether a file is one: its first line describes it."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.normalize.json_fields import text
from agentview.normalize.json_values import time_of
from agentview.providers._kit.discovery import LogFiles, first_record
from agentview.providers._kit.signatures import Signature
from agentview.providers.base import CERTAIN
from agentview.sources.files import files_below
from agentview.sources.member import Member
from agentview.sources.one_look import found_once

_NAME = re.compile(r"session(?:\.v(\d+))?\.jsonl(?:\.zstd)?")
_EVENT = {"type": re.compile(r"[a-z]+/[a-z-]+"), "time": time_of, "data": dict}


class Sessions(LogFiles):
    """A folder for each project, with a folder for each session of it."""

    signatures = (
        Signature(
            CERTAIN,
            {"type": "session", "id": str, "createdAt": time_of},
            keys={"delegationDepth", "version"},
        ),
        Signature(0.8, _EVENT, keys={"seq"}),
    )
    endings = (".jsonl", ".jsonl.zstd")

    def files(self, root: Path) -> Iterable["os.DirEntry[str] | Member"]:
        """Of several files of a session the one that the client wrote last."""
        last = dict[str, os.DirEntry[str]]()
        for entry in files_below(root, self.endings):
            folder = str(Path(entry.path).parent)
            known = last.get(folder)
            if _NAME.fullmatch(entry.name) is not None:
                last[folder] = entry if known is None else max(known, entry, key=_generation)
        return last.values()

    def session(self, path: Path, head: bytes) -> SessionRef:
        """The session in a file, or that of the agent which another session started."""
        first = first_record(head)
        own = text(first, "id") or path.parent.name
        parent = text(first, "parentSession")
        if text(first, "origin") != "subagent" or parent is None:
            return SessionRef(self.name, own, str(path))
        stream = Stream(StreamKind.SUBAGENT, own)
        label = text(first, "agentPreset")
        return SessionRef(self.name, parent, str(path), stream, parent_id=parent, label=label)

    def child_places(self, ref: SessionRef) -> Sequence[Path]:
        """The folder of the project, with a folder for each agent too."""
        path = Path(ref.path)
        is_main = ref.stream.kind is StreamKind.MAIN and _NAME.fullmatch(path.name) is not None
        return (path.parent.parent,) if is_main else ()

    def children(self, ref: SessionRef) -> Sequence[SessionRef]:
        """The agents that a session started, and those that they started in turn."""
        agents = [_agents_in(place) for place in self.child_places(ref)]
        waiting, known = [ref.session_id], dict[str, SessionRef]()
        while waiting:
            parent = waiting.pop()
            for each in (each for found in agents for each in found.get(parent, ())):
                if each.path not in known:
                    known[each.path] = replace(each, session_id=ref.session_id)
                    waiting.append(each.stream.id)
        return tuple(known[path] for path in sorted(known))


@found_once
def _agents_in(place: Path) -> Mapping[str | None, Sequence[SessionRef]]:
    """The agents of all sessions of a project, by who started them."""
    agents: dict[str | None, list[SessionRef]] = {}
    for entry in DISCOVERY.files(place):
        found = DISCOVERY.known(Path(entry.path)) or DISCOVERY.ref(Path(entry.path))
        if found.stream.kind is StreamKind.SUBAGENT:
            agents.setdefault(found.parent_id, []).append(found)
    return agents


def _generation(entry: "os.DirEntry[str]") -> tuple[int, float]:
    named = _NAME.fullmatch(entry.name)
    return int(named[1] or 0) if named is not None else 0, entry.stat().st_mtime


DISCOVERY = Sessions("deepseek_harness")
