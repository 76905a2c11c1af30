"""The command that resumes a session, for clients that take the session's id."""

import re
from collections.abc import Callable, Sequence

from agentview.domain.session import SessionRef

_ID = re.compile(
    r"(?:[a-z]{1,12}-)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE
)


def resume_with(*words: str) -> Callable[[SessionRef], Sequence[str] | None]:
    """`Provider.resume_command` of a client that takes the session's id after these words.

    None for the log of an agent, and where the log states no id: a file's name is none to a client.
    """

    def resume_command(ref: SessionRef) -> Sequence[str] | None:
        if ref.parent_id is not None or _ID.fullmatch(ref.session_id) is None:
            return None
        return (*words, ref.session_id)

    return resume_command
