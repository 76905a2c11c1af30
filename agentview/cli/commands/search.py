"""`agentview search`: what was said and done, found in all sessions."""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace
from rich.cells import cell_len, set_cell_size

from agentview.cli.grammar.parts import chosen_period
from agentview.cli.output.progress import Progress
from agentview.cli.output.terminal import columns, wants_colour
from agentview.domain.period import ALL_TIME, Period
from agentview.domain.session import SessionRef
from agentview.errors import UsageError
from agentview.facts.search.all_sessions import Search
from agentview.facts.search.documents import COLUMNS
from agentview.facts.search.fts_index import SearchIndex, has_fts, index_path
from agentview.facts.search.index_query import IndexQuery, index_query
from agentview.facts.search.indexer import build_index, discard_index
from agentview.facts.search.kept_words import KeptWords
from agentview.facts.search.results import (
    Account,
    Group,
    Hit,
    OfSession,
    Options,
    Order,
    Snippet,
    fitted,
)
from agentview.query.parser import REGEX, parse_query, quoted
from agentview.query.vocabulary import Surface
from agentview.redaction.secrets import masked
from agentview.redaction.values import masked_value
from agentview.reports.export.encoding import iso_time, to_json_document
from agentview.sessions.library.filters import library_filter, was_active
from agentview.sessions.library.liveness import activity_time
from agentview.sessions.library.session_list import Entry, Listing
from agentview.sessions.library.session_record import SessionFacts, notes_by_log
from agentview.sessions.library.sort_group import ListQuery, arrange, finished
from agentview.sessions.targets.session_line import describe
from agentview.sessions.targets.session_query import all_sessions, catalogue, in_project, none_found
from agentview.timeline.view.format_numbers import byte_size, counted

# Hits of a search as lines of text and as rows of JSON.

_KIND = 13
"""Cells of the longest name of a kind."""

_TIME = "%m-%d %H:%M"
_LEAST = 20
_ABANDONED = "abandoned  "
_ON, _OFF = "\x1b[1m", "\x1b[0m"


def group_lines(
    group: Group, facts: SessionFacts, width: int | None, *, bold: bool, mask: bool = False
) -> list[str]:
    """A line that names the session, and one for each hit, in at most `width` cells."""
    heading = masked(describe(facts.info)) if mask else describe(facts.info)
    if width is not None and cell_len(heading) > width:
        heading = set_cell_size(heading, width).rstrip()
    lines = [f"{_ON}{heading}{_OFF}" if bold else heading]
    lines += [
        _line(hit, width, bold=bold, abandoned=bool(_is_abandoned(hit, facts)))
        for hit in group.hits
    ]
    if group.more:
        count = f"{group.more:,}{'+' if group.least else ''}"
        lines.append(f"  … {count} more in this session; --per-session 0 shows all")
    return lines


def hit_rows(group: Group, facts: SessionFacts) -> list[dict[str, object]]:
    """One object for each hit; `ranges` are what was found in its text, in characters."""
    ref, info = group.ref, facts.info
    return [
        {
            "id": ref.own_id,
            "provider": ref.provider,
            "title": info.title,
            "project": info.project,
            "path": ref.path,
            "offset": hit.place[0] if hit.place else None,
            "event": hit.place[1] if hit.place else None,
            "time": iso_time(hit.time),
            "kind": hit.kind.value,
            "abandoned": _is_abandoned(hit, facts),
            "in": _place_name(hit),
            "text": hit.snippet.text,
            "ranges": [list(span) for span in hit.snippet.ranges],
        }
        for hit in group.hits
    ]


def _place_name(hit: Hit) -> str:
    return hit.kind.value if isinstance(hit.kind, OfSession) else COLUMNS[hit.snippet.column]


def _is_abandoned(hit: Hit, facts: SessionFacts) -> bool | None:
    return facts.is_abandoned(hit.place[0]) if hit.place else False


def _line(hit: Hit, width: int | None, *, bold: bool, abandoned: bool) -> str:
    when = _clock(hit.time)
    before = f"  {when:<{len('00-00 00:00')}}  {hit.kind.value:<{_KIND}}  "
    before += _ABANDONED if abandoned else ""
    room = None if width is None else max(_LEAST, width - cell_len(before))
    snippet = fitted(hit.snippet, room)
    return before + (_marked(snippet) if bold else snippet.text)


