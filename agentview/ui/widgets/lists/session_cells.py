"""The rows of the list of sessions as text: one cell a column, and headings of groups."""

from collections.abc import Callable, Sequence

from rich.cells import cell_len, set_cell_size

from agentview.domain.session_state import SessionState, SessionStatus
from agentview.domain.sort_order import Column
from agentview.domain.unread import Unread
from agentview.domain.value import Value
from agentview.sessions.library.columns import FIGURES, figure_text, length_text, money
from agentview.sessions.library.liveness import activity_time, current_status, is_live
from agentview.sessions.library.periods import Period
from agentview.sessions.library.session_list import Entry, project_name
from agentview.sessions.library.sort_group import NO_HEAT, Heading
from agentview.sessions.library.usage_rollup import UsageRollup
from agentview.timeline.view.format_numbers import UNKNOWN, ago, counted, tokens
from agentview.timeline.view.sanitize import clean, one_line
from agentview.ui.widgets.lists.session_columns import GAP, RIGHT, Layout, heading_of
from agentview.ui.widgets.lists.session_signs import Signs
from agentview.ui.widgets.lists.virtual_list import Cell
from agentview.ui.widgets.responsive_bar import fit
from agentview.ui.widgets.state_marks import Role, mark_of_status

_LEAST_TITLE = 20
_LEAST_NAME = 16
_LEAST_ARCHIVED = 30
"""Cells of a title from which it is said that a session is archived."""
_LEAST_TAG = 5
_MARK = "="
"""Stands before the title of a session that another one is to be compared with."""
_CLIENTS = 6
"""Styles that marks of clients have in turn."""
_MARKED = 3
"""Cells from which a state has a word behind its mark."""

_WITH_NAME = 6
"""Cells from which a client has its name, or the beginning of it."""

Client = Callable[[str], tuple[str, str, int]]
"""Gives what people call a provider, its mark and its number, by which it has a colour."""


class RowMarks(Value):
    """Marks of a session that its facts do not have."""

    unread: Unread | None = None
    compared: bool = False
    """Another one is to be compared with it."""
    archived: bool = False


NO_MARKS = RowMarks()

_STYLES = {
    Role.WORKING: "list--live",
    Role.ATTENTION: "list--attention",
    Role.FAILED: "list--failed",
    Role.QUIET: "list--quiet",
}


def working_sign(signs: Signs) -> str:
    """The mark of a session in which somebody is at work."""
    mark = mark_of_status(SessionStatus(SessionState.WORKING))
    return mark.ascii if signs.ascii else mark.sign


def state_cell(status: SessionStatus, width: int, signs: Signs) -> Cell:
    """A state as its mark and, where there is room, its word."""
    mark = mark_of_status(status)
    sign = mark.ascii if signs.ascii else mark.sign
    text = sign if width < _MARKED else f"{sign} {status.label}"
    return padded(text, width), _STYLES[mark.role]


def entry_cells(
    entry: Entry,
    places: Layout,
    now: float,
    client: Client,
    signs: Signs,
    marks: RowMarks = NO_MARKS,
    heat: tuple[float, float] = NO_HEAT,
) -> list[Cell]:
    """The cells of a session, with the gaps between them.

    `heat` says above which costs it is among the most expensive.
    """
    figures = entry.figures
    cells: list[Cell] = []
    for column, (_, width) in places.places.items():
        if cells:
            cells.append((" " * GAP, "list--quiet"))
        if column is Column.TITLE:
            cells += _title(entry, width, signs, marks)
        elif column in FIGURES:
            cells.append(_figure(column, figures, width, heat))
        else:
            cells.append(_fact(column, entry, width, now, client, signs))
    return cells


def words_cells(entry: Entry, places: Layout, width: int) -> list[Cell]:
    """The last sentence of the agent of a session, below its title; a dash until it is known."""
    start = min(width, places.places[Column.TITLE][0])
    totals = entry.facts.totals
    words = UNKNOWN if totals is None else one_line(totals.last_words or "")
    return [(" " * start, "list--detail"), (padded(words, width - start), "list--detail")]


def heading_cells(heading: Heading, places: Layout, width: int, signs: Signs) -> list[Cell]:
    """The line above a group: its name, how many sessions, and sums below their columns."""
    known = heading.tokens is not None
    sums = {
        Column.TOKENS: tokens(heading.tokens) + ("+" if known and not heading.whole else ""),
        Column.COST: money(heading.cost),
    }
    right: list[Cell] = []
    end = width
    for column, (start, size) in reversed(list(places.places.items())):
        if column in sums:
            text = sums[column]
            gap = end - start - size
            sum_cell = (padded(text, size, right=True), "list--group")
            right[:0] = [sum_cell, (" " * gap, "list--quiet")]
            end = start
    return [*_group_name(heading, end, signs), *right]


def period_cells(period: Period, width: int, signs: Signs) -> list[Cell]:
    return ruled_cells(
        (period.label, "list--group"), (str(period.sessions), "list--quiet"), width, signs
    )


