"""Markdown as rows: what its signs mean is shown by looks, and links are text.

A long text is laid out chunk by chunk, between keys and frames where the space asks for that.
"""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice
from time import perf_counter
from typing import Any

from rich.style import Style

from agentview.domain.value import Value
from agentview.timeline.view.format_numbers import byte_size
from agentview.timeline.view.sanitize import clean
from agentview.ui.render.containers import IncrementalBody, Stack
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.markdown.blocks import (
    block_bodies,
    code_block,
    link_targets,
    parsed_blocks,
    with_gaps,
)
from agentview.ui.render.text_lines import Rows, split_lines, text_rows, wrap

# A Markdown text in chunks that mean the same each by itself, found without parsing it.

_ENOUGH = 1_200
"""Characters from which a chunk ends at the next place where it can."""

_ITEM_WEIGHT = 40
"""Characters that take as long as an item with a bullet. Other lists are cut less often: a part
of one begins with the number that is written there."""

_BULLETS = ("-", "*", "+")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)$")
_ITEM = re.compile(r"(?:\d{1,9})?([-*+]|(?<=\d)[.)])(?:\s|$)")
_RAW = re.compile(r" {0,3}<(?:(script|pre|style|textarea)\b|(!--))", re.IGNORECASE)
_DEFINITION = re.compile(r" {0,3}\[(?!\^)[^\]]+\]:\s*\S")
_FOOTNOTE = re.compile(r"\[\^[^\]\s]+\]:")


class Chunk(Value):
    """Some blocks of a text; code when `info` (what stands behind a fence) is not None."""

    text: str
    size: int
    """Characters that it takes of the whole text."""
    info: str | None = None
    begins: str = ""
    """Sign of the list that it begins with; empty when it begins with none."""
    ends: str = ""
    """Sign of the list that it ends within, which the next one may continue with."""


def definitions(lines: Sequence[str], most: int) -> str:
    """The first `most` lines that say where links lead, wherever they are."""
    found = (line for line in lines if "]:" in line and _DEFINITION.match(line))
    return "\n".join(islice(found, most))


def chunks(lines: Sequence[str]) -> Iterator[Chunk]:
    """The text of clean lines in chunks of some thousand characters, fences by themselves."""
    taken: list[str] = []
    weight, start = 0, 0
    fence, raw, in_list, blank = "", "", "", True
    while start < len(lines):
        line = lines[start]
        if fence or raw:
            fence = "" if fence and _closes(line.lstrip(), fence) else fence
            raw = "" if raw and raw in line.lower() else raw
        elif line[:1] not in ("", " "):
            item = _sign(line)
            opened = _FENCE.match(line)
            goes_on = item != "" and item == in_list
            another = blank or _begins_another(line, lines[start - 1], item, in_list)
            apart = another and weight >= _ENOUGH and not goes_on
            long_list = goes_on and weight >= 2 * _ENOUGH
            if taken and (opened or apart or long_list):
                yield _chunk(taken, in_list)
                taken, weight = [], 0
            if opened:
                end = _fence_end(lines, start, opened[1])
                text = "\n".join(lines[start + 1 : end])
                last = min(end + 1, len(lines))
                whole = sum(map(len, lines[start:last])) + last - start
                yield Chunk(f"{text}\n" if text else "", whole, opened[2].strip())
                start, in_list, blank = last, "", True
                continue
            in_list = item or ("" if blank else in_list)
            weight += _ITEM_WEIGHT if item in _BULLETS else 0
            raw = _raw_end(line)
            # A definition of a footnote would count as one of a link, and vanish.
            line = f"\\{line}" if line[:2] == "[^" and _FOOTNOTE.match(line) else line
        else:
            opened = _FENCE.match(line.lstrip())
            fence = opened[1] if opened else ""
        blank = not line and not fence and not raw
        taken.append(line)
        weight += len(line) + 1
        start += 1
    if taken:
        yield _chunk(taken, in_list)


