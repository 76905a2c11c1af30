"""Which session a TARGET on the command line means."""

from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.errors import Unreadable
from agentview.sessions.targets.log_file import Choice, chosen_providers, file_session, is_file
from agentview.sources.member import holds_sessions

LIVE = "@live"


def resolve(target: str | None, choice: Choice) -> SessionRef:
    """The session that is meant; not for a pipe.

    Raises NotFound, Unreadable, Ambiguous or UsageError, each with what to do about it.
    """
    ref = _found(target, choice)
    if ref.fault is not None:
        raise Unreadable(
            f"{ref.path} cannot be read: {ref.fault}.",
            "It may be damaged, in use, too large, or of a newer client.",
            ref.fault,
        )
    return ref


def _found(target: str | None, choice: Choice) -> SessionRef:
    if choice.provider is not None:
        chosen_providers(choice.provider)
    path = Path(target or "").expanduser()
    named = target not in (None, "", LIVE)
    if named and is_file(path) and not holds_sessions(path):
        return file_session(path, choice.provider)
    # Finds sessions, with a catalogue: 8 ms before the first frame, and 2 MB for all of its time.
    from agentview.sessions.targets import target_search

    if target is None:
        return target_search.newest_session(choice)
    if target == LIVE:
        return target_search.live_session(choice)
    if target and (path.is_dir() or holds_sessions(path)):
        return target_search.session_in(path, choice)
    return target_search.session_by_id(target, choice)
