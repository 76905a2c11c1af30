"""Hits of a search below the sessions that they are in, with what was found marked."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual.message import Message

from agentview.domain.activity import Kind, RowKind
from agentview.domain.session import SessionInfo, SessionRef
from agentview.domain.tools import ToolKind
from agentview.domain.value import Value
from agentview.facts.search.documents import Column
from agentview.facts.search.results import Hit, OfSession, fitted
from agentview.sessions.library.session_list import project_name
from agentview.timeline.view.format_numbers import UNKNOWN, ago
from agentview.timeline.view.sanitize import clean, one_line
from agentview.ui.widgets.lists.session_cells import padded
from agentview.ui.widgets.lists.session_signs import UNICODE_SIGNS, Signs
from agentview.ui.widgets.lists.virtual_list import Cell, RowList
from agentview.ui.widgets.responsive_bar import fit

_NAMES: dict[Kind | OfSession, str] = {
    RowKind.USER: "you",
    RowKind.REASONING: "thinking",
    ToolKind.SUBAGENT_TASK: "agent",
    ToolKind.WEB_FETCH: "fetch",
    ToolKind.WEB_SEARCH: "search",
    ToolKind.SEM_SEARCH: "search",
    ToolKind.NOTEBOOK_EDIT: "notebook",
    ToolKind.READ_LINTS: "lints",
}
_TIME = "%m-%d %H:%M"
_TIME_CELLS = 11
_NAME_CELLS = 10
_WIDE = 60
"""Cells from which a hit shows its time."""

_LEAST_TITLE = 24


def kind_name(kind: Kind | OfSession) -> str:
    return _NAMES.get(kind, kind.value)


class SessionLine(Value):
    """The line above the hits of a session; `reading` while its log is being read."""

    info: SessionInfo | None
    ref: SessionRef
    reading: bool


class AgentLine(Value):
    """The line above the hits in the log of an agent, below its session."""

    info: SessionInfo | None
    ref: SessionRef
    reading: bool


class HitLine(Value):
    """A hit."""

    ref: SessionRef
    hit: Hit
    abandoned: bool = False
    """True if it is known to be on an abandoned branch."""


class MoreLine(Value):
    """How many hits of a session are not shown, or how many at least."""

    ref: SessionRef
    count: int
    least: bool


class FurtherLine(Value):
    """There are sessions with hits beyond those that are shown."""


FoundLine = SessionLine | AgentLine | HitLine | MoreLine | FurtherLine


class HitList(RowList[FoundLine]):
    """Rows of what was found; the cursor stops at hits."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"list--found", "list--kind", "list--said"}

    DEFAULT_CSS = """
    HitList {
        .list--kind { color: $accent; }
        .list--said { color: $text-success; }
        .list--found { background: $warning 45%; color: $foreground; text-style: bold underline; }
    }
    """

    @dataclass
    class Chosen(Message):
        """The person wants what this row stands for."""

        line: FoundLine

    def __init__(
        self,
        clock: Callable[[], float],
        label: Callable[[str], str],
        signs: Signs = UNICODE_SIGNS,
    ) -> None:
        """`label` gives what people call a provider."""
        super().__init__()
        self._signs = signs
        self._clock = clock
        self._label = label

    def set_signs(self, signs: Signs) -> None:
        """Draw with other signs."""
        self._signs = signs
        self.refresh()

    def path_of(self, row: FoundLine) -> str | None:
        """Return the key of a row; None for the name of a session."""
        match row:
            case HitLine():
                offset, event = row.hit.order
                return f"{row.ref.path}\0{offset}.{event}.{row.hit.kind}"
            case MoreLine():
                return f"{row.ref.path}\0more"
            case FurtherLine():
                return "more"
            case SessionLine() | AgentLine():
                return None

    def choose(self, row: FoundLine) -> None:
        self.post_message(self.Chosen(row))

    def cells_of(self, row: FoundLine, width: int) -> Sequence[Cell]:
        match row:
            case SessionLine():
                return self._session(row, width)
            case AgentLine():
                return self._agent(row, width)
            case HitLine():
                return self._hit(row, width)
            case MoreLine():
                return [
                    (
                        padded(f"    … {row.count:,}{'+' if row.least else ''} more", width),
                        "list--detail",
                    )
                ]
            case FurtherLine():
                return [(padded("… more sessions", width), "list--detail")]

    def _session(self, row: SessionLine, width: int) -> Sequence[Cell]:
        info, ref = row.info, row.ref
        title = one_line((info.title if info else None) or ref.label or "untitled", 240)
        last = (info.last_activity if info else None) or ref.modified
        facts = [
            project_name(info) if info else None,
            self._label(ref.provider),
            ago(last, self._clock()) if last else UNKNOWN,
        ]
        if row.reading:
            facts.append("reading…")
        quiet = "  " + "  ".join(clean(fact) for fact in facts if fact)
        if width - cell_len(quiet) < _LEAST_TITLE:
            quiet = "  " + (facts[2] or "")
        room = max(0, width - cell_len(quiet))
        return [(padded(title, room), "list--group"), (fit(quiet, width), "list--quiet")]

    def _agent(self, row: AgentLine, width: int) -> Sequence[Cell]:
        title = one_line(row.ref.label or (row.info.title if row.info else None) or "agent", 240)
        quiet = "  reading…" if row.reading else ""
        lead = f"  {self._signs.child} "
        name = fit(title, max(0, width - cell_len(lead) - cell_len(quiet)))
        return [(lead, "list--quiet"), (name, "list--group"), (quiet, "list--quiet")]

    def _hit(self, row: HitLine, width: int) -> Sequence[Cell]:
        hit = row.hit
        cells: list[Cell] = [("  ", "list--quiet")]
        if width >= _WIDE:
            cells.append((padded(_time_text(hit.time), _TIME_CELLS + 2), "list--detail"))
        name = kind_name(hit.kind)
        style = "list--said" if hit.kind is RowKind.USER else "list--kind"
        cells.append((padded(name, _NAME_CELLS), style))
        cells.append(("→ " if hit.snippet.column is Column.RESULT else "  ", "list--detail"))
        if row.abandoned:
            cells.append(("abandoned  ", "list--detail"))
        room = width - sum(cell_len(text) for text, _ in cells)
        shown = fitted(hit.snippet, room)
        at = 0
        for start, end in shown.ranges:
            cells.append((shown.text[at:start], "list--title"))
            cells.append((shown.text[start:end], "list--found"))
            at = end
        return [*cells, (shown.text[at:], "list--title")]


def _time_text(moment: float | None) -> str:
    try:
        return UNKNOWN if moment is None else time.strftime(_TIME, time.localtime(moment))
    except (OverflowError, ValueError, OSError):
        return "?"
