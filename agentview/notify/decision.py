"""Whether a change of a session's state is worth a notification, and its words."""

from collections.abc import Callable
from enum import IntEnum
from typing import Protocol

from msgspec.structs import replace

from agentview.domain.session import MAIN_STREAM, SessionRef
from agentview.domain.session_state import (
    ASKED_AFTER,
    SessionState,
    SessionStatus,
    StateEvidence,
)
from agentview.domain.value import Value
from agentview.settings.values import NotifyScope, NotifySettings
from agentview.timeline.view.format_numbers import clock_time, span
from agentview.timeline.view.sanitize import one_line

FRESH = 600.0
"""Seconds after which a change is old news: it was found late, in an old log."""

NAMED_WITHIN = 1.0
"""Seconds for which a request without a subject is held back: its record may come after it."""

LASTING = 10.0
"""Seconds after which a call that may also simply take long may need its person."""

_WORK = (SessionState.STARTING, SessionState.WORKING)
_AT_WORK = (*_WORK, SessionState.NEEDS_APPROVAL, SessionState.NEEDS_ANSWER)
_WORDS = {
    SessionState.NEEDS_APPROVAL: "needs approval",
    SessionState.NEEDS_ANSWER: "asks you",
    SessionState.YOUR_TURN: "your turn",
    SessionState.FAILED: "failed",
    SessionState.LIMITED: "limited",
    SessionState.ENDED: "ended",
}
"""States that notify, in words."""
_INFERRED = {
    SessionState.NEEDS_APPROVAL: "may need approval",
    SessionState.NEEDS_ANSWER: "may ask you",
}
"""Those that do where they are inferred."""
_OF_CLIENT = (StateEvidence.REGISTRY, StateEvidence.HOOKS)
"""Evidence of a client that says itself that it waits."""
_TITLE = 120
_ABOUT = 240


class Source(IntEnum):
    """Who reports a state; the higher one knows better."""

    LIBRARY = 1
    BOARD = 2
    OPEN = 3
    """The session itself, open on a screen."""


class Subject(Value):
    """The session whose state has changed."""

    ref: SessionRef
    title: str | None = None
    project: str | None = None

    @property
    def key(self) -> tuple[str, str]:
        return self.ref.provider, self.ref.session_id


class Announcement(Protocol):
    """The text of a notification, on any subject."""

    @property
    def occasion(self) -> str | None:
        """Its purpose, the same in all programs; None if only one of them gives it."""
        ...

    @property
    def began(self) -> float | None:
        """When it began, as far as programs agree; None if that is a part of its purpose."""
        ...

    @property
    def title(self) -> str: ...

    @property
    def text(self) -> str:
        """The lines after the title."""
        ...

    def masked(self, mask: Callable[[str], str], /) -> "Announcement":
        """The same with all its texts passed through `mask`."""
        ...

    def facts(self) -> dict[str, object]: ...


class Notice(Value):
    """A notification: what it is about, and its words, which are clean."""

    subject: Subject
    before: SessionState
    status: SessionStatus
    title: str
    text: str
    worked: float | None = None
    """Seconds of the work that came to its end."""

    @property
    def occasion(self) -> str | None:
        """The session, and its request or state."""
        return "\0".join(map(str, (*self.subject.key, *_identity(self.status)[:2])))

    @property
    def began(self) -> float | None:
        return _identity(self.status)[2]

    def masked(self, mask: Callable[[str], str]) -> "Notice":
        """The notice with all its texts passed through `mask`."""
        subject, status = self.subject, self.status
        return replace(
            self,
            subject=replace(subject, title=subject.title and mask(subject.title)),
            status=replace(
                status,
                about=status.about and mask(status.about),
                agent=status.agent and mask(status.agent),
            ),
            title=mask(self.title),
            text=mask(self.text),
        )

    def facts(self) -> dict[str, object]:
        """The facts for a program; texts are clean, paths are as they are."""
        subject, status = self.subject, self.status
        return {
            "id": subject.ref.session_id,
            "provider": subject.ref.provider,
            "state": status.state.value,
            "before": self.before.value,
            "since": status.since,
            "evidence": status.evidence.value if status.evidence is not None else None,
            "certain": status.certain,
            "about": one_line(status.about, _ABOUT) if status.about else None,
            "agent": one_line(status.agent, _TITLE) if status.agent else None,
            "requests": status.requests,
            "until": status.until,
            "title": one_line(subject.title, _TITLE) if subject.title else None,
            "project": subject.project,
            "path": subject.ref.path,
            "worked": self.worked,
            "text": f"{self.title}\n{self.text}",
        }


class _Known:
    """Known state of one session."""

    def __init__(self, status: SessionStatus, source: Source) -> None:
        self.status = status
        self.settled = status
        """The last one that is certain, work, or a request: after any other, work may go on."""
        self.source = source
        self.unnamed: float | None = None
        """Since when it asks for something that is not known."""
        self.due: float | None = None
        """Until when its request is held back."""
        self.began = status.since if status.state in _AT_WORK else None
        """When the work began that is under way."""
        self.notified: tuple[str, str | None, float | None] | None = None
        """The identity of the state that was notified last."""
        self.unseen = False
        """Whether that was after the person looked last."""


def _identity(status: SessionStatus) -> tuple[str, str | None, float | None]:
    """The parts of a state, or of a request, that are the same however it is known.

    The last part is its begin, where the call that waits does not say it.
    """
    if status.asks and status.call is not None:
        return "asks", status.call, None
    return status.state.value, status.subject if status.asks else None, status.since


def _asks_another(before: SessionStatus, status: SessionStatus) -> bool:
    """True if a session that asked asks something else; it may have been known only later what."""
    if not status.asks:
        return False
    if before.call is not None and status.call is not None:
        return before.call != status.call
    known = before.subject is not None and status.subject is not None
    return known and before.subject != status.subject


