"""What is behind each hunk of a range of commits: prompts, calls and test runs."""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from agentview.domain.value import Value
from agentview.reports.blame.commits import ChangedFile, Commits, Hunk, Sign
from agentview.reports.blame.file_past import PastChange, Pasts, Writer, until
from agentview.reports.blame.lines import BlamedLine, blamed_lines, lines_of
from agentview.reports.review.test_runs import TestRun, runs_after, runs_of
from agentview.timeline.rows.session_store import SessionStore


class ReviewedLine(Value):
    """A line of a hunk, and which of the hunk's origins changed it; None where no call did."""

    sign: Sign
    text: str
    old: int | None
    new: int | None
    origin: int | None = None
    exact: bool = True
    """False where another call may have changed it as well."""


class ReviewedCall(Value):
    """A call that changed lines of a hunk."""

    tool: str | None
    command: str | None
    time: float | None
    event_id: str
    call_id: str | None
    subagent: str | None
    added: int
    removed: int


class Origin(Value):
    """A turn of a session that changed lines of a hunk."""

    session_id: str
    provider: str
    title: str | None
    model: str | None
    """The one model that the session used; None where it used several, or its log has none."""
    turn: int | None
    prompt: str | None
    calls: tuple[ReviewedCall, ...]
    runs: tuple[TestRun, ...]
    """Runs of tests in the session after the last of the calls."""
    exact: bool
    """False where another call may have changed some of the lines as well."""

    @property
    def lines(self) -> int:
        return sum(call.added + call.removed for call in self.calls)


class ReviewedHunk(Value):
    """A hunk and the turns that it comes from, in the order of its lines."""

    old: tuple[int, int]
    new: tuple[int, int]
    heading: str
    lines: tuple[ReviewedLine, ...]
    origins: tuple[Origin, ...]

    @property
    def unknown(self) -> int:
        """Number of changed lines that no recorded call changed."""
        return sum(line.sign != " " and line.origin is None for line in self.lines)


class ReviewedFile(Value):
    """A changed file; paths are below the top of the working tree."""

    path: str
    before: str | None
    status: str
    binary: bool
    hunks: tuple[ReviewedHunk, ...]


class Review(Value):
    """The changes of a range of commits."""

    range: str
    base: str | None
    head: str
    subject: str
    time: float
    commits: int
    files: tuple[ReviewedFile, ...]
    unreadable: tuple[tuple[str, str], ...]
    """Logs that could not be read: path and why."""

    @property
    def hunks(self) -> list[ReviewedHunk]:
        return [hunk for file in self.files for hunk in file.hunks]

    @property
    def changed(self) -> int:
        return sum(line.sign != " " for hunk in self.hunks for line in hunk.lines)

    @property
    def unknown(self) -> int:
        return sum(hunk.unknown for hunk in self.hunks)


def review_of(given: str, commits: Commits, provider: str | None = None) -> Review:
    """Find what is behind each hunk of some commits; what was recorded later does not count."""
    changed = [file for file in commits.files if file.hunks]
    paths = sorted({commits.top / name for file in changed for name in _names(file)})
    pasts = Pasts(paths, provider) if paths else None
    sessions = None if pasts is None else _Sessions(pasts)
    files = [
        _file(file, _hunks(file, commits, sessions) if sessions and file.hunks else ())
        for file in commits.files
    ]
    return Review(
        range=given,
        base=commits.base,
        head=commits.hash,
        subject=commits.subject,
        time=commits.time,
        commits=commits.count,
        files=tuple(files),
        unreadable=() if pasts is None else pasts.unreadable,
    )


def _names(file: ChangedFile) -> set[str]:
    return {file.path, file.before or file.path}


def _file(file: ChangedFile, hunks: Iterable[ReviewedHunk]) -> ReviewedFile:
    return ReviewedFile(file.path, file.before, file.status, file.binary, tuple(hunks))


def _past(file: ChangedFile, commits: Commits, pasts: Pasts) -> list[PastChange]:
    """The changes of a file, oldest first; of one that git takes for renamed, by both names."""
    found = pasts.of(commits.top / file.path).changes
    if file.before not in (None, file.path):
        known = {one.writer.event_id for one in found}
        earlier = pasts.of(commits.top / file.before).changes
        # That it was this file is what git infers from its text.
        others = [replace(one, certain=False) for one in earlier]
        found = sorted(
            (*(one for one in others if one.writer.event_id not in known), *found),
            key=lambda one: one.change.step.time or 0.0,
        )
    return until(found, commits.time)


