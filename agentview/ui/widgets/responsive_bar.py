"""A row of parts that give way when it gets narrow: shorter forms first, then the least needed."""

import math
from collections.abc import Iterable, Sequence
from typing import ClassVar, Self

from msgspec.structs import replace
from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from agentview.domain.value import Value
from agentview.timeline.view.limit_text import LimitWords
from agentview.ui.render.strip import strip_of
from agentview.ui.render.style.glyphs import plain_signs
from agentview.ui.render.text_lines import tail

Form = tuple[tuple[str, str], ...]
"""A way to write a part: (text, name of the style) one after the other."""

PLAIN = "-plain-signs"
"""Class of an application whose bars and notices keep to ASCII signs."""

GAP = 2
"""Cells between parts."""

_LEAST_ELASTIC = 32


class Part(Value):
    """One fact in a bar: its forms from the longest to the shortest.

    The form with the lowest priority gives way first, to the next shorter one or to nothing. An
    `elastic` part is cut with an ellipsis instead.
    """

    forms: tuple[Form, ...]
    priority: int
    """Of the shortest form, and of all that `longer` does not name."""
    elastic: bool = False
    right: bool = False
    """Stands at the right end of the bar."""
    longer: tuple[int, ...] = ()
    """Priorities of the first forms."""
    keeps: int = _LEAST_ELASTIC
    """Cells that an elastic part has at the cost of parts with a lower priority."""

    def priority_of(self, form: int) -> int:
        return self.longer[form] if form < len(self.longer) else self.priority

    def in_plain_signs(self) -> "Part":
        """The same with ASCII signs."""
        forms = tuple(
            tuple((plain_signs(text), style) for text, style in form) for form in self.forms
        )
        return replace(self, forms=forms)


def part(
    text: str, style: str, priority: int, *, right: bool = False, elastic: bool = False
) -> Part:
    return Part((((text, style),),), priority, elastic, right)


def forms_part(forms: Sequence[Form], priority: int, longer: int) -> tuple[Part, ...]:
    """A part at the right with these forms, `longer` for all but the last; of none, none.

    `priority` is that of the last one.
    """
    if not forms:
        return ()
    return (Part(tuple(forms), priority, right=True, longer=(longer,) * (len(forms) - 1)),)


def limit_forms(words: LimitWords) -> list[Form]:
    """How limits are shown: those that are nearly used stand out."""
    return [
        tuple((text, "bar--full" if near else "bar--quiet") for text, near in form)
        for form in words.forms
    ]


def fit(text: str, width: int) -> str:
    """Text in at most `width` cells, cut with an ellipsis."""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1).rstrip() + "…" if width > 0 else ""


def distinct_fits(texts: Iterable[str], width: int) -> dict[str, str]:
    """Each text in at most `width` cells, cut where different texts stay different, if possible."""
    names = list(dict.fromkeys(texts))
    fits = [{name: cut(name, width) for name in names} for cut in (_fit_middle, fit, _fit_end)]
    return next((each for each in fits if len(set(each.values())) == len(names)), fits[0])


def _fit_end(text: str, width: int) -> str:
    if cell_len(text) <= width:
        return text
    return "…" + tail(text, width - 1) if width > 0 else ""


def _fit_middle(text: str, width: int) -> str:
    if cell_len(text) <= width:
        return text
    end = (width - 1) // 2
    return fit(text, width - end) + tail(text, end) if end > 0 else fit(text, width)


def lay_out(
    parts: Sequence[Part], width: int, *, filled: bool = True
) -> tuple[list[Form], list[Form]]:
    """The forms that fit into `width` cells, those at the left end and those at the right end.

    `filled`: what gave way comes back where another part made room for it.
    """
    chosen: list[int | None] = [0] * len(parts)
    elastic = min((one.priority for one in parts if one.elastic), default=math.inf)
    while _needed(parts, chosen) > width and _give_way(parts, chosen, elastic):
        pass
    while _needed(parts, chosen, whole=False) > width and _give_way(parts, chosen):
        pass
    if filled:
        _take_back(parts, chosen, width)
    room = width - _needed(parts, chosen, whole=False)
    left: list[Form] = []
    right: list[Form] = []
    for one, form in zip(parts, chosen, strict=True):
        if form is None:
            continue
        kept = one.forms[form]
        if one.elastic:
            kept = _cut(kept, max(0, room))
            room -= _form_length(kept)
        if _form_length(kept):
            (right if one.right else left).append(kept)
    return left, right


def _give_way(parts: Sequence[Part], chosen: list[int | None], below: float = math.inf) -> bool:
    """Shorten or drop the part whose form has the lowest priority `below`; false without one."""
    shown = [
        (one.priority_of(form), index, form)
        for index, (one, form) in enumerate(zip(parts, chosen, strict=True))
        if form is not None and not one.elastic and one.priority_of(form) < below
    ]
    if not shown:
        return False
    _, index, form = min(shown)
    chosen[index] = form + 1 if form + 1 < len(parts[index].forms) else None
    return True