def _clock(moment: float | None) -> str:
    try:
        return "" if moment is None else time.strftime(_TIME, time.localtime(moment))
    except (OverflowError, ValueError, OSError):
        return "?"


def _marked(snippet: Snippet) -> str:
    out, at = "", 0
    for start, end in snippet.ranges:
        out += f"{snippet.text[at:start]}{_ON}{snippet.text[start:end]}{_OFF}"
        at = end
    return out + snippet.text[at:]


NOTHING_FOUND = 1
"""Exit code, as grep has it."""

_PATTERN_SECONDS = 120.0
"""How long logs are read for a pattern."""

_READ_FOR_TOTALS = 16 * 1024 * 1024
"""Bytes up to which a log with hits is read for totals that are not known."""


@dataclass(slots=True)
class _Printed:
    """The printed hits so far."""

    hits: int = 0
    groups: int = 0
    cut: bool = False
    damaged: bool = False
    """True if the index turned out to be damaged."""
    rows: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    account: Account = field(default_factory=lambda: Account(0))


def run(options: argparse.Namespace) -> int:
    """Print the hits session by session, the newest first; 1 when there is none."""
    query = replace(_query(options.query), period=chosen_period(options) or ALL_TIME)
    with Progress() as progress:
        sessions, undecided = _sessions(query, options, progress)
        refs = [facts.info.ref for facts in sessions]
        if options.index:
            _bring_up_to_date(refs, progress)
        path = index_path()
        index = None if options.no_index else SearchIndex.open(path)
        unusable = index is None and not options.no_index and path.is_file() and has_fts()
        try:
            printed = _search(query, sessions, index, options, progress)
        finally:
            if index is not None:
                index.close()
        if printed.damaged:
            discard_index(path)
    if options.json:
        rows = masked_value(printed.rows) if options.mask else printed.rows
        sys.stdout.buffer.write(to_json_document(rows))
    _report(printed, query, undecided, options)
    if unusable or printed.damaged:
        print(
            "The search index is damaged and was not used; --index builds it again.",
            file=sys.stderr,
        )
    return 0 if printed.hits else NOTHING_FOUND


def _query(words: Sequence[str]) -> IndexQuery:
    """The query of the arguments. Raises UsageError for one that is empty or not valid."""
    if len(words) > 1:
        words = [quoted(word) if _is_phrase(word) else word for word in words]
    parsed = parse_query(" ".join(words), Surface.EVERYWHERE)
    if parsed.error is not None:
        raise parsed.error
    query = index_query(parsed)
    if query.empty:
        raise UsageError(
            "There is nothing to search for.",
            "Give words or a filter of activities; see 'agentview help query'.",
        )
    return query


def _is_phrase(word: str) -> bool:
    return " " in word and '"' not in word and not word.removeprefix("-").startswith(REGEX)


def _sessions(
    query: IndexQuery, options: argparse.Namespace, progress: Progress
) -> tuple[list[SessionFacts], int]:
    """The sessions to be searched, and how many are left out because the filter cannot decide."""
    listing = Listing()
    listing.add(all_sessions(options.provider))
    if not len(listing):
        progress.hide()
        print(none_found(options.provider), file=sys.stderr)
    now = time.time()
    wanted = ListQuery(library_filter(query.sessions, now), agents=True)
    arranged = finished(arrange(listing, wanted, now))
    found = [row.facts for row in arranged.rows if isinstance(row, Entry)]
    project: str | None = options.project
    if project is not None:
        found = [facts for facts in found if in_project(facts.info, project)]
    return [facts for facts in found if _may_have(query.period, facts)], arranged.undecided


def _may_have(period: Period, facts: SessionFacts) -> bool:
    """Return False if a session was over before the period, or began after it, without notes."""
    return was_active(facts.info, period) or any(period.has(note.at) for note in facts.added.notes)


