"""What a session and its agents did since a moment, from the rows of their logs."""

from collections.abc import Iterator, Sequence

from agentview.domain.activity import Activity, RowKind
from agentview.domain.index_entry import KIND_CODES, PROBLEMS, Flag
from agentview.domain.session import SessionRef
from agentview.domain.suite_result import SuiteResult
from agentview.domain.tools import ToolCall, ToolKind, ToolState
from agentview.domain.value import Value
from agentview.facts.edits.line_sums import lines_of
from agentview.facts.edits.net_diff import ChangeMark
from agentview.facts.edits.patch_files import PatchFile, patch_files
from agentview.facts.edits.session_changes import SessionChanges
from agentview.providers import load_provider
from agentview.providers.contained import reading
from agentview.providers.session_logs import session_logs
from agentview.sessions.following.live_session import open_tail
from agentview.sessions.following.whole_session import load_session
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.view.overview.claims import contradiction
from agentview.timeline.view.overview.last_words import last_words
from agentview.timeline.view.overview.turns import turn_counts, turn_seconds
from agentview.timeline.view.titles.test_results import results_of, short_name
from agentview.timeline.view.titles.title import denial_text, title_of

_LINES, _BYTES = 4_000, 8_000_000
"""Lines and bytes of the end of a log that are read at first; four times as much each time."""
_UNTIMED = 64
"""Rows without a time behind which none is looked for."""
_MOST = 100
"""Turns, files and failures of a session that are listed."""
_SHELL = KIND_CODES[ToolKind.SHELL]
_TEXT = 300
"""Characters of a line of the report."""

Place = tuple[int, int]
"""Byte offset of a record, and number of the event in it."""


class WorkTurn(Value):
    """A prompt and what followed it up to the next; None is unknown."""

    prompt: str
    """On one line."""
    started: float | None
    seconds: float | None
    """From the prompt to the last activity before the next one, as far as it has come."""
    calls: int
    problems: int
    place: Place
    earlier: bool = False
    """The prompt was given before the moment from which on the session is reported."""
    contradicted: str | None = None
    """A contradiction between its last words and the log, in words."""
    evidence: Place | None = None
    """Where the log shows otherwise."""


class WorkFile(Value):
    """A file that was changed. Counts of lines are None where they are not known."""

    path: str
    """As a patch names it."""
    mark: ChangeMark
    added: int | None
    removed: int | None
    net: bool = True
    """False where the difference is not known, and the lines of each call are added up."""


class Failure(Value):
    """A call that failed or was denied, or an error that the client reported."""

    title: str
    """The failure, on one line."""
    reason: str
    """Its outcome, or who denied it; empty if unknown."""
    denied: bool
    time: float | None
    place: Place | None
    """None in the log of an agent."""


class SuiteRuns(Value):
    """Runs of tests whose results were printed, and the tests that failed in the last one."""

    runs: int = 0
    failed: int = 0
    failing: tuple[str, ...] = ()
    still: int = 0
    """Tests that failed or could not run in the last run, at least."""


class SessionWork(Value):
    """Work of a session and its agents; lists are cut, their counts are not."""

    turns: tuple[WorkTurn, ...] = ()
    """The newest ones, in order."""
    turn_count: int = 0
    """Prompts that were given in the time."""
    calls: int = 0
    files: tuple[WorkFile, ...] = ()
    file_count: int = 0
    failures: tuple[Failure, ...] = ()
    """The newest ones, in order."""
    failed: int = 0
    denied: int = 0
    tests: SuiteRuns = SuiteRuns()
    words: str | None = None
    """The last sentence of the agent."""
    first: Place | None = None
    """The first activity of the time; None where there is none."""
    untimed: bool = False
    """The log has no times: all of it is taken."""

    @property
    def is_empty(self) -> bool:
        return self.first is None

    @property
    def lines(self) -> tuple[int, int, int]:
        """Lines added and removed, and how many files are not counted in them."""
        known = [file for file in self.files if file.added is not None]
        added = sum(file.added or 0 for file in known)
        return added, sum(file.removed or 0 for file in known), self.file_count - len(known)


def work_since(ref: SessionRef, after: float | None) -> SessionWork:
    """Work of a session after a moment, epoch seconds; None for all of it.

    Of a log of lines only the end is read, back to the moment. Raises AgentViewError.
    """
    store = load_session(ref) if after is None else _read_since(ref, after)
    logs = [store, *(child for child in store.children.values() if not child.session.shared)]
    found = _Found()
    for log in logs:
        found.take(log, _first_since(log, after), is_main=log is store)
    changes = SessionChanges(store, after=after)
    changes.finish()
    files = [_file(file) for file in patch_files(changes) if file.is_changed]
    start = _first_since(store, after)
    turns = list(_turns(store, start))
    begin = next((row for row in range(start, store.end) if store.shown(row)), None)
    return SessionWork(
        turns=tuple(turns[-_MOST:]),
        turn_count=sum(not turn.earlier for turn in turns),
        calls=found.calls,
        files=tuple(files[:_MOST]),
        file_count=len(files),
        failures=tuple(sorted(found.failures, key=lambda each: each.time or 0.0)[-_MOST:]),
        failed=found.failed,
        denied=found.denied,
        tests=found.tests(),
        words=last_words(store),
        first=None if begin is None else store.place(begin),
        untimed=after is not None and _first_time(store, store.first) is None,
    )


def _file(file: PatchFile) -> WorkFile:
    lines = lines_of(file)
    return WorkFile(file.name, file.net.mark, lines.added, lines.removed, lines.net)


