"""What a live session does right now, in one line."""

from dataclasses import replace

from agentview.domain.session_state import SessionStatus
from agentview.domain.value import Value
from agentview.ingest.tail import TailSession
from agentview.library.columns import urgency
from agentview.library.last_turn import newest_row
from agentview.library.liveness import current_status, may_wait
from agentview.library.session_record import SessionFacts
from agentview.timeline.titles.title import Title, title_of


class BoardLine(Value):
    """A live session: `doing` is the title of its newest activity, or of a call under way.

    `since` is when that began, epoch seconds, or when something last happened.
    """

    facts: SessionFacts
    title: str | None
    status: SessionStatus
    doing: Title | None = None
    since: float | None = None

    @property
    def path(self) -> str:
        """Its log."""
        return self.facts.info.ref.path


def board_line(facts: SessionFacts, session: TailSession, now: float) -> BoardLine | None:
    """The line of a session as its log is now; None when nobody is at work in it any more."""
    known, header = facts.info, session.header()
    info = replace(
        known,
        title=header.title or known.title,
        last_activity=header.last_activity or known.last_activity,
        status=header.status,
    )
    if not may_wait(info, now):
        return None
    row = newest_row(session)
    doing = None if row is None else title_of(session.activity(row))
    since = info.last_activity if doing is None or doing.time is None else doing.time
    return BoardLine(replace(facts, info=info), info.title, current_status(info, now), doing, since)


def board_order(line: BoardLine) -> tuple[float, float, str]:
    """Sorts lines: who needs its person most first; each the newest first."""
    return urgency(line.status), -(line.since or 0.0), line.path