def _sign(line: str) -> str:
    """Return the sign of the item that a line begins, which identifies a list; empty for none."""
    found = _ITEM.match(line)
    return found[1] if found else ""


def _begins_another(line: str, before: str, item: str, in_list: str) -> bool:
    """True if a line begins another list than the one that it follows without an empty line."""
    if not in_list or item not in _BULLETS or item == in_list:
        return False
    # An empty item after a text would underline it.
    return line.rstrip() != item or before.rstrip() in _BULLETS


def _chunk(lines: Sequence[str], in_list: str) -> Chunk:
    text = "\n".join(lines)
    return Chunk(text, len(text) + 1, begins=_sign(lines[0]), ends=in_list)


def _raw_end(line: str) -> str:
    """Return the end of the HTML that a line begins and does not end; empty for none."""
    found = _RAW.match(line)
    if found is None:
        return ""
    end = "-->" if found[2] else f"</{found[1].lower()}>"
    return "" if end in line.lower() else end


def _fence_end(lines: Sequence[str], start: int, fence: str) -> int:
    """The line that closes a fence, or the one behind the last."""
    for index in range(start + 1, len(lines)):
        if _closes(lines[index], fence):
            return index
    return len(lines)


def _closes(line: str, fence: str) -> bool:
    stripped = line.strip()
    return (
        len(stripped) >= len(fence)
        and not stripped.strip(fence[0])
        and len(line) - len(line.lstrip()) < 4
    )


MAX_SIZE = 200_000
"""Characters from which a text is shown as it is written."""

SLICE = 0.004
"""Seconds of laying out at a time."""

_AT_ONCE = 2_000
"""Characters up to which there is nothing to slice."""

_MOST_SIGNS = 500
"""Signs in one chunk from which it is shown as it is written: each may take the parser 50 µs."""

_MOST_CELLS = 8_000
"""Borders of cells in one chunk, of which the same is true."""

_MOST_ITEMS = 100
"""Numbered items in one chunk, of which the same is true: such a list is not cut into chunks."""

_MOST_LINES = 500
"""Lines of one chunk, of which the same is true."""

_MOST_DEFINITIONS = 200
"""Lines that may say where links lead."""

_KEPT = 24
_SIGNS = re.compile(r"[^\w\n ,.;:'\"?!()/%$…-]|_")
"""Characters that may mean something to Markdown, wherever in a line they stand."""


_NUMBERED = re.compile(r"^ *\d{1,9}[.)] ", re.MULTILINE)
_COSTLY = re.compile(r"[^\w\s,.;:'\"?!()/%$…|=#-]|_")
"""Characters that the parser looks at one by one."""


class LongMarkdown:
    """A text that is laid out as far as `continue_for` was called."""

    def __init__(self, text: str, space: RenderContext, base: Style) -> None:
        self._text = text
        self._space = space
        self._base = base
        self._bodies: list[LazyLines] = []
        self._work = _laid_out(text, space, base, self._bodies)
        self._left = len(text)
        self._whole = False

    def continue_for(self, seconds: float) -> bool:
        """Lay out more, for about so long; true when that was all."""
        began = perf_counter()
        for size in self._work:
            self._left -= size
            if perf_counter() - began > seconds:
                return False
        self._whole = True
        return True

    def is_of(self, text: str, space: RenderContext, base: Style) -> bool:
        """Return True if it is this text that is laid out, in the same way."""
        same = len(text) == len(self._text) and space.width == self._space.width
        return same and base == self._base and space == self._space and text == self._text

    def body(self) -> LazyLines:
        """The text, or what of it is laid out by now and a word about the rest."""
        if self._whole:
            return Stack(self._bodies)
        dim = self._space.palette.dim
        text = f"{self._space.glyphs.ellipsis} {byte_size(self._left)} more is being laid out"
        return IncrementalBody([*self._bodies, Rows([[(text, dim)]], self._space)], self)