def ruled_cells(name: Cell, count: Cell, width: int, signs: Signs) -> list[Cell]:
    """The name of a group, a line and how many are in it."""
    room = width - cell_len(name[0]) - cell_len(count[0]) - 2
    if room < 0:
        return [(padded(name[0], width), name[1])]
    return [name, (f" {signs.rule * room} ", "list--quiet"), count]


def _group_name(heading: Heading, width: int, signs: Signs) -> list[Cell]:
    count = f"  {counted(heading.sessions, 'session')}"
    if width - cell_len(count) < _LEAST_NAME:
        count = ""
    label = fit(f"{signs.group} {one_line(heading.label)}", max(0, width - cell_len(count) - GAP))
    room = width - cell_len(label) - cell_len(count) - 2 * GAP
    detail = one_line(heading.detail)
    detail = f"  {fit(detail, room)}" if detail and room >= _LEAST_TITLE // 2 else ""
    rest = max(0, width - cell_len(label) - cell_len(detail))
    return [
        (label, "list--group"),
        (detail, "list--detail"),
        (padded(count if rest >= len(count) else "", rest), "list--quiet"),
    ]


def column_cells(
    places: Layout, sort: Column, width: int, signs: Signs, *, descending: bool
) -> list[Cell]:
    """The names of the columns, the one that the list is sorted by marked."""
    cells: list[Cell] = []
    for column, (start, size) in places.places.items():
        used = sum(cell_len(text) for text, _ in cells)
        cells.append((" " * (start - used), "heading--name"))
        chosen = column is sort
        sign = (signs.down if descending else signs.up) if chosen else ""
        name = heading_of(column, max(0, size - len(sign))) + sign
        style = "heading--sorted" if chosen else "heading--name"
        cells.append((padded(name, size, right=column in RIGHT), style))
    return cells or [(" " * width, "heading--name")]


def _title(entry: Entry, width: int, signs: Signs, marks: RowMarks) -> list[Cell]:
    info = entry.info
    title = one_line(info.title or "", 240)
    style = "list--title" if title and not entry.nested else "list--untitled"
    lead = f"{signs.child} " if entry.nested else ""
    star = f"{signs.star} " if entry.facts.added.starred else ""
    star = f"{_MARK} {star}" if marks.compared else star
    count = len(entry.agents)
    tail = f"  +{count}" if count and width >= _LEAST_TITLE else ""
    tail += "  hidden" if entry.facts.added.hidden else ""
    tail += "  archived" if marks.archived and width >= _LEAST_ARCHIVED else ""
    unread = marks.unread
    new = f"  {unread} new" if unread is not None and unread.count else ""
    new = new if width - cell_len(tail) - cell_len(new) >= _LEAST_NAME else ""
    name = lead + (title or (info.ref.label and one_line(info.ref.label)) or "untitled")
    used = sum(map(cell_len, (star, tail, new))) + min(cell_len(name), _LEAST_NAME)
    tail += _tags(entry.facts.added.tags, width - used)
    text = fit(name, max(0, width - sum(map(cell_len, (star, tail, new)))))
    rest = max(0, width - sum(map(cell_len, (star, text, new))))
    unseen: list[Cell] = [(new, "list--live")] if new else []
    starred: list[Cell] = [(star, "list--live")] if star else []
    return [*starred, (text, style), *unseen, (padded(tail, rest), "list--quiet")]


def _tags(tags: Sequence[str], width: int) -> str:
    return fit("".join(f"  #{tag}" for tag in tags), width) if width >= _LEAST_TAG else ""


def _figure(column: Column, figures: UsageRollup, width: int, heat: tuple[float, float]) -> Cell:
    text = padded(figure_text(column, figures), width, right=True)
    if column is Column.PROBLEMS and figures.problems:
        return text, "list--failed"
    cost = (figures.cost.shown or 0.0) if column is Column.COST else 0.0
    warm, hot = heat
    return text, "list--hot" if cost > hot else "list--warm" if cost > warm else "list--quiet"


def _fact(
    column: Column, entry: Entry, width: int, now: float, client: Client, signs: Signs
) -> Cell:
    info = entry.info
    active = activity_time(info)
    match column:
        case Column.STATE:
            return state_cell(current_status(info, now), width, signs)
        case Column.PROVIDER:
            label, mark, number = client(info.ref.provider)
            text = mark if width < _WITH_NAME else label
            return padded(text, width), f"list--client-{number % _CLIENTS}"
        case Column.PROJECT:
            text = project_name(info) or UNKNOWN
        case Column.BRANCH:
            text = info.branch or UNKNOWN
        case Column.STARTED:
            text = ago(info.started, now)
        case Column.LENGTH:
            text = length_text(entry.facts)
        case _:
            text = ago(active or None, now)
            live = is_live(info, now)
            return padded(text, width, right=True), "list--live" if live else "list--quiet"
    return padded(text, width, right=column in RIGHT), "list--quiet"


def padded(text: str, width: int, *, right: bool = False) -> str:
    """Text, made harmless, in exactly so many cells."""
    text = clean(text)
    text = fit(text, width)
    room = width - cell_len(text)
    if room < 0:
        return set_cell_size(text, width)
    return " " * room + text if right else text + " " * room
