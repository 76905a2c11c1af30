"""The command that resumes a session, for clients that take the session's id."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from agentview.domain.session import SessionRef

_ID = re.compile(
    r"(?:[a-z]{1,12}-)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE
)


def resume_with(
    *words: str, forks: Mapping[str, Sequence[str]] | None = None
) -> Callable[[SessionRef], Sequence[str] | None]:
    """`Provider.resume_command` of a client that takes the session's id after these words.

    `forks` has the words of programs that write the same logs, by the folder that these are in; no
    words where they are not known.

    None for the log of an agent, and where the log states no id: a file's name is none to a client.
    """

    def resume_command(ref: SessionRef) -> Sequence[str] | None:
        if ref.parent_id is not None or _ID.fullmatch(ref.session_id) is None:
            return None
        parts = Path(ref.path).parts
        own = next((theirs for folder, theirs in (forks or {}).items() if folder in parts), words)
        return (*own, ref.session_id) if own else None

    return resume_command
