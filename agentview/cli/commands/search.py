"""`agentview search`: what was said and done, found in all sessions."""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace
from rich.cells import cell_len, set_cell_size

from agentview.cli.grammar.parts import chosen_period
from agentview.cli.hosts import print_failures
from agentview.cli.output.progress import Progress
from agentview.cli.output.terminal import columns, wants_colour
from agentview.domain.period import ALL_TIME
from agentview.domain.session import SessionRef
from agentview.facts.search.documents import COLUMNS
from agentview.facts.search.fts_index import index_path
from agentview.facts.search.index_query import IndexQuery
from agentview.facts.search.indexer import build_index
from agentview.facts.search.results import (
    Group,
    Hit,
    OfSession,
    Order,
    Snippet,
    fitted,
)
from agentview.query.parser import REGEX, quoted
from agentview.redaction.secrets import masked
from agentview.redaction.values import masked_value
from agentview.reports.export.encoding import iso_time, to_json_document
from agentview.sessions.library.session_list import newest_key
from agentview.sessions.library.session_record import SessionFacts
from agentview.sessions.targets.session_line import describe
from agentview.sessions.targets.session_query import none_found
from agentview.sessions.targets.session_search import Found, Outcome, SearchRequest, found_here
from agentview.system.progress import say
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
            "host": ref.host,
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


@dataclass(slots=True)
class _Printed:
    """The printed hits so far."""

    hits: int = 0
    groups: int = 0
    cut: bool = False
    rows: list[dict[str, object]] = field(default_factory=list[dict[str, object]])


def run(options: argparse.Namespace) -> int:
    """Print the hits session by session, the newest first; 1 when there is none."""
    request = _request(options)
    query = request.query
    printed, outcome, failures = _Printed(), Outcome(), list[str]()
    with Progress() as progress:
        for found, facts in _found(request, outcome, options, failures, progress):
            group = _within(found, printed, options.limit)
            printed.hits += len(group.hits)
            printed.groups += 1
            shown = replace(group, hits=()) if query.lists_sessions and not options.json else group
            _print(shown, facts, printed, options, progress)
            if printed.cut:
                break
    if options.json:
        rows = masked_value(printed.rows) if options.mask else printed.rows
        sys.stdout.buffer.write(to_json_document(rows))
    if outcome.account.all_logs or not failures:
        _report(printed, query, outcome, options)
    if outcome.damaged:
        print(
            "The search index is damaged and was not used; --index builds it again.",
            file=sys.stderr,
        )
    return max(print_failures(failures), 0 if printed.hits else NOTHING_FOUND)


def _request(options: argparse.Namespace) -> SearchRequest:
    words: Sequence[str] = options.query
    if len(words) > 1:
        words = [quoted(word) if _is_phrase(word) else word for word in words]
    period = chosen_period(options) or ALL_TIME
    return SearchRequest(
        " ".join(words),
        options.provider,
        options.project,
        period.after,
        period.before,
        options.limit,
        options.per_session,
        by_rank=options.sort == Order.RANK,
        full=options.full,
        mask=options.mask,
        use_index=not options.no_index,
    )


def _found(
    request: SearchRequest,
    outcome: Outcome,
    options: argparse.Namespace,
    failures: list[str],
    progress: Progress,
) -> Iterator[Found]:
    """Hits on the machines that are asked for; those of several are sorted by their sessions."""
    if not options.hosts:
        yield from _found_here(request, outcome, options, progress)
        return
    # Imported here: most people have no other machine.
    from agentview.cli.asked_hosts import chosen, matches_of_hosts, project_there
    from agentview.sessions.fleet.spools import sessions_of_spools

    machines = chosen(options)
    there = replace(request, project=project_there(request.project))
    own = Outcome()
    found = list(_found_here(request, own, options, progress)) if machines.here else []
    outcome.add(own)
    if machines.spools:
        copies = Outcome()
        every = sessions_of_spools(machines.spools, request.provider)
        found += found_here(request, copies, every=every)
        outcome.add(copies)
    found += matches_of_hosts(machines.hosts, there, outcome, failures)
    if not request.by_rank:
        found.sort(key=lambda each: newest_key(each[1]))
    yield from found


def _found_here(
    request: SearchRequest, outcome: Outcome, options: argparse.Namespace, progress: Progress
) -> Iterator[Found]:
    def begin(refs: Sequence[SessionRef]) -> None:
        if not outcome.sessions and not options.hosts:
            progress.hide()
            print(none_found(options.provider), file=sys.stderr)
        if options.index:
            _bring_up_to_date(refs)

    yield from found_here(request, outcome, begin)


def _is_phrase(word: str) -> bool:
    return " " in word and '"' not in word and not word.removeprefix("-").startswith(REGEX)


def _bring_up_to_date(refs: Sequence[SessionRef]) -> None:
    for step in build_index(index_path(), refs):
        if step.trouble is not None:
            print(f"agentview: {step.trouble}.", file=sys.stderr)
            return
        say(
            f"indexing {step.logs:,} of {step.all_logs:,} sessions,"
            f" {byte_size(step.bytes)} of {byte_size(step.all_bytes)}"
        )


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
    gap = [""] if printed.groups > 1 and group.hits else []
    lines = group_lines(group, facts, columns(), bold=wants_colour(), mask=options.mask)
    print("\n".join([*gap, *lines]), flush=True)


def _report(
    printed: _Printed, query: IndexQuery, outcome: Outcome, options: argparse.Namespace
) -> None:
    """Return the notes on the search for standard error."""
    account = outcome.account
    if not printed.hits and query.lists_sessions:
        print("No session matches; 'agentview help query' describes filters.", file=sys.stderr)
    elif not printed.hits:
        looked = counted(account.all_logs - account.late, "session")
        print(f"Nothing found in {looked}.", file=sys.stderr)
    for line in _remarks(printed, query, outcome, options):
        print(line, file=sys.stderr)


def _remarks(
    printed: _Printed, query: IndexQuery, outcome: Outcome, options: argparse.Namespace
) -> Iterator[str]:
    account = outcome.account
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
    if outcome.undecided:
        yield (
            f"Left out: {counted(outcome.undecided, 'session')} that the filter cannot decide"
            " before they are read; 'agentview' reads them in the background."
        )
    if not printed.hits and not account.late and not query.lists_sessions:
        if query.wanted:
            yield "A word is found from its beginning on; '*word' searches inside words."
        if not options.full:
            yield "Only both ends of long results are searched; --full searches all of them."
