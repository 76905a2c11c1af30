"""When what shows a session moves with its client to another session."""

from agentview.domain.session import SessionRef
from agentview.timeline.view.header import HeaderFacts


class FollowedClient:
    """Says once where the client went, so that a person may return.

    Only of a session that was live while it was shown: of another one the next session is offered.
    """

    def __init__(self) -> None:
        self._live = False

    def next_session(self, facts: HeaderFacts, *, followed: bool) -> SessionRef | None:
        """The session to show from now on; `followed`: the newest activity is kept in view."""
        self._live = self._live or facts.followed
        continued = facts.continued
        if continued is None or continued.inferred or not (self._live and followed):
            return None
        self._live = False
        return continued.ref
