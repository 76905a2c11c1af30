"""Sessions without a log, of which their client still has the prompts."""

from collections.abc import Sequence
from contextlib import suppress

from agentview.domain.session import ClientElsewhere, SessionInfo, SessionRef
from agentview.domain.session_state import SessionState, SessionStatus
from agentview.domain.value import Value
from agentview.errors import AgentViewError
from agentview.providers import load_provider
from agentview.providers.base import KeptPrompts
from agentview.sessions.library.session_record import SessionFacts
from agentview.sessions.targets.session_query import all_sessions, known_roots
from agentview.timeline.view.format_numbers import counted

_NO_LOG = "deleted:"
_TITLE = 200


class DeletedSession(Value):
    """A session whose log is gone, also from the archive, or was never written."""

    provider: str
    kept: KeptPrompts

    @property
    def last(self) -> float | None:
        """Time of its last prompt, epoch seconds."""
        return max((time for time, _ in self.kept.prompts if time is not None), default=None)

    @property
    def label(self) -> str:
        """Words that say that only prompts are left."""
        return f"deleted, {counted(len(self.kept.prompts), 'prompt')} kept"

    def facts(self) -> SessionFacts:
        """The session as a list has it; its path names no file."""
        kept = self.kept
        ref = SessionRef(
            self.provider, kept.session_id, f"{_NO_LOG}{self.provider}/{kept.session_id}"
        )
        times = [time for time, _ in kept.prompts if time is not None]
        info = SessionInfo(
            ref,
            title=" ".join(f"{self.label}: {kept.prompts[0][1]}".split())[:_TITLE],
            project=kept.project,
            started=min(times, default=None),
            last_activity=self.last,
            status=SessionStatus(SessionState.ENDED, self.last),
            elsewhere=ClientElsewhere(live=False),
        )
        return SessionFacts(info, kept_prompts=tuple(kept.prompts))


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