def _hunks(file: ChangedFile, commits: Commits, sessions: "_Sessions") -> Iterable[ReviewedHunk]:
    past = _past(file, commits, sessions.pasts)
    new = blamed_lines(lines_of(file.new), past)
    old = _remover_lines(lines_of(file.old), past, commits.base_time)
    return [_hunk(hunk, old, new, sessions) for hunk in file.hunks]


def _hunk(
    hunk: Hunk, old: Sequence[BlamedLine], new: Sequence[BlamedLine], sessions: "_Sessions"
) -> ReviewedHunk:
    numbers: dict[tuple[str, int | None], int] = {}
    calls: list[dict[str, tuple[Writer, list[ReviewedLine]]]] = []
    lines: list[ReviewedLine] = []
    for line in hunk.lines:
        found = ReviewedLine(line.sign, line.text, line.old, line.new)
        blamed = _blamed(line.old, old) if line.sign == "-" else _blamed(line.new, new)
        if line.sign != " " and blamed is not None and blamed.writer is not None:
            writer = blamed.writer
            at = numbers.setdefault((writer.info.ref.path, writer.turn), len(numbers))
            if at == len(calls):
                calls.append({})
            found = replace(found, origin=at, exact=blamed.exact)
            calls[at].setdefault(writer.event_id, (writer, []))[1].append(found)
        lines.append(found)
    origins = tuple(sessions.origin(list(made.values())) for made in calls)
    return ReviewedHunk(hunk.old, hunk.new, hunk.heading, tuple(lines), origins)


def _blamed(number: int | None, lines: Sequence[BlamedLine]) -> BlamedLine | None:
    return lines[number - 1] if number is not None and number <= len(lines) else None


class _Sessions:
    """Facts of sessions that changed something; each is asked once."""

    def __init__(self, pasts: Pasts) -> None:
        self.pasts = pasts
        self._runs: dict[str, list[TestRun]] = {}
        self._models: dict[str, str | None] = {}

    def origin(self, made: Sequence[tuple[Writer, Sequence[ReviewedLine]]]) -> Origin:
        """The turn that made some calls, each given with the lines of a hunk that it changed."""
        made = sorted(made, key=lambda call: (call[0].time or 0.0, call[0].place))
        writer = made[-1][0]
        log = writer.info.ref.path
        if log not in self._runs:
            store = self.pasts.session_of(writer)
            self._runs[log] = runs_of(store)
            self._models[log] = _only_model(store)
        return Origin(
            session_id=writer.info.ref.session_id,
            provider=writer.info.ref.provider,
            title=writer.info.title,
            model=self._models[log],
            turn=writer.turn,
            prompt=writer.prompt,
            calls=tuple(_call(each, lines) for each, lines in made),
            runs=runs_after(writer, self._runs[log]),
            exact=all(line.exact for _, lines in made for line in lines),
        )


def _only_model(store: SessionStore) -> str | None:
    spent = (own.summary.spent for own in (store, *store.children.values()))
    models = {tier.model for tiers in spent for tier, _ in tiers}
    return models.pop() if len(models) == 1 else None


def _call(writer: Writer, lines: Sequence[ReviewedLine]) -> ReviewedCall:
    return ReviewedCall(
        tool=writer.tool,
        command=writer.command,
        time=writer.time,
        event_id=writer.event_id,
        call_id=writer.call_id,
        subagent=writer.subagent,
        added=sum(line.sign == "+" for line in lines),
        removed=sum(line.sign == "-" for line in lines),
    )


def _remover_lines(
    texts: Sequence[str], past: Sequence[PastChange], since: float | None
) -> list[BlamedLine]:
    """The lines of a text, each with the first call that removed it after the text was so.

    `since` is the time of the commit that has the text. It counts where no call found exactly this
    text.
    """
    # A call that removed a line has added it to the text before, seen backwards.
    return blamed_lines(texts, [_reversed(one) for one in reversed(_since(texts, past, since))])


def _since(
    texts: Sequence[str], past: Sequence[PastChange], since: float | None
) -> Sequence[PastChange]:
    text = [line.removesuffix("\r") for line in texts]
    for at in range(len(past) - 1, -1, -1):
        before = past[at].change.before
        if len(before) == len(text) and all(
            isinstance(item, str) and item.removesuffix("\r") == line
            for item, line in zip(before, text, strict=True)
        ):
            return past[at:]
    times = ((one, one.change.step.time) for one in past)
    return [one for one, time in times if since is None or time is None or time > since]


def _reversed(one: PastChange) -> PastChange:
    change = one.change
    return replace(
        one, change=replace(change, before=change.after, after=change.before, added=None)
    )