def _due(known: _Known, status: SessionStatus, now: float) -> float:
    """When a request may be notified: its subject may come later, and what shows it may pass.

    What is inferred from a call without a result must have shown for as long as the state needs.
    """
    if not status.asks or status.subject is not None:
        known.unnamed = None
    else:
        known.unnamed = now if known.unnamed is None else known.unnamed
    named = now if known.unnamed is None else known.unnamed + NAMED_WITHIN
    if not status.asks or status.certain or status.evidence in _OF_CLIENT:
        return named
    stood = LASTING if status.may_last else ASKED_AFTER
    seen = now + stood if known.due is None else known.due
    return max(named, seen if status.since is None else status.since + stood)


class NotificationRules:
    """Decides on each change of a state; keeps the state and last notice of each session.

    `began` is the time from which changes count, epoch seconds.
    """

    def __init__(self, began: float) -> None:
        self._began = began
        self._known: dict[tuple[str, str], _Known] = {}

    def take(
        self, subject: Subject, status: SessionStatus, source: Source, now: float
    ) -> Notice | None:
        """Take the state of a session; a notice when it became one that its person should know of.

        The first state of a session is not a change, unless it is a request made since the rules
        began. A source that knows less than the one before
        is not heard until that one is released. At most one notice a session, state and request. A
        request without a subject is `held` for a second, an inferred one for the time that what
        shows it must have stood.
        """
        if subject.ref.stream != MAIN_STREAM:
            return None
        known = self._known.get(subject.key)
        if known is None:
            known = self._known[subject.key] = _Known(status, source)
            if not status.asks or (status.since or 0.0) < self._began:
                return None
            known.settled = SessionStatus(SessionState.STARTING)
        if source < known.source:
            return None
        known.source = source
        known.status = status
        due = _due(known, status, now)
        known.due = due if due > now else None
        if known.due is not None or not (status.certain or status.state in (*_WORK, *_INFERRED)):
            return None
        before, known.settled = known.settled, status
        worked = self._worked(known, before, status, now)
        if before.state is status.state and not _asks_another(before, status):
            return None
        late = status.since is not None and now - status.since > FRESH
        if status.state not in _WORDS or late or _identity(status) == known.notified:
            return None
        if status.state is SessionState.ENDED and before.state not in _AT_WORK:
            # Whoever ends a session that waits for nothing knows that it ended.
            return None
        return _notice(subject, before.state, status, worked)

    def held(self, subject: Subject) -> tuple[SessionStatus, Source, float] | None:
        """The status that is held back, who reported it, and until when; None for none."""
        known = self._known.get(subject.key)
        if known is None or known.due is None:
            return None
        return known.status, known.source, known.due

    def _worked(
        self, known: _Known, before: SessionStatus, status: SessionStatus, now: float
    ) -> float | None:
        """Seconds of the work that ends with a state, None when none was under way."""
        if status.state in _AT_WORK:
            # A call under way has the time of the call; what follows has that of the prompt.
            began = now if status.since is None else status.since
            same = known.began is not None and before.state in _AT_WORK
            known.began = min(known.began or began, began) if same else began
            return None
        began, known.began = known.began, None
        return None if began is None else max(0.0, (status.since or now) - began)

    def record(self, notice: Notice) -> None:
        """Note that a notice was given."""
        known = self._known[notice.subject.key]
        known.notified = _identity(notice.status)
        known.unseen = True

    def release(self, subject: Subject, source: Source) -> None:
        """Let any source be heard again where this one, which knew more, is gone."""
        known = self._known.get(subject.key)
        if known is not None and known.source is source:
            known.source = Source.LIBRARY

    def looked(self) -> None:
        for known in self._known.values():
            known.unseen = False

    def waiting(self, scope: NotifyScope) -> int:
        """How many sessions need their person: those that ask, and what ended unseen."""
        if scope is NotifyScope.OFF:
            return 0
        return sum(
            known.status.asks or (known.unseen and known.status.needs_you)
            for known in self._known.values()
            if scope is NotifyScope.ALL or known.source is Source.OPEN
        )


def is_wanted(notice: Notice, source: Source, settings: NotifySettings) -> bool:
    """Return True if the settings want a notice."""
    if settings.scope is NotifyScope.OFF:
        return False
    if settings.scope is NotifyScope.FOLLOWED and source is not Source.OPEN:
        return False
    if notice.status.state is SessionState.YOUR_TURN:
        return notice.worked is not None and notice.worked >= settings.after
    return True


def _notice(
    subject: Subject, before: SessionState, status: SessionStatus, worked: float | None
) -> Notice:
    word = (_WORDS if status.certain else _WORDS | _INFERRED)[status.state]
    if status.state is SessionState.YOUR_TURN and worked is not None:
        word += f" after {span(worked)}"
    if status.state is SessionState.LIMITED and status.until is not None:
        word += f" until {clock_time(status.until)}"
    text = place_text(one_line(status.queued_subject or "", _ABOUT), subject)
    return Notice(subject, before, status, f"{word}: {subject_name(subject)}", text, worked)


def subject_name(subject: Subject) -> str:
    """The title of a session in clean words, else the beginning of its id."""
    return one_line(subject.title or "", _TITLE) or subject.ref.session_id[:8]


def place_text(about: str, subject: Subject) -> str:
    """The subject of a notification in clean words, with the project of its session."""
    project = one_line(subject.project or "", _TITLE).rstrip("/").rpartition("/")[2]
    if not about:
        return f"in {project}" if project else one_line(subject.ref.provider, 40)
    return f"{about} ({project})" if project else about
