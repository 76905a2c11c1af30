"""A JSON value as a tree that folds: what is open is counted, what is seen is drawn.

Each member is one row, so a list of a million members is as quickly counted as one of ten; only
what is open is walked, and what is not seen is not drawn. What begins open is bounded.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice
from typing import cast

import orjson
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from agentview.timeline.view.format_numbers import counted
from agentview.timeline.view.sanitize import clean
from agentview.ui.render.lazy_lines import LazyLines, RenderContext, RowText, row_text
from agentview.ui.render.strip import strip_of, width_of
from agentview.ui.render.text_lines import Piece, Rows, fit, text_rows, wrap

# Values of JSON in short: their members, what a text of JSON holds, and one row about each.

MAX_SIZE = 16_000_000
"""Characters of a text that is parsed."""

_PARSED_UNASKED = 100_000
"""Characters of a text inside a value that is parsed to say what it holds."""
_PREVIEW_ITEMS = 12
_PREVIEW_TEXT = 60


@lru_cache(maxsize=2)
def parsed(text: str) -> object | None:
    """The list or mapping that a text is the JSON of, None when it is not or is too long.

    The last ones are kept: a tree is built again whenever a part of it is folded.
    """
    if len(text) > MAX_SIZE or not looks_like_json(text):
        return None
    return _loads(text)


def _loads(text: str) -> object | None:
    try:
        value: object = orjson.loads(text)
    except ValueError:
        return None
    return value


def looks_like_json(text: str) -> bool:
    """Return True if a text begins and ends as a list or mapping does."""
    return text[:64].lstrip()[:1] in ("{", "[") and text[-64:].rstrip()[-1:] in ("}", "]")


class Members:
    """The members of a list or mapping by number; `keys` is None for a list."""

    def __init__(self, holder: Mapping[object, object] | Sequence[object]) -> None:
        self._holder = holder
        self.keys = list(holder) if isinstance(holder, Mapping) else None

    def __len__(self) -> int:
        return len(self._holder)

    def value(self, index: int) -> object:
        """Member number `index`."""
        if self.keys is not None:
            index = cast("int", self.keys[index])
        return cast("Sequence[object]", self._holder)[index]


def members_of(value: object) -> Members | None:
    """The members of a value that has any, else None."""
    if value and isinstance(value, (Mapping, list, tuple)):
        return Members(cast("Sequence[object]", value))
    return None


def held_json(text: str) -> object | None:
    """The list or mapping that a text of bounded size holds, None where it holds none."""
    if len(text) > _PARSED_UNASKED or not looks_like_json(text):
        return None
    value = _loads(text)
    return value if members_of(value) is not None else None


def value_pieces(value: object, space: RenderContext) -> Iterator[Piece]:
    """A plain value as it is, any other in short: `[ 120 items ]`."""
    palette = space.palette
    if isinstance(value, Mapping):
        size = len(cast("Mapping[object, object]", value))
        yield (f"{{ {counted(size, 'field')} }}" if size else "{}", palette.dim)
    elif isinstance(value, (list, tuple)):
        size = len(cast("Sequence[object]", value))
        yield (f"[ {counted(size, 'item')} ]" if size else "[]", palette.dim)
    elif isinstance(value, str):
        yield (f'"{value}"' if _ambiguous(value) else value, palette.string)
    elif value is None or isinstance(value, bool):
        yield ({None: "null", True: "true", False: "false"}[value], palette.literal)
    elif isinstance(value, (int, float)):
        yield (_number(value), palette.number)
    else:
        yield (str(value), palette.text)


def _ambiguous(text: str) -> bool:
    """Return True if a text could be taken for a value of another type, or not be seen at all."""
    if not text or text != text.strip() or text in ("null", "true", "false", "{}", "[]"):
        return True
    return len(text) < 40 and text[0] in "-0123456789" and _is_number(text)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _number(value: float) -> str:
    try:
        return str(value)
    except ValueError:
        return "a number of very many digits"


def preview_pieces(value: object, space: RenderContext) -> Iterator[Piece]:
    """The first members of what is folded; of the very first one also what is in it."""
    if value and isinstance(value, (Mapping, list, tuple)):
        yield ("  ", space.palette.dim)
        yield from _first_members(cast("Sequence[object]", value), space, nested=True)


def _first_members(
    holder: Mapping[object, object] | Sequence[object], space: RenderContext, *, nested: bool
) -> Iterator[Piece]:
    dim = space.palette.dim
    keyed = isinstance(holder, Mapping)
    pairs = holder.items() if keyed else enumerate(holder)
    for number, (key, item) in enumerate(islice(pairs, _PREVIEW_ITEMS)):
        if number:
            yield (", ", dim)
        if keyed:
            yield (f"{str(key)[:_PREVIEW_TEXT]}: ", dim)
        if nested and not number and item and isinstance(item, (Mapping, list, tuple)):
            brackets = "{}" if isinstance(item, Mapping) else "[]"
            yield (f"{brackets[0]} ", dim)
            yield from _first_members(cast("Sequence[object]", item), space, nested=False)
            yield (f" {brackets[1]}", dim)
        elif isinstance(item, str) and len(item) > _PREVIEW_TEXT and len(holder) > 1:
            yield (item[:_PREVIEW_TEXT] + space.glyphs.ellipsis, space.palette.string)
        else:
            yield from value_pieces(item, space)
    if len(holder) > _PREVIEW_ITEMS:
        yield (f", {space.glyphs.ellipsis}", dim)


MAX_LOOKS = 2_000
"""Members that are looked at to see whether they begin open."""
MAX_ITEMS = 10_000
"""Items of a list or mapping that begins open."""
MAX_TEXT = 20_000
"""Characters of a text that begins open."""
MAX_DEPTH = 60
"""Levels below which nothing opens."""
_WRAPPED = 2_000
"""Characters of a text that is broken at words; counting the rows of a longer one must be cheap."""
_SHORT_ITEMS = 8
"""Plain items of a list that begins folded, since the row of the list shows them all."""
_INDENT = 2
_SIGNS = 4
"""Cells of the colon behind a key and of the quotes around a text."""

Label = list[Piece]


def json_tree(value: object, space: RenderContext, name: str = "json") -> LazyLines:
    """Return the value with one row for each member; `name` identifies its parts.

    Texts that are wider than a row are open up to a size, texts that hold JSON open as a tree.
    """
    tree = _Tree(space, name)
    members = members_of(value)
    if members and isinstance(value, Mapping):
        return _Root(tree, _Node(tree, members, name, 0))
    return _Root(tree, _Node(tree, Members([value]), f"{name}:", 0))


class _Tree:
    """State shared by all nodes of a tree: looks, folds, and how much may still begin open."""

    def __init__(self, space: RenderContext, name: str) -> None:
        self.space = space
        self.looks_left = MAX_LOOKS
        self.text_left = 5 * MAX_TEXT
        self.wrapped_left = 4 * _WRAPPED
        own = (f"{name}/", f"{name}:/")
        self.toggled = {key for key in space.folds.toggled if key.startswith(own)}
        self.leads_to: dict[str, set[int]] = {}
        """Members to look at in any case, by the key of what they are in."""
        for key in self.toggled:
            parts = key.split("/")
            for end in range(1, len(parts)):
                if parts[end].isdecimal():
                    self.leads_to.setdefault("/".join(parts[:end]), set()).add(int(parts[end]))

    def is_open(self, key: str, depth: int, *, begins: bool) -> bool:
        if depth >= MAX_DEPTH:
            return False
        folds = self.space.folds
        if self.looks_left <= 0 and folds.every is not False:
            return key in self.toggled
        return folds.is_open(key, begins)

    def room(self, depth: int) -> int:
        return max(8, self.space.width - self.indent(depth) - _INDENT)

    def indent(self, depth: int) -> int:
        return min(_INDENT * depth, self.space.width // 2)


class _Node:
    """Members one below another, some of them open: rows are counted, not made."""

    def __init__(self, tree: _Tree, members: Members, key: str, depth: int) -> None:
        self._tree = tree
        self._members = members
        self._key = key
        self._depth = depth
        self._bare = key.endswith(":")
        """The only member is the value of the tree itself: it has no label."""
        self._digits = len(str(len(members) - 1))
        self._room = tree.room(depth)
        self._at: list[int] = []
        self._open: list[_Node | _Text] = []
        self._rows: list[int] = []
        self.height = len(members)
        self._look()

    def _look(self) -> None:
        """Open what begins open or was opened, in order; beyond the bound only the latter."""
        tree, count = self._tree, len(self._members)
        limit = min(count, max(0, tree.looks_left))
        wanted = tree.leads_to.get(self._key, ())
        for index in (*range(limit), *sorted(each for each in wanted if limit <= each < count)):
            if tree.looks_left <= 0 and index not in wanted:
                if not wanted:
                    break
                continue
            tree.looks_left -= 1
            opened = self._opened(index)
            if opened is not None and opened.height:
                self._at.append(index)
                self._open.append(opened)
                self._rows.append(self.height - count + index)
                self.height += opened.height

    def _opened(self, index: int) -> "_Node | _Text | None":
        value, tree, depth = self._members.value(index), self._tree, self._depth
        key = f"{self._key}/{index}"
        if isinstance(value, str):
            return self._opened_text(value, index, key)
        if not value or not isinstance(value, (Mapping, list, tuple)):
            return None
        items = cast("Sequence[object]", value)
        begins = self._begins(items, index) or (self._bare and len(items) > MAX_ITEMS)
        if not tree.is_open(key, depth, begins=begins):
            return None
        members = members_of(cast("object", value))
        return _Node(tree, members, key, depth + 1) if members else None

    def _begins(self, value: Mapping[object, object] | Sequence[object], index: int) -> bool:
        """True if a list or mapping begins open: not what is long, or is seen in its own row."""
        if len(value) > _SHORT_ITEMS or isinstance(value, Mapping):
            return len(value) <= MAX_ITEMS
        texts = [text for item in value for text, _ in value_pieces(item, self._tree.space)]
        if any(isinstance(item, (Mapping, list, tuple)) for item in value):
            return True
        size = sum(len(text[:200]) for text in texts) + 2 * len(texts) + len("[ 8 items ]  ")
        return size + self._label_width(index) > self._room

    def _opened_text(self, value: str, index: int, key: str) -> "_Node | _Text | None":
        tree, depth = self._tree, self._depth
        label_width = self._label_width(index)
        if self._in_one_row(value, index):
            return None
        begins = len(value) <= min(MAX_TEXT, tree.text_left)
        if begins and looks_like_json(value):
            tree.text_left -= len(value)
            begins = begins and held_json(value) is None
        if not tree.is_open(key, depth, begins=begins):
            return None
        members = members_of(parsed(value)) if looks_like_json(value) else None
        if members is not None:
            return _Node(tree, members, key, depth + 1)
        tree.text_left -= len(value)
        return _Text(tree, value, depth, label_width)

    def _in_one_row(self, value: str, index: int) -> bool:
        keys = self._members.keys
        named = self._digits if keys is None else len(str(keys[index]))
        if 2 * (len(value) + named) + _SIGNS > self._room or "\n" in value:
            # Not sure to fit: that takes to know how wide its characters are.
            fits = _fits(value, self._room - self._label_width(index))
        else:
            fits = True
        return fits and held_json(value) is None

    def strips(self, start: int, stop: int) -> Iterator[Strip]:
        """Rows `start` to `stop`, which it must have."""
        row = start
        while row < stop:
            index, opened, inside = self._find(row)
            if opened is None or inside < 0:
                yield self._row(index, opened)
                row += 1
                continue
            end = min(stop - row + inside, opened.height)
            yield from opened.strips(inside, end)
            row += end - inside

    def _find(self, row: int) -> tuple[int, "_Node | _Text | None", int]:
        """The member at a row, what is open of it, and the row inside that (-1: its own row)."""
        place = bisect_right(self._rows, row) - 1
        if place < 0:
            return row, None, -1
        opened, offset = self._open[place], row - self._rows[place]
        if offset <= opened.height:
            return self._at[place], opened, offset - 1
        return self._at[place] + offset - opened.height, None, -1

    def fold_at(self, row: int) -> str | None:
        index, opened, inside = self._find(row)
        if opened is not None and inside >= 0:
            return opened.fold_at(inside) if isinstance(opened, _Node) else None
        foldable = opened is not None or self._folds(index)
        return f"{self._key}/{index}" if foldable and self._depth < MAX_DEPTH else None

    def row_text(self, row: int, cell: int) -> RowText | None:
        _, opened, inside = self._find(row)
        if opened is not None and inside >= 0:
            return opened.row_text(inside, cell)
        return RowText(self._tree.indent(self._depth) + _INDENT)

    def _folds(self, index: int) -> bool:
        value = self._members.value(index)
        if isinstance(value, str):
            return not self._in_one_row(value, index)
        return isinstance(value, (Mapping, list, tuple)) and bool(cast("object", value))

    def _row(self, index: int, opened: "_Node | _Text | None") -> Strip:
        """The row of a member itself: its label, then its value or how much is in it."""
        space, value = self._tree.space, self._members.value(index)
        foldable = opened is not None or self._folds(index)
        sign = space.glyphs.unfolded if opened is not None else space.glyphs.folded
        before: Label = [
            (" " * self._tree.indent(self._depth), Style.null()),
            (f"{sign} " if foldable else "  ", space.palette.dim),
            *self._label(index),
        ]
        if isinstance(opened, _Text):
            return fit([*before, *opened.first], space.width, space.glyphs.ellipsis)
        if isinstance(value, str) and foldable:
            return self._text_row(before, value, is_open=opened is not None)
        preview = preview_pieces(value, space) if foldable and opened is None else ()
        row = chain(before, value_pieces(value, space), preview)
        return fit(row, space.width, space.glyphs.ellipsis)

    def _text_row(self, before: Label, value: str, *, is_open: bool) -> Strip:
        """A text that is folded, cut with its length; or one that holds JSON."""
        space = self._tree.space
        dim = space.palette.dim
        held = parsed(value) if is_open else held_json(value)
        if held is not None:
            pieces: list[Piece] = [("text of JSON ", dim), *value_pieces(held, space)]
            pieces += [] if is_open else preview_pieces(held, space)
            return fit([*before, *pieces], space.width, space.glyphs.ellipsis)
        length: Piece = (f"  {counted(len(value), 'character')}", dim)
        room = max(1, space.width - len(length[0]))
        shown = value[: 2 * space.width].lstrip().replace("\n", " ")
        more = " " + space.glyphs.ellipsis
        strip = fit([*before, (shown + more, space.palette.string)], room, space.glyphs.ellipsis)
        return strip_of([*strip, Segment(*length)]).crop(0, space.width)

    def _label(self, index: int) -> Label:
        palette = self._tree.space.palette
        keys = self._members.keys
        if self._bare:
            return []
        if keys is None:
            return [(f"{index:<{self._digits}} ", palette.dim)]
        return [(clean(str(keys[index])[:200]), palette.accent), (": ", palette.dim)]

    def _label_width(self, index: int) -> int:
        return sum(width_of(text) for text, _ in self._label(index))


class _Text:
    """A text that is open: its first row stands behind its label, or all of it below."""

    def __init__(self, tree: _Tree, value: str, depth: int, label_width: int) -> None:
        space = tree.space
        self._space = space
        self.first: list[Piece] = []
        style = space.palette.string
        room = tree.room(depth) - label_width
        broken = len(value) <= min(_WRAPPED, tree.wrapped_left)
        block = "\n" in value or not broken or room < space.width // 2
        self._before = tree.indent(depth) + _INDENT + (0 if block else label_width)
        if not block:
            rows = wrap([(value, style)], room)
            self.first = rows[0]
            self._rows: LazyLines = Rows(rows[1:], space)
        elif broken and not _lines_fit(value, tree.room(depth)):
            self._rows = Rows(wrap([(value.rstrip("\n"), style)], tree.room(depth)), space)
        else:
            broken = False
            self._rows = text_rows(value, _narrowed(space, tree.room(depth)), style)
        tree.wrapped_left -= len(value) if broken else 0
        self.height = self._rows.height

    def strips(self, start: int, stop: int) -> Iterator[Strip]:
        """Rows `start` to `stop` below the one with the label."""
        before = Segment(" " * self._before)
        for strip in self._rows.strips(start, stop):
            joined = strip_of([before, *strip])
            wide = joined.cell_length > self._space.width
            yield joined.crop(0, self._space.width) if wide else joined

    def row_text(self, row: int, cell: int) -> RowText | None:
        """The text without its indentation."""
        text = row_text(self._rows, row, cell)
        return text and text.behind(self._before)


class _Root:
    """The whole tree as a body."""

    def __init__(self, tree: _Tree, node: _Node) -> None:
        self._tree = tree
        self._node = node
        self.height = node.height

    def strips(self, start: int, stop: int) -> list[Strip]:
        return list(self._node.strips(max(0, start), min(stop, self.height)))

    def fold_at(self, row: int) -> str | None:
        return self._node.fold_at(row) if 0 <= row < self.height else None

    def row_text(self, row: int, cell: int) -> RowText | None:
        return self._node.row_text(row, cell)


def _fits(text: str, room: int) -> bool:
    """Return whether a text fits in one row."""
    size = len(text)
    if size > 4 * max(1, room) or "\n" in text:
        return False
    return 2 * size + 2 <= room or width_of(clean(text)) + 2 <= room


def _lines_fit(text: str, room: int) -> bool:
    """Return True if no line of a text needs to be broken."""
    widest = max(map(len, text.split("\n")))
    return widest <= (room if text.isascii() and "\t" not in text else room // 2)


def _narrowed(space: RenderContext, width: int) -> RenderContext:
    return RenderContext(width, space.palette, glyphs=space.glyphs)
