"""Facts of a session without opening it: from its head and tail, and from indexing it."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from agentview.domain.activity import Activity
from agentview.domain.annotations import NO_ANNOTATIONS, STAR, Annotations, Note
from agentview.domain.session import SessionInfo
from agentview.domain.tools import ToolKind
from agentview.domain.usage import Usage
from agentview.domain.value import Value
from agentview.timeline.view.cost import NO_COST, Cost


class SessionTotals(Value):
    """Totals of a session, as of its log's `size` and `modified` when it was indexed.

    None is unknown.
    """

    size: int
    modified: float
    turns: int
    calls: Mapping[ToolKind, int]
    """Tool calls by kind, the kinds that occur."""
    tools: tuple[str, ...]
    """Names of the tools that were called, as the provider has them."""
    problems: int
    files: tuple[str, ...]
    """Paths of files that were changed, as the log has them."""
    models: tuple[str, ...]
    usage: Usage
    cost: Cost = NO_COST
    context_tokens: int | None = None
    context_window: int | None = None
    abandoned: tuple[tuple[int, int], ...] = ()
    """Byte ranges of the abandoned branches, in order."""
    newest: tuple[int, ...] = ()
    """Byte offsets of the records of the last activities, in order, at most `unread.MOST`."""
    last_words: str | None = None
    """The last sentence of the agent."""


class SessionFacts(Value):
    """A session of the library. `totals` is None until its log has been indexed."""

    info: SessionInfo
    """Its title is the person's own one where there is one."""
    totals: SessionTotals | None = None
    added: Annotations = NO_ANNOTATIONS
    """The person's annotations, without how far it was read."""
    log_title: str | None = None
    """The title by its log, where the person gave it another one."""
    kept_prompts: tuple[tuple[float | None, str], ...] = ()
    """Times and texts of prompts that its client has kept; empty where there is a log."""

    @property
    def is_deleted(self) -> bool:
        return bool(self.kept_prompts)

    @property
    def titles(self) -> tuple[str, ...]:
        """The title, and that of its log where the person gave it another one."""
        return tuple(title for title in (self.info.title, self.log_title) if title)

    @property
    def starred_title(self) -> str | None:
        """The title, not cleaned, behind the star that its person gave it."""
        title = self.info.title
        return f"{STAR} {title or ''}".rstrip() if self.added.starred else title

    def annotated(self, added: Annotations) -> "SessionFacts":
        """The session with what its person added to it; the same where that is nothing."""
        if added is self.added:
            return self
        if added.seen:
            added = replace(added, seen=())
        if added == self.added:
            return self
        log_title = self.info.title if self.added.title is None else self.log_title
        info = replace(self.info, title=added.title or log_title)
        own = None if added.title is None else log_title
        return replace(self, info=info, added=added, log_title=own)

    @property
    def is_current(self) -> bool:
        """True if the log was indexed as it is now."""
        totals, ref = self.totals, self.info.ref
        known = (ref.size or 0, ref.modified or 0.0)
        return totals is not None and (totals.size, totals.modified) == known

    def is_abandoned(self, offset: int) -> bool | None:
        """True if the record at a byte is on an abandoned branch; None where that is unknown."""
        totals = self.totals
        if totals is None or (offset >= totals.size and not self.is_current):
            return None
        at = bisect_right(totals.abandoned, offset, key=lambda span: span[0]) - 1
        return at >= 0 and offset < totals.abandoned[at][1]


class LastTurn(Value):
    """The end of a session: activities in their order.

    `cut` when there is more before them than was read and the prompt is not among them.
    """

    activities: tuple[Activity, ...]
    cut: bool = False


def notes_by_log(found: Iterable[SessionFacts]) -> dict[str, tuple[Note, ...]]:
    """The notes of sessions, by the path of the log that each is in.

    That is the log of a subagent for a note in one, where it is among the sessions.
    """
    every = list(found)
    noted = {facts.info.ref.session_id for facts in every if facts.added.notes}
    refs = [facts.info.ref for facts in every if facts.info.ref.session_id in noted]
    logs = {(ref.provider, ref.session_id, ref.stream.id): ref.path for ref in refs}
    notes: dict[str, tuple[Note, ...]] = {}
    for facts in every:
        ref = facts.info.ref
        for note in facts.added.notes:
            path = logs.get((ref.provider, ref.session_id, note.mark.stream), ref.path)
            notes[path] = (*notes.get(path, ()), note)
    return notes