def _bring_up_to_date(refs: Sequence[SessionRef], progress: Progress) -> None:
    for step in build_index(index_path(), refs):
        if step.trouble is not None:
            print(f"agentview: {step.trouble}.", file=sys.stderr)
            return
        progress.say(
            f"indexing {step.logs:,} of {step.all_logs:,} sessions,"
            f" {byte_size(step.bytes)} of {byte_size(step.all_bytes)}"
        )


def _search(
    query: IndexQuery,
    sessions: Sequence[SessionFacts],
    index: SearchIndex | None,
    options: argparse.Namespace,
    progress: Progress,
) -> _Printed:
    printed = _Printed()
    known = {facts.info.ref.path: facts for facts in sessions}
    asked = Options(
        per_log=options.per_session or None,
        full=options.full,
        masking=options.mask,
        order=Order(options.sort),
        seconds=_PATTERN_SECONDS if query.reads_logs else None,
        notes=notes_by_log(sessions),
        titles={
            path: facts.titles
            for path, facts in known.items()
            if query.period.has(activity_time(facts.info))
        },
    )
    kept = KeptWords(catalogue().database)
    search = Search(query, [facts.info.ref for facts in sessions], index, asked, kept=kept)
    for answer in search.run(in_order=True):
        if isinstance(answer, Account):
            printed.account = answer
            progress.say(f"searching {answer.logs:,} of {answer.all_logs:,} sessions")
            continue
        group = _within(answer, printed, options.limit)
        printed.hits += len(group.hits)
        printed.groups += 1
        _print(group, _with_totals(known[group.ref.path]), printed, options, progress)
        if printed.cut:
            break
    kept.write()
    printed.damaged = search.damaged
    return printed


def _with_totals(facts: SessionFacts) -> SessionFacts:
    """The facts with totals of the log as it is, unless it is too long to read it for them."""
    if facts.is_current or (facts.info.ref.size or 0) > _READ_FOR_TOTALS:
        return facts
    # Imported here: most logs were counted before.
    from agentview.facts.usage.pricing import PriceList
    from agentview.sessions.targets.known_totals import with_totals

    return with_totals(facts, PriceList())


def _within(group: Group, printed: _Printed, limit: int) -> Group:
    """As much of a group as the limit leaves room for."""
    room = limit - printed.hits
    if not limit or len(group.hits) < room:
        return group
    printed.cut = True
    more = group.more + len(group.hits) - room
    return Group(group.ref, group.hits[:room], more, group.least)


def _print(
    group: Group,
    facts: SessionFacts,
    printed: _Printed,
    options: argparse.Namespace,
    progress: Progress,
) -> None:
    if options.json:
        printed.rows += hit_rows(group, facts)
        return
    progress.hide()
    gap = [""] if printed.groups > 1 else []
    lines = group_lines(group, facts, columns(), bold=wants_colour(), mask=options.mask)
    print("\n".join([*gap, *lines]), flush=True)


def _report(
    printed: _Printed, query: IndexQuery, undecided: int, options: argparse.Namespace
) -> None:
    """Return the notes on the search for standard error."""
    account = printed.account
    if not printed.hits:
        looked = counted(account.all_logs - account.late, "session")
        print(f"Nothing found in {looked}.", file=sys.stderr)
    for line in _remarks(printed, query, undecided, options):
        print(line, file=sys.stderr)


def _remarks(
    printed: _Printed, query: IndexQuery, undecided: int, options: argparse.Namespace
) -> Iterator[str]:
    account = printed.account
    if printed.cut:
        yield f"Stopped at {counted(printed.hits, 'match')}; --limit 0 shows all."
    if account.late:
        yield f"Time was up: {counted(account.late, 'session')} not read to the end."
    if account.undecided:
        yield f"The pattern took too long over {counted(account.undecided, 'record')}."
    if account.too_long:
        yield f"Not searched: {counted(account.too_long, 'record')} of more than 16 MB."
    if account.unreadable:
        yield f"Not readable: {counted(account.unreadable, 'session')}."
    if undecided:
        yield (
            f"Left out: {counted(undecided, 'session')} that the filter cannot decide before they"
            " are read; 'agentview' reads them in the background."
        )
    if not printed.hits and not account.late:
        if query.wanted:
            yield "A word is found from its beginning on; '*word' searches inside words."
        if not options.full:
            yield "Only both ends of long results are searched; --full searches all of them."
