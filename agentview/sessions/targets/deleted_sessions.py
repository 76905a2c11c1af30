"""Sessions without a log, of which their client still has the prompts."""

from collections.abc import Sequence
from contextlib import suppress

from agentview.domain.value import Value
from agentview.errors import AgentViewError
from agentview.providers import load_provider
from agentview.providers.base import KeptPrompts
from agentview.sessions.targets.session_query import all_sessions, known_roots


class DeletedSession(Value):
    """A session whose log is gone, also from the archive, or was never written."""

    provider: str
    kept: KeptPrompts

    @property
    def last(self) -> float | None:
        """Time of its last prompt, epoch seconds."""
        return max((time for time, _ in self.kept.prompts if time is not None), default=None)


def deleted_sessions(provider: str | None = None) -> Sequence[DeletedSession]:
    """The deleted sessions of which prompts are kept, newest first."""
    there = {
        (facts.info.ref.provider, facts.info.ref.session_id) for facts in all_sessions(provider)
    }
    found: dict[tuple[str, str], DeletedSession] = {}
    for name, root in known_roots(provider):
        with suppress(AgentViewError):
            for kept in load_provider(name).kept_prompts(root):
                key = name, kept.session_id
                if key not in there:
                    found.setdefault(key, DeletedSession(name, kept))
    return sorted(found.values(), key=lambda each: each.last or 0.0, reverse=True)
