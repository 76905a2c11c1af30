"""Where sessions are, and whether a file is one."""

import re
from pathlib import Path

from agentview.domain.session import SessionInfo, SessionRef, Stream, StreamKind
from agentview.normalize.json_values import (
    time_of,
)
from agentview.providers._kit.discovery import LogFiles
from agentview.providers._kit.session_info import end_lines, overview
from agentview.providers._kit.side_file import read_file
from agentview.providers._kit.signatures import Signature
from agentview.providers.base import CERTAIN, Light
from agentview.providers.kimi.kimi_code.schema import About, Agent
from agentview.sources.files import is_file_name, read_ends

_LIKELY = 0.85
_MAYBE = 0.5
_MAIN = "main"
_CONTEXT = frozenset({"context.append_message", "context.append_loop_event"})
_SAID = frozenset({"message/role", "message/type", "event/role", "event/type"})
_OWN_KEYS = frozenset({"agentId", "turnId", "origin", "modelAlias", "usageScope"})
_AGENT = re.compile(rb'"agentId"\s*:\s*"([0-9A-Za-z_-]{1,80})"')
_GIVEN = frozenset({"custom", "generated"})


def _is_state(kind: object) -> bool:
    # Imported here: few files get this far.
    from agentview.providers.kimi.kimi_code.state_records import STATES

    return isinstance(kind, str) and kind in STATES


class KimiCodeLogs(LogFiles):
    """`agents/<agent>/wire.jsonl` in the folder of a session, in one for each project."""

    skipped = frozenset({"blobs", "file-history", "logs", "notify", "tasks", "tool-results"})

    signatures = (
        # The first line that the client prints.
        Signature(CERTAIN, {"role": "meta", "type": "system.version"}, keys={"version"}),
        Signature(0.0, {"role": "meta"}),
        Signature(_LIKELY, {"type": "metadata", "protocol_version": str}, keys={"created_at"}),
        Signature(CERTAIN, {"type": _CONTEXT, "time": time_of}, any_of=_SAID),
        Signature(_LIKELY, {"type": _is_state, "time": time_of}, any_of=_OWN_KEYS),
        Signature(_MAYBE, {"type": _is_state}, any_of=_OWN_KEYS),
    )

    def session(self, path: Path, head: bytes) -> SessionRef:
        """The session in a file: two folders above that of the agent has its name.

        Records name the agent, before 0.32 only its folder does.
        """
        agents = path.parent.parent
        if path.stem != "wire" or agents.name != "agents":
            return SessionRef(self.name, path.stem, str(path))
        named = _AGENT.search(head)
        agent = named[1].decode() if named is not None else path.parent.name
        own = agents.parent.name
        if agent == _MAIN:
            return SessionRef(self.name, own, str(path))
        kept = _state(path).agents.get(agent) or Agent()
        label = kept.swarm_item or kept.labels.profile_name or None
        stream = Stream(StreamKind.SUBAGENT, agent)
        return SessionRef(self.name, own, str(path), stream, parent_id=own, label=label)

    def child_places(self, ref: SessionRef) -> tuple[Path, ...]:
        """The folder with a folder for each agent."""
        path = Path(ref.path)
        is_main = ref.stream.kind is StreamKind.MAIN and path.stem == "wire"
        return (path.parent.parent,) if is_main and path.parent.parent.name == "agents" else ()

    def children(self, ref: SessionRef) -> tuple[SessionRef, ...]:
        """The journals of this session's agents."""
        paths = (
            path for place in self.child_places(ref) for path in sorted(place.glob("*/wire.jsonl"))
        )
        found = (self.ref(path) for path in paths)
        return tuple(each for each in found if each.stream.kind is StreamKind.SUBAGENT)

    def externalized_output(self, ref: SessionRef, recorded: str) -> Path | None:
        """The whole output of a command in the background, or one too long for the journal.

        Only the names count of the path that the log states, and no link is followed.
        """
        folder, names = Path(ref.path).parent, Path(recorded).parts
        for place, count in (("tasks", 2), ("tool-results", 1)):
            if len(names) <= count or place != names[-count - 1]:
                continue
            if not all(map(is_file_name, names[-count:])):
                continue
            file = folder.joinpath(place, *names[-count:])
            steps = (file, *list(file.parents)[:count])
            if file.is_file() and not any(step.is_symlink() for step in steps):
                return file
        return None

    def info(self, ref: SessionRef, decode: Light) -> SessionInfo:
        """Facts from the first and the last 128 kB, and the metadata next to them."""
        path = Path(ref.path)
        head, tail, start = read_ends(path)
        events = end_lines(head, tail, start, ref, decode)
        state = _state(path) if ref.stream.kind is StreamKind.MAIN else About()
        given = state.is_custom_title is True or state.title_kind in _GIVEN
        name = (state.title or None) if given else None
        project = state.cwd or state.work_dir or None
        return overview(ref, events, name=name or ref.label, project=project)


def _state(path: Path) -> About:
    """Return the metadata next to a session's journals; empty where there is none."""
    if path.stem != "wire" or path.parent.parent.name != "agents":
        return About()
    return read_file(path.parent.parent.parent / "state.json", About)


DISCOVERY = KimiCodeLogs("kimi_code")
