"""`agentview cat`: the timeline of a session as text."""

import argparse
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from agentview.cli.grammar.parts import chosen_period
from agentview.cli.output.pager import paged
from agentview.cli.output.progress import Progress
from agentview.cli.output.terminal import columns, is_terminal, wants_colour, writes_unicode
from agentview.domain.activity import Activity, Kind
from agentview.domain.index_entry import KINDS, Flag
from agentview.domain.period import Period
from agentview.domain.session import SessionRef
from agentview.domain.value import Value
from agentview.errors import AgentViewError, UsageError
from agentview.sessions.following.whole_session import load_session
from agentview.sessions.targets.log_file import PIPE, Choice
from agentview.sessions.targets.target import resolve
from agentview.sources.open_file import read_at
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.format_numbers import counted
from agentview.timeline.view.sanitize import clean

_CHUNK = 4096
"""Rows whose codes are taken together."""
_ASCII = str.maketrans({"−": "-", "–": "-", "·": "-", "›": ">", "→": ">", "…": "...", "×": "x"})
"""Characters that agentview puts between words of the log, in ASCII; the words are not changed."""


def run(options: argparse.Namespace) -> int:
    """Print the session, a page at a time when standard output is a terminal."""
    chosen = chosen_rows(options)
    choice = Choice(options.provider, options.project)
    if options.target != PIPE:
        with Progress():
            ref = resolve(options.target, choice)
        _print(ref, chosen, options)
        return 0
    # Imported here: most sessions are files.
    from agentview.cli.standard_input import piped_session

    with piped_session(choice.provider) as piped:
        _print(piped, chosen, options)
    return 0


class ChosenRows(Value):
    """The rows that are printed: of which kinds and of which time; None is all."""

    kinds: frozenset[Kind] | None
    period: Period | None

    def __call__(self, store: SessionStore, rows: range) -> Iterator[tuple[int, Kind]]:
        """Those of the rows that are printed, each with its kind."""
        kinds, period = self.kinds, self.period
        for start in range(rows.start, rows.stop, _CHUNK):
            stop = min(start + _CHUNK, rows.stop)
            for row, code, flags in zip(range(start, stop), *store.codes(start, stop), strict=True):
                kind = KINDS[code]
                if flags & Flag.ABSENT or (kinds is not None and kind not in kinds):
                    continue
                if period is None or period.has(store.time(row)):
                    yield row, kind


def chosen_rows(options: argparse.Namespace) -> ChosenRows:
    """The rows that options ask for. Raises UsageError."""
    return ChosenRows(chosen_kinds(options.only), chosen_period(options))


def chosen_kinds(only: str | None) -> frozenset[Kind] | None:
    """The kinds of activities that a list of names means; None for all. Raises UsageError."""
    if only is None:
        return None
    from agentview.query.parser import exact_kind
    from agentview.query.vocabulary import KIND_NAMES

    names = [name.strip() for name in only.split(",") if name.strip()]
    if not names:
        raise UsageError("--only names no kind.", f"Valid kinds: {', '.join(KIND_NAMES)}.")
    return frozenset[Kind]().union(*map(exact_kind, names))


def _print(ref: SessionRef, chosen: ChosenRows, options: argparse.Namespace) -> None:
    store = load_session(ref)
    if options.detail == DetailLevel.FULL.value:
        store.open_folds()
    mask = _mask() if options.mask else _unmasked
    rows = chosen(store, _range(store, options.turn))
    activities = ((kind, mask(store.activity(row))) for row, kind in rows)
    with paged(is_terminal() and not options.no_pager) as write:
        for text in _texts(activities, options):
            write(f"{text.translate(_ASCII) if options.plain else text}\n")


def _range(store: SessionStore, turn: int | None) -> range:
    """The rows of a turn, by its number from 1; all rows without one."""
    if turn is None:
        return range(store.first, store.end)
    from agentview.timeline.view.overview.turns import TurnOutline

    outline = TurnOutline(store)
    outline.finish()
    if turn > len(outline):
        raise UsageError(f"The session has {counted(len(outline), 'turn')}.", "Give one of these.")
    return outline.rows(turn - 1)


def _mask() -> Callable[[Activity], Activity]:
    # Who does not mask does not wait for the import.
    from agentview.redaction.values import masked_activity

    return masked_activity


def _unmasked(activity: Activity) -> Activity:
    return activity


def _title_writer(options: argparse.Namespace) -> Callable[[Activity], str]:
    """Return a writer of an activity's title line."""
    from agentview.cli.output.title_lines import TitleLines

    lines = TitleLines(
        columns(),
        colour=not options.plain and wants_colour(),
        ascii_only=options.plain or not writes_unicode(),
    )
    return lines.line


def _texts(
    activities: Iterator[tuple[Kind, Activity]], options: argparse.Namespace
) -> Iterator[str]:
    """The lines of each activity."""
    if options.raw or options.detail == DetailLevel.TITLE.value:
        title_line = _title_writer(options)
        for _, activity in activities:
            records = _records(activity, mask=options.mask) if options.raw else ()
            yield "\n".join([title_line(activity), *records])
        return
    # Titles alone need none of the screen's renderers, which take longer to import than to run.
    from agentview.cli.output.activity_text import Renderings
    from agentview.settings.reading import read_settings
    from agentview.settings.values import Icons

    settings = read_settings(os.environ, options.settings).settings
    level = DetailLevel(options.detail) if options.detail else None
    views = Renderings(
        columns(),
        settings.preferences(level, live=False),
        colour=not options.plain and wants_colour(),
        ascii_only=options.plain or not writes_unicode() or settings.timeline.icons is Icons.ASCII,
        theme=options.theme,
    )
    for kind, activity in activities:
        yield "\n".join(views.lines(kind, activity))


def _records(activity: Activity, *, mask: bool) -> Iterator[str]:
    """The records behind an activity as they were written, each with its place."""
    from agentview.redaction.secrets import masked

    sources = {(event.source.path, event.source.offset): event.source for event in activity.events}
    for source in sources.values():
        path = masked(source.path) if mask else source.path
        yield f"    {clean(path)} @{source.offset} +{source.length}"
        try:
            record = read_at(Path(source.path), source.offset, source.length)
        except AgentViewError as error:
            yield f"    {error.message}"
            continue
        text = record.decode("utf-8", "replace")
        for line in (masked(text) if mask else text).splitlines() or [""]:
            yield f"    {clean(line)}"