def _read_since(ref: SessionRef, after: float) -> SessionStore:
    with reading(ref):
        store = _tail_since(ref, after)
        discovery = load_provider(ref.provider).discovery
        agents = [] if ref.shared else session_logs(discovery, ref)[1:]
        stores = [_tail_since(each, after) for each in agents if (each.modified or after) >= after]
        for parent in (store, *stores):
            for child in stores:
                if child is not parent:
                    parent.set_child(child.session.stream, child, child.session.parent_call)
        return store


def _tail_since(ref: SessionRef, after: float) -> SessionStore:
    """The rows of the end of a log, from before a moment on, or all of them."""
    session = open_tail(ref, live=False)
    lines, size = _LINES, _BYTES
    while True:
        first = _first_time(session.store, session.store.first)
        if first is not None and first <= after:
            break
        if not session.log.read_further(lines, size):
            break
        lines, size = 4 * lines, 4 * size
    return session.store


def _first_time(store: SessionStore, start: int) -> float | None:
    """The time of a row, or of one of the next ones that has any."""
    rows = range(start, min(start + _UNTIMED, store.end))
    return next((time for row in rows if (time := store.time(row)) is not None), None)


def _first_since(store: SessionStore, after: float | None) -> int:
    """The first row after a moment; rows are in the order of their times."""
    low, high = store.first, store.end
    while after is not None and low < high:
        middle = (low + high) // 2
        time = _first_time(store, middle)
        if time is None or time > after:
            high = middle
        else:
            low = middle + 1
    return low


class _Found:
    """Failures and runs of tests in the logs of a session."""

    def __init__(self) -> None:
        self.calls = self.failed = self.denied = 0
        self.failures: list[Failure] = []
        self._runs: list[tuple[float, SuiteResult]] = []

    def take(self, store: SessionStore, start: int, *, is_main: bool) -> None:
        """Look through the rows from one on."""
        counts = turn_counts(store, start, store.end)
        self.calls += counts.fine + counts.failed + counts.open
        kinds, flags = store.codes(start, store.end)
        for at, (kind, flag) in enumerate(zip(kinds, flags, strict=True)):
            if PROBLEMS[flag] or (kind == _SHELL and not flag & Flag.ABSENT):
                row = start + at
                activity = store.activity(row)
                if PROBLEMS[flag]:
                    self._fail(activity, store.place(row) if is_main else None)
                self._test(activity)

    def _fail(self, activity: Activity, place: Place | None) -> None:
        title, call = title_of(activity), activity.body
        denied = isinstance(call, ToolCall) and call.state is ToolState.OUTPUT_DENIED
        self.denied += denied
        self.failed += not denied
        words = denial_text(call) if isinstance(call, ToolCall) and denied else None
        reason = f"{title.detail}: {words}" if words and title.detail else title.detail
        # A client's error may begin with what its row is called.
        named = title.subject.casefold().startswith(title.label.casefold())
        name = title.subject if named else f"{title.label} {title.subject}".strip()
        self.failures.append(Failure(name[:_TEXT], reason[:_TEXT], denied, activity.started, place))

    def _test(self, activity: Activity) -> None:
        call = activity.body
        result = results_of(call) if isinstance(call, ToolCall) else None
        if result is not None:
            self._runs.append((activity.ended or activity.started or 0.0, result))

    def tests(self) -> SuiteRuns:
        """All runs of tests in the order in which they ended."""
        if not self._runs:
            return SuiteRuns()
        last = max(self._runs, key=lambda run: run[0])[1]
        names = tuple(short_name(failure) for failure in last.failures[:_MOST])
        failed = sum(bool(result.bad) for _, result in self._runs)
        return SuiteRuns(len(self._runs), failed, names, last.bad)


def _turns(store: SessionStore, start: int) -> Iterator[WorkTurn]:
    """The turns from a row on, that of an earlier prompt too."""
    begins = _prompts(store, start)
    if not begins or begins[0] > start:
        before = next(
            (row for row in range(start - 1, store.first - 1, -1) if _begins(store, row)), None
        )
        lead = range(start, begins[0] if begins else store.end)
        if before is not None and any(store.kind(row) in _WORK for row in lead if store.shown(row)):
            yield _turn(store, before, lead.stop, earlier=True)
    for number, row in enumerate(begins):
        end = begins[number + 1] if number + 1 < len(begins) else store.end
        yield _turn(store, row, end)


_WORK = frozenset({*ToolKind, RowKind.MESSAGE, RowKind.REASONING, RowKind.REQUEST})


def _prompts(store: SessionStore, start: int) -> Sequence[int]:
    _, flags = store.codes(start, store.end)
    return [
        start + at
        for at, flag in enumerate(flags)
        if flag & Flag.ASIDE == Flag.TURN and not flag & Flag.ABSENT
    ]


def _begins(store: SessionStore, row: int) -> bool:
    return store.starts_turn(row) and store.shown(row) and not store.nested(row)


def _turn(store: SessionStore, row: int, end: int, *, earlier: bool = False) -> WorkTurn:
    prompt, counts = store.activity(row), turn_counts(store, row, end)
    last = store.activity(counts.last)
    claim = contradiction(store, row, end)
    return WorkTurn(
        prompt=title_of(prompt).subject[:_TEXT],
        started=prompt.started,
        seconds=turn_seconds(prompt, last),
        calls=counts.fine + counts.failed + counts.open,
        problems=counts.failed,
        place=store.place(row),
        earlier=earlier,
        contradicted=None if claim is None else claim.words,
        evidence=None if claim is None else store.place(claim.evidence),
    )