def _take_back(parts: Sequence[Part], chosen: list[int | None], width: int) -> None:
    """Show what gave way and fits after all, next to elastic parts that are not cut for it."""
    given = [
        (-one.priority_of(form), index, form)
        for index, (one, kept) in enumerate(zip(parts, chosen, strict=True))
        for form in range(len(one.forms) if kept is None else kept)
    ]
    for _, index, form in sorted(given):
        kept = chosen[index]
        chosen[index] = form if kept is None else min(kept, form)
        if _needed(parts, chosen, uncut=True) > width:
            chosen[index] = kept


def _needed(
    parts: Sequence[Part],
    chosen: Sequence[int | None],
    *,
    whole: bool = True,
    uncut: bool = False,
) -> int:
    """Give the cells of the forms; with `whole`, of elastic ones so many as they keep.

    With `uncut`, all cells of elastic ones.
    """
    lengths = [
        min(one.keeps if whole else 0, _form_length(one.forms[form]))
        if one.elastic and not uncut
        else _form_length(one.forms[form])
        for one, form in zip(parts, chosen, strict=True)
        if form is not None
    ]
    return sum(lengths) + GAP * max(0, len(lengths) - 1)


def _form_length(form: Form) -> int:
    return sum(cell_len(text) for text, _ in form)


def _cut(form: Form, width: int) -> Form:
    kept: list[tuple[str, str]] = []
    for text, style in form:
        if width <= 0:
            break
        short = fit(text, width)
        kept.append((short, style))
        width -= cell_len(short)
    return tuple(kept)


class Bar(Widget):
    """One row of parts; a subclass gives the parts and the styles that they name."""

    FILLED: ClassVar[bool] = True
    """False for a bar whose parts come and go: those that stay keep their places."""

    DEFAULT_CSS = """
    Bar {
        height: 1;
        width: 1fr;
        padding: 0 1;
    }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        # Textual forgets with each refresh what they come to, which is half of what a bar costs.
        self._reckoned: dict[str, Style] = {}
        self._reckoned_on: Style | None = None
        super().__init__(id=id)

    def parts(self) -> Sequence[Part]:
        """The parts of this moment, in the order in which they stand."""
        raise NotImplementedError

    def notify_style_update(self) -> None:
        """Reckon the styles of parts again."""
        self._reckoned.clear()
        super().notify_style_update()

    def refresh(
        self,
        *regions: Region,
        repaint: bool = True,
        layout: bool = False,
        recompose: bool = False,
    ) -> Self:
        """As for any widget, but that the next frame has it, however soon that comes."""
        super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)
        if repaint and self.is_attached:
            self.screen._dirty_widgets.add(self)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        return self

    def render_line(self, y: int) -> Strip:
        """The row, exactly as wide as there is room."""
        width = self.content_size.width
        if y or width <= 0:
            return Strip.blank(max(0, width), self.rich_style)
        left, right = self._laid_out(width)
        # Asked for once: it is reckoned from all that the bar is in.
        base = self.rich_style
        if base != self._reckoned_on:
            self._reckoned.clear()
            self._reckoned_on = base
        start, end = self._segments(left, base), self._segments(right, base)
        room = width - _segments_length(start) - _segments_length(end)
        filler = Segment(" " * max(0, room), base)
        return strip_of([*start, filler, *end]).crop(0, width)

    def form_at(self, event: events.Click) -> Form | None:
        """Return the clicked part of those at the left; None for a gap."""
        offset = event.get_content_offset(self)
        if offset is None:
            return None
        start = 0
        for form in self._laid_out(self.content_size.width)[0]:
            length = _form_length(form)
            if start <= offset.x < start + length:
                return form
            start += length + GAP
        return None

    def _laid_out(self, width: int) -> tuple[list[Form], list[Form]]:
        parts = self.parts()
        if self.app.has_class(PLAIN):  # pyright: ignore[reportUnknownMemberType]
            parts = [one.in_plain_signs() for one in parts]
        return lay_out(parts, width, filled=self.FILLED)

    def _segments(self, forms: Sequence[Form], base: Style) -> list[Segment]:
        segments: list[Segment] = []
        for index, form in enumerate(forms):
            if index:
                segments.append(Segment(" " * GAP, base))
            segments.extend(
                Segment(text, self._style(style) if style else base) for text, style in form
            )
        return segments

    def _style(self, name: str) -> Style:
        found = self._reckoned.get(name)
        if found is None:
            found = self._reckoned[name] = self.get_component_rich_style(name)
        return found


def _segments_length(segments: Sequence[Segment]) -> int:
    return sum(segment.cell_length for segment in segments)
