"""The sessions found so far, in the order in which they are listed."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import PurePath

from agentview.domain.session import SessionInfo
from agentview.library.presence import activity_time


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the library: a session, or an agent that the session above it started."""

    info: SessionInfo
    agents: int = 0
    """How many agents the session started."""
    nested: bool = False


class Listing:
    """Takes sessions as they are found; gives them newest activity first, agents below theirs."""

    def __init__(self) -> None:
        self._by_path: dict[str, SessionInfo] = {}

    def __len__(self) -> int:
        return len(self._by_path)

    def add(self, infos: Iterable[SessionInfo]) -> None:
        """Take sessions; one that is known already is replaced."""
        for info in infos:
            self._by_path[info.ref.path] = info

    def clear(self) -> None:
        """Forget all of them."""
        self._by_path.clear()

    def entries(
        self, test: Callable[[SessionInfo], bool] | None = None, *, agents: bool = False
    ) -> list[Entry]:
        """Those that pass the test, in order; with `agents` each session's agents stand below it.

        An agent whose session was not found stands by itself.
        """
        mains: list[SessionInfo] = []
        children: dict[tuple[str, str], list[SessionInfo]] = {}
        known = {
            (info.ref.provider, info.ref.session_id)
            for info in self._by_path.values()
            if info.ref.parent_id is None
        }
        for info in self._by_path.values():
            parent = info.ref.parent_id
            if parent is not None and (info.ref.provider, parent) in known:
                children.setdefault((info.ref.provider, parent), []).append(info)
            else:
                mains.append(info)
        mains.sort(key=_newest_first)
        found: list[Entry] = []
        for info in mains:
            own = children.get((info.ref.provider, info.ref.session_id), [])
            if test is not None and not test(info):
                continue
            found.append(Entry(info, len(own)))
            if agents:
                found.extend(Entry(child, nested=True) for child in sorted(own, key=_newest_first))
        return found


def _newest_first(info: SessionInfo) -> tuple[float, str]:
    return -activity_time(info), info.ref.path


def project_name(info: SessionInfo) -> str | None:
    """Name of the working directory of the session, with that of the directory it lies in."""
    if not info.project:
        return None
    parts = [part for part in PurePath(info.project).parts if part != "/"]
    return "/".join(parts[-2:]) or info.project
