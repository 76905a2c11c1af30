"""The away report in lines of text, as the command prints them and the screen shows them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum

from msgspec.structs import replace

from agentview.domain.session_state import SessionState
from agentview.domain.value import Value
from agentview.facts.edits.net_diff import ChangeMark
from agentview.reports.away.report import AwayReport, AwaySession
from agentview.reports.away.work import Failure, Place, SuiteRuns, WorkFile, WorkTurn
from agentview.sessions.library.session_list import distinct_names
from agentview.timeline.view.format_numbers import (
    UNKNOWN,
    clock_time,
    counted,
    date_time,
    duration_text,
    lines_changed,
    moment,
    tokens,
)
from agentview.timeline.view.sanitize import one_line

_LISTED = 5
"""Turns, files and failures that are shown one by one."""
_BETWEEN = " · "
_TEXT = 400
_LABEL = 8
"""Cells of the labels, with the space behind them."""


class Item(StrEnum):
    """Subject of a line; the value is the label in front of it."""

    SESSION = ""
    ASKS = "asks"
    FAILURE = "failed"
    DENIAL = "denied"
    TESTS = "tests"
    TURN = "prompt"
    CLAIM = "claim"
    FILE = "files"
    WORDS = "said"
    NOTE = "note"


class AwayLine(Value):
    """A line: its label, its text, which gives way, and what stands behind that."""

    item: Item
    text: str
    detail: str = ""
    warns: bool = False
    """It is about something that needs the person, or went wrong."""
    session: AwaySession | None = None
    place: Place | None = None
    """Where in the log of the session it is."""


def summary(report: AwayReport, now: float) -> str:
    """Sums over all sessions, on one line."""
    count = len(report.sessions)
    when = "since you looked" if report.after is None else f"since {_when(report.after, now)}"
    if not count:
        return f"Nothing happened {when}."
    parts = [counted(count, "session")]
    if report.needs:
        parts.append(f"{report.needs} {'needs' if report.needs == 1 else 'need'} you")
    failed = sum(bool(each.work.failed or each.work.denied) for each in report.sessions)
    parts += [f"{failed} with failures"] if failed else []
    if report.cost.shown is not None:
        parts.append(report.cost.text())
    return f"{when}: {_BETWEEN.join(parts)}"


def label_of(line: AwayLine, before: AwayLine | None) -> str:
    """The text in front of a line: empty for a session, and a label once where it repeats."""
    if line.item is Item.SESSION:
        return ""
    label = "" if before is not None and before.item is line.item else line.item.value
    return f"  {label:<{_LABEL}}"


def _when(after: float, now: float) -> str:
    return clock_time(after) if moment(after, now) == clock_time(after) else date_time(after)


def report_lines(
    report: AwayReport, labels: Mapping[str, str], mask: Callable[[str], str] = str
) -> Iterator[tuple[AwaySession, Sequence[AwayLine]]]:
    """The lines of each session; `labels` are what people call providers, `mask` hides secrets."""
    names = distinct_names({each.info.project for each in report.sessions if each.info.project})
    for each in report.sessions:
        lines = _session_lines(each, names, labels)
        yield (
            each,
            [replace(line, text=mask(line.text), detail=mask(line.detail)) for line in lines],
        )


def _session_lines(
    each: AwaySession, names: Mapping[str, str], labels: Mapping[str, str]
) -> Iterator[AwayLine]:
    work, info, status = each.work, each.info, each.status
    facts = [
        names.get(info.project or "", UNKNOWN),
        *([each.cost.text()] if each.cost.shown is not None else []),
        *([f"{tokens(each.tokens)} tokens"] if each.tokens else []),
        labels.get(info.ref.provider, info.ref.provider),
    ]
    title = one_line(info.title or "untitled", _TEXT)
    text = f"{status.label}  {title}"
    waits = status.asks or status.state is SessionState.FAILED
    yield AwayLine(Item.SESSION, text, _BETWEEN.join(facts), waits, each, work.first)
    if status.subject and (status.asks or status.state in _STOPPED):
        label = Item.ASKS if status.asks else Item.NOTE
        yield AwayLine(label, one_line(status.queued_subject or "", _TEXT), "", True, each)
    made = (
        *_tests(work.tests),
        *_failures(work.failures, work.failed, work.denied),
        *_turns(work.turns, work.turn_count),
        *_files(each),
    )
    for line in made:
        yield AwayLine(line.item, line.text, line.detail, line.warns, each, line.place)
    if work.words and not status.asks:
        yield AwayLine(Item.WORDS, f"\u201c{one_line(work.words, _TEXT)}\u201d", session=each)
    if work.untimed:
        yield AwayLine(Item.NOTE, "the log has no times: all of it is listed", session=each)


_STOPPED = (SessionState.FAILED, SessionState.LIMITED)


def _tests(tests: SuiteRuns) -> Iterator[AwayLine]:
    if not tests.runs:
        return
    runs = counted(tests.runs, "run")
    if not tests.still:
        failed = f", {tests.failed} failed before" if tests.failed else ""
        yield AwayLine(Item.TESTS, "passed in the last run", f"{runs}{failed}")
        return
    names = ", ".join(tests.failing[:_LISTED])
    more = tests.still - min(len(tests.failing), _LISTED)
    names += f" and {more} more" if names and more > 0 else ""
    text = f"{counted(tests.still, 'test')} failed in the last run"
    yield AwayLine(Item.TESTS, f"{text}: {names}" if names else text, runs, warns=True)


def _failures(found: Sequence[Failure], failed: int, denied: int) -> Iterator[AwayLine]:
    for item, count, listed in (
        (Item.DENIAL, denied, [each for each in found if each.denied]),
        (Item.FAILURE, failed, [each for each in found if not each.denied]),
    ):
        yield from _earlier(item, count - len(listed[-_LISTED:]))
        for each in listed[-_LISTED:]:
            text = f"{each.title}  {each.reason}".rstrip()
            yield AwayLine(item, text, _clock(each.time), warns=True, place=each.place)


def _turns(found: Sequence[WorkTurn], count: int) -> Iterator[AwayLine]:
    listed = found[-_LISTED:]
    yield from _earlier(Item.TURN, count - sum(not turn.earlier for turn in listed))
    for turn in listed:
        detail = [counted(turn.calls, "call")] if turn.calls else []
        detail += [counted(turn.problems, "problem")] if turn.problems else []
        detail += [duration_text(turn.seconds)] if turn.seconds is not None else []
        began = _clock(turn.started)
        detail += [f"since {began}" if turn.earlier else began] if began else []
        yield AwayLine(Item.TURN, turn.prompt, _BETWEEN.join(detail), place=turn.place)
        if turn.contradicted is not None:
            yield AwayLine(Item.CLAIM, turn.contradicted, warns=True, place=turn.evidence)


def _files(each: AwaySession) -> Iterator[AwayLine]:
    work = each.work
    if work.file_count > 1:
        added, removed, unknown = work.lines
        lines = lines_changed(added, removed)
        rest = f"{unknown} not known" if unknown else ""
        detail = _BETWEEN.join(filter(None, (lines, rest)))
        yield AwayLine(Item.FILE, f"{counted(work.file_count, 'file')} changed", detail)
    for file in work.files[:_LISTED]:
        yield AwayLine(Item.FILE, one_line(file.path, _TEXT), _net(file))
    more = work.file_count - min(_LISTED, len(work.files))
    if more > 0:
        yield AwayLine(Item.FILE, f"and {more} more")


def _net(file: WorkFile) -> str:
    known = file.added is not None and file.removed is not None
    lines = lines_changed(file.added or 0, file.removed or 0) if known else UNKNOWN
    mark = "changed" if file.mark is ChangeMark.UNKNOWN else file.mark.value
    return f"{mark} {lines}{'' if file.net else '?'}".rstrip()


def _earlier(item: Item, count: int) -> Iterable[AwayLine]:
    return [AwayLine(item, f"{count} earlier")] if count > 0 else ()


def _clock(time: float | None) -> str:
    return "" if time is None else clock_time(time)
