"""The preview of the search: the match under the cursor among the activities around it."""

from collections.abc import Callable, Sequence

from msgspec.structs import replace
from rich.cells import cell_len
from rich.style import Style
from textual.strip import Strip

from agentview.domain.activity import Activity
from agentview.domain.session import SessionInfo
from agentview.domain.value import Value
from agentview.facts.search.index_query import IndexQuery, MatchHighlighter
from agentview.facts.search.results import OfSession
from agentview.redaction.values import masked_activity
from agentview.sessions.library.session_list import project_name
from agentview.sessions.library.surroundings import Surroundings, surroundings
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.format_numbers import UNKNOWN, date_time
from agentview.timeline.view.sanitize import one_line
from agentview.ui.activity_widget import RowLayout
from agentview.ui.render.containers import Stack
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.style.highlight_matches import laid_over
from agentview.ui.render.text_lines import Rows
from agentview.ui.screens.home.options import LibraryViewOptions
from agentview.ui.screens.home.preview_reader import PreviewReader
from agentview.ui.widgets.lists.search_results import HitLine
from agentview.ui.widgets.preview import Preview, PreviewContent

_TALL = 14
"""Rows of a preview from which it says which session it shows."""
_LOOKED_AT = 2_000
"""Rows of an activity among which the first with a match is looked for."""
_ABOVE, _BELOW = 3, 12
"""Rows of a long activity that are shown above and below that one."""


class Shown(Value, gc=True):
    """A match with what is known of its session."""

    line: HitLine
    info: SessionInfo | None
    query: IndexQuery


class HitPreview(PreviewReader[Shown, Surroundings]):
    """Shows a match in its place; the words that were looked for are marked."""

    def __init__(self, preview: Preview, options: Callable[[], LibraryViewOptions]) -> None:
        """`options` gives the present ones."""
        self._options = options
        super().__init__(preview, _key, self._content, _surroundings, self._around)

    def _around(self, shown: Shown, found: Surroundings, width: int) -> PreviewContent:
        options = self._options()
        space = replace(options.space(), width=width)
        masking, clock = options.masking(), options.clock
        marker = MatchHighlighter(shown.query)
        seen = [masked_activity(each) if masking else each for each in found.activities]
        at = len(seen) if found.at is None else found.at
        views = [_titles(seen[:at], space, clock)]
        if at < len(seen):
            whole = RowLayout(seen[at], DetailLevel.FULL, space, clock=clock)
            views.append(_Match(whole, marker, space))
        views.append(_titles(seen[at + 1 :], space, clock))
        host = shown.line.ref.host if shown.line.ref.is_remote else None
        gone = (
            "this is no longer in the log" if host is None else f"its log is on {host}: ⏎ opens it"
        )
        note = "" if seen else gone
        return self._content(shown, [view for view in views if view.height], note)

    def _content(
        self, shown: Shown, views: Sequence[LazyLines] = (), note: str = ""
    ) -> PreviewContent:
        info, ref, hit = shown.info, shown.line.ref, shown.line.hit
        title = one_line((info.title if info else None) or ref.label or "untitled", 240)
        client = self._options().label(ref.provider)
        where = (project_name(info), info.branch) if info else ()
        facts = [("where", " · ".join(filter(None, (*where, client))))]
        if hit.kind is not OfSession.TITLE:
            facts.append(("when", UNKNOWN if hit.time is None else date_time(hit.time)))
        if self._preview.content_size.height < _TALL:
            # The list next to it says the same.
            title, facts = "", []
        return PreviewContent(title, facts, views, note)


def _key(shown: Shown) -> object:
    ref = shown.line.ref
    return ref.path, ref.size, ref.modified, shown.line.hit.place


def _surroundings(shown: Shown) -> Surroundings:
    return surroundings(shown.line.ref, shown.line.hit.place)


def _titles(
    activities: Sequence[Activity], space: RenderContext, clock: Callable[[], float]
) -> Stack:
    """A row for each activity, drawn here: what that imports takes longer than a frame may."""
    views = [RowLayout(each, DetailLevel.TITLE, space, clock=clock) for each in activities]
    return Stack([_Drawn(view.strips(0, view.height)) for view in views])


class _Drawn:
    """Rows that are drawn already."""

    def __init__(self, strips: Sequence[Strip]) -> None:
        self._strips = strips

    @property
    def height(self) -> int:
        return len(self._strips)

    def strips(self, start: int, stop: int) -> Sequence[Strip]:
        return self._strips[max(0, start) : stop]


class _Match(Stack):
    """The title of an activity and the rows around its first match, with matches marked."""

    def __init__(self, whole: RowLayout, marker: MatchHighlighter, space: RenderContext) -> None:
        looked_at = whole.strips(0, min(whole.height, _LOOKED_AT))
        marked = [_marked(strip, marker, space.palette.match) for strip in looked_at]
        # The title repeats what the body says, and may be cut before a match.
        rows = (number for number, each in enumerate(marked) if number and each is not None)
        first = next(rows, 0)
        start = max(1, first - _ABOVE) if first > 1 + _ABOVE else 1
        end = min(len(looked_at), max(first, start) + _BELOW)
        strips = [old if new is None else new for old, new in zip(looked_at, marked, strict=True)]
        dim = space.palette.dim
        parts: list[LazyLines] = [_Drawn(strips[:1])]
        if start > 1:
            parts.append(Rows([[(f"  … {start - 1:,} rows above", dim)]], space))
        parts.append(_Drawn(strips[start:end]))
        if end < whole.height:
            parts.append(Rows([[(f"  … {whole.height - end:,} rows below", dim)]], space))
        super().__init__(parts)


def _marked(strip: Strip, marker: MatchHighlighter, style: Style) -> Strip | None:
    """The strip with matches marked; None if it has none."""
    text = strip.text
    spans = marker.ranges(text)
    for start, end in spans:
        strip = laid_over(strip, cell_len(text[:start]), cell_len(text[:end]), style)
    return strip if spans else None
