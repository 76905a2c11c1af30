"""Hits of a search as lines of text and as rows of JSON."""

import time

from rich.cells import cell_len, set_cell_size

from agentview.cli.session_table import describe
from agentview.export.encoding import iso_time
from agentview.library.session_record import SessionFacts
from agentview.search.documents import COLUMNS
from agentview.search.results import Group, Hit, Snippet, fitted

_KIND = 13
"""Cells of the longest name of a kind."""

_TIME = "%m-%d %H:%M"
_LEAST = 20
_ABANDONED = "abandoned  "
_ON, _OFF = "\x1b[1m", "\x1b[0m"


def group_lines(group: Group, facts: SessionFacts, width: int | None, *, bold: bool) -> list[str]:
    """A line that names the session, and one for each hit, in at most `width` cells."""
    heading = describe(facts.info)
    if width is not None and cell_len(heading) > width:
        heading = set_cell_size(heading, width).rstrip()
    lines = [f"{_ON}{heading}{_OFF}" if bold else heading]
    lines += [
        _line(hit, width, bold=bold, abandoned=bool(facts.is_abandoned(hit.place[0])))
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
            "id": ref.stream.id or ref.session_id,
            "provider": ref.provider,
            "title": info.title,
            "project": info.project,
            "path": ref.path,
            "offset": hit.place[0],
            "event": hit.place[1],
            "time": iso_time(hit.time),
            "kind": hit.kind.value,
            "abandoned": facts.is_abandoned(hit.place[0]),
            "in": COLUMNS[hit.snippet.column],
            "text": hit.snippet.text,
            "ranges": [list(span) for span in hit.snippet.ranges],
        }
        for hit in group.hits
    ]


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