_long: deque[LongMarkdown] = deque(maxlen=_KEPT)
"""Long texts that were laid out last: to be shown again when they are whole."""


def markdown_body(text: str, space: RenderContext, style: Style | None = None) -> LazyLines:
    """The text laid out at the width; `style` is that of plain text.

    Where the space is sliced, a long one is `IncrementalBody` until its work is done.
    """
    base = space.palette.text if style is None else style
    if len(text) > MAX_SIZE:
        return text_rows(text, space, base)
    if len(text) > _AT_ONCE and space.sliced:
        return _begun(text, space, base).body()
    bodies: list[LazyLines] = []
    for _ in _laid_out(text, space, base, bodies):
        pass
    return Stack(bodies)


def markdown_head(
    text: str, space: RenderContext, rows: int, style: Style | None = None
) -> tuple[LazyLines, int | None]:
    """As much of a text as fills so many rows, and about how many it has; None when that is all."""
    base = space.palette.text if style is None else style
    bodies: list[LazyLines] = []
    taken = 0
    for size in _laid_out(text[:MAX_SIZE], space, base, bodies):
        taken += size
        if sum(body.height for body in bodies) > rows + 1:
            break
    body = Stack(bodies)
    rest = split_lines(text[taken:])
    if not rest:
        return body, None
    return body, body.height + sum(max(1, -(-len(line) // space.width)) for line in rest)


def _begun(text: str, space: RenderContext, base: Style) -> LongMarkdown:
    for known in _long:
        if known.is_of(text, space, base):
            return known
    long = LongMarkdown(text, space, base)
    long.continue_for(SLICE)
    _long.append(long)
    return long


def _laid_out(
    text: str, space: RenderContext, base: Style, bodies: list[LazyLines]
) -> Iterator[int]:
    """Append the bodies of a text, chunk by chunk; gives the size of each."""
    # Cleaned before it is parsed, so that nothing in an address trips the parser.
    lines = [clean(line) for line in split_lines(text)]
    known = link_targets(definitions(lines, _MOST_DEFINITIONS))
    list_before = ""
    for chunk in chunks(lines):
        begun = len(bodies)
        bodies += _chunk_bodies(chunk, known, space, base)
        if begun and len(bodies) > begun and not (list_before and list_before == chunk.begins):
            bodies.insert(begun, Rows([[("", base)]], space))
        list_before = chunk.ends
        yield chunk.size


def _chunk_bodies(
    chunk: Chunk, known: dict[str, Any], space: RenderContext, base: Style
) -> Iterator[LazyLines]:
    if chunk.info is not None:
        yield code_block(chunk.text, chunk.info, space, base)
    elif chunk.text.count("\n") > _MOST_LINES:
        yield text_rows(chunk.text.strip("\n"), space, base)
    elif _is_plain(chunk.text):
        # What the parser would give; importing it takes as long as drawing the first frame.
        parts = (part.strip("\n") for part in chunk.text.split("\n\n"))
        rows = (Rows(wrap([(part, base)], space.width), space) for part in parts if part)
        yield from with_gaps(rows, space, base)
    elif _is_costly(chunk.text) or (nodes := parsed_blocks(chunk.text, known)) is None:
        yield text_rows(chunk.text.strip("\n"), space, base)
    else:
        yield from block_bodies(nodes, space, base)


def _is_costly(text: str) -> bool:
    """True if the parser would take longer than a frame for it, as for no text of a person."""
    if len(text) <= _MOST_SIGNS:
        return False
    if len(_NUMBERED.findall(text)) > _MOST_ITEMS:
        return True
    return text.count("|") > _MOST_CELLS or len(_COSTLY.findall(text)) > _MOST_SIGNS


def _is_plain(text: str) -> bool:
    """Return True if there are but paragraphs: lines that begin with a letter, without any sign."""
    if _SIGNS.search(text):
        return False
    return all(
        not line or (line[0].isalpha() and not line[-1].isspace()) for line in text.split("\n")
    )
