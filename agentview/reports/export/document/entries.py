"""The activities of a session that an export has, turn by turn, and what is known of all of it."""

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime

from msgspec import field

from agentview.domain.activity import Activity, Kind
from agentview.domain.annotations import STAR
from agentview.domain.session import SessionRef
from agentview.domain.value import Value
from agentview.errors import UsageError
from agentview.providers import load_provider
from agentview.sessions.annotations.all_sessions import readable_annotations_of
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.view.sanitize import one_line

Hide = Callable[[object], object]
"""Gives a value of the same type without secrets."""


class Part(Value):
    """The part of a session that is exported; `kinds` None for all kinds."""

    first: int = 0
    """Number of the first turn, from 1; 0 includes what came before the first prompt."""
    last: int | None = None
    """Number of the last turn; None for all that follow."""
    kinds: frozenset[Kind] | None = None

    @property
    def whole(self) -> bool:
        return self.first == 0 and self.last is None and self.kinds is None

    def has_turn(self, turn: int) -> bool:
        return self.first <= turn and (self.last is None or turn <= self.last)


def turns_of(text: str) -> tuple[int, int | None]:
    """The first and the last turn of `3`, `3-7`, `3-` or `-7`. Raises UsageError."""
    first, dash, last = text.strip().partition("-")
    numbers = [part for part in (first, last) if part]
    if numbers and all(part.isdecimal() and int(part) > 0 for part in numbers):
        begin = int(first) if first else 1
        end = (int(last) if last else None) if dash else begin
        if end is None or begin <= end:
            return begin, end
    raise UsageError(f"Not a range of turns: {text}.", "Use 3, 3-7, 3- or -7; the first is 1.")


class Entry(Value, gc=True):
    """One activity, and where it is."""

    turn: int
    """From 1; 0 before the first prompt."""
    begins: bool
    """It is the prompt of its turn."""
    kind: Kind
    activity: Activity
    agents: tuple[SessionStore, ...] = ()
    """The logs of the agents that it started."""
    note: str = ""
    """The person's note at it."""
    bookmarked: bool = False


def entries(store: SessionStore, part: Part, added: "Added", hide: Hide) -> Iterator[Entry]:
    """The activities of a log in the order of its timeline, read one by one."""
    turn = 0
    for row in range(store.first, store.end):
        if not store.shown(row):
            continue
        begins = store.starts_turn(row)
        turn += begins
        kind = store.kind(row)
        if not part.has_turn(turn) or (part.kinds is not None and kind not in part.kinds):
            continue
        activity = store.activity(row)
        stream = activity.child
        agents = () if stream is None else tuple(store.agents_of(stream))
        shown = hide(activity)
        if isinstance(shown, Activity):
            event = str(activity.first.id)
            note, marked = added.notes.get(event, ""), event in added.bookmarks
            yield Entry(turn, begins, kind, shown, agents, note, marked)


class Added(Value):
    """Annotations of a session, without secrets."""

    title: str | None = None
    """The person's own title."""
    starred: bool = False
    notes: Mapping[str, str] = field(default_factory=dict[str, str])
    """Lines of text by the id of their event, in the order in which they were written."""
    bookmarks: frozenset[str] = frozenset()
    """Ids of events."""


def added_to(ref: SessionRef, hide: Hide) -> Added:
    """Return the annotations of a session; nothing where they cannot be read."""
    known = readable_annotations_of(ref)
    # The notes in the log of a subagent are kept with those of its session, whose title is another.
    title = None if ref.parent_id is not None else known.title
    return Added(
        title=None if title is None else one_line(str(hide(title))),
        starred=known.starred and ref.parent_id is None,
        notes={note.mark.event: one_line(str(hide(note.text))) for note in known.notes},
        bookmarks=frozenset(mark.event for mark in known.bookmarks),
    )


class Heading(Value):
    """Facts of a session as a whole; None is unknown."""

    title: str | None
    provider: str
    """The client, as people call it."""
    session: str
    project: str | None
    branch: str | None
    model: str | None
    version: str | None
    """Version of the client."""
    started: float | None
    """Epoch seconds UTC."""
    ended: float | None
    """Time of the last record, epoch seconds UTC."""
    starred: bool = False

    @property
    def headline(self) -> str:
        return f"{STAR} {self.title or 'Session'}" if self.starred else self.title or "Session"


def heading_of(ref: SessionRef, added: Added, hide: Hide) -> Heading:
    """The facts of a session, without secrets, under the person's own title where there is one."""
    provider = load_provider(ref.provider)
    info = provider.info(ref)

    def shown(text: str | None) -> str | None:
        return None if text is None else one_line(str(hide(text)))

    return Heading(
        title=added.title or shown(info.title),
        provider=provider.label,
        session=one_line(ref.session_id),
        project=shown(info.project),
        branch=shown(info.branch),
        model=shown(info.model),
        version=shown(info.client_version),
        started=info.started,
        ended=info.last_activity,
        starred=added.starred,
    )


def date_text(moment: float | None) -> str | None:
    """A time in UTC to the minute, as `2026-11-21 10:00 UTC`; None where no calendar has it."""
    try:
        return (
            None if moment is None else f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M} UTC"
        )
    except (ValueError, OverflowError, OSError):
        return None


def facts_of(heading: Heading) -> list[tuple[str, str]]:
    """Names and values of what is known of a session, as texts in order."""
    known = (
        ("client", " ".join(filter(None, (heading.provider, heading.version)))),
        ("model", heading.model),
        ("project", heading.project),
        ("branch", heading.branch),
        ("started", date_text(heading.started)),
        ("last record", date_text(heading.ended)),
        ("session", heading.session),
    )
    return [(name, value) for name, value in known if value]
