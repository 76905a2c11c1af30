"""The sessions found so far, in the order in which they are listed."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from agentview.domain.session import LiveState, SessionInfo
from agentview.timeline.filters import split_words

RECENT = 300.0
"""Seconds after its last activity for which a session that waits for a person counts as live."""

SILENT = 1800.0
"""Seconds without activity after which an agent is no longer taken to be at work."""

_AT_WORK = (LiveState.WORKING, LiveState.WAITING_APPROVAL)
_OVER = (LiveState.ENDED, LiveState.STALE, LiveState.INTERRUPTED)


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the library: a session, or an agent that the session above it started."""

    info: SessionInfo
    agents: int = 0
    """How many agents the session started."""
    nested: bool = False


def activity_time(info: SessionInfo) -> float:
    """When something last happened: the log's own time, else that of its file."""
    return info.last_activity or info.ref.modified or 0.0


def is_live(info: SessionInfo, now: float) -> bool:
    """Whether somebody is at work in the session, or was just now."""
    silence = now - activity_time(info)
    if info.state in _OVER:
        return False
    return silence < (SILENT if info.state in _AT_WORK else RECENT)


def state_now(state: LiveState, silence: float | None) -> LiveState:
    """What a state means after some seconds of silence: nobody works or waits for ever."""
    if silence is None:
        return state
    if state in _AT_WORK and silence >= SILENT:
        return LiveState.STALE
    if state is LiveState.WAITING_INPUT and silence >= SILENT:
        return LiveState.ENDED
    return state


def is_over(state: LiveState, silence: float | None) -> bool:
    """Whether nothing more is to be expected after some seconds of silence."""
    return state_now(state, silence) in _OVER


class Catalogue:
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


def library_test(text: str) -> Callable[[SessionInfo], bool] | None:
    """What a filter line of the library asks for; None for an empty line.

    Words are looked for in title, project, branch, model and id; `provider: project: branch:
    model: state:` look in one of them. Case never counts; a `-` in front excludes.
    """
    tests = [_word_test(word.lower()) for word in split_words(text) if word not in ("-", ":")]
    if not tests:
        return None
    return lambda info: all(test(info) for test in tests)


def _newest_first(info: SessionInfo) -> tuple[float, str]:
    return -activity_time(info), info.ref.path


def _word_test(word: str) -> Callable[[SessionInfo], bool]:
    excluded = len(word) > 1 and word.startswith("-")
    name, colon, value = word.removeprefix("-").partition(":")
    look = _FIELDS.get(name) if colon else None
    if look is None:
        wanted = word.removeprefix("-")
        return lambda info: (wanted in " ".join(filter(None, _texts(info))).lower()) != excluded
    return lambda info: (value in (look(info) or "").lower()) != excluded


def _texts(info: SessionInfo) -> Sequence[str | None]:
    ref = info.ref
    return (info.title, info.project, info.branch, info.model, ref.provider, ref.session_id)


_FIELDS: dict[str, Callable[[SessionInfo], str | None]] = {
    "provider": lambda info: info.ref.provider,
    "project": lambda info: info.project,
    "branch": lambda info: info.branch,
    "model": lambda info: info.model,
    "state": lambda info: info.state.value,
}


def project_name(info: SessionInfo) -> str | None:
    """Name of the working directory of the session, with that of the directory it lies in."""
    if not info.project:
        return None
    parts = [part for part in PurePath(info.project).parts if part != "/"]
    return "/".join(parts[-2:]) or info.project
