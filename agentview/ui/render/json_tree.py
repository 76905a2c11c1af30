"""A JSON value as an indented tree, with what is long in it shown in part and counted."""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from rich.cells import cell_len
from rich.style import Style

from agentview.timeline.plain import clean
from agentview.timeline.quantities import counted
from agentview.ui.render.body import Body, Space
from agentview.ui.render.lines import Piece, Rows, wrap

MAX_ROWS = 2_000
MAX_ITEMS = 200
"""Items of one list or mapping that are shown."""
MAX_TEXT = 4_000
"""Characters of one text that are shown."""
MAX_DEPTH = 30

_INDENT = 2


def json_tree(value: object, space: Space) -> Body:
    """The value with one row for each plain member; texts are wrapped or shown line by line."""
    rows: list[list[Piece]] = []
    for row in _rows(value, space, 0, ()):
        if len(rows) == MAX_ROWS:
            rows.append(
                [(f"{space.glyphs.ellipsis} the rest is in the raw view", space.palette.dim)]
            )
            break
        rows.append(row)
    return Rows(rows, space)


def _rows(value: object, space: Space, depth: int, label: Sequence[Piece]) -> Iterator[list[Piece]]:
    if isinstance(value, Mapping):
        members = cast("Mapping[object, object]", value)
        yield from _members(
            [(_key(key, space), item) for key, item in _first(members.items())],
            len(members),
            "field",
            space,
            depth,
            label,
        )
    elif isinstance(value, (list, tuple)):
        items = cast("Sequence[object]", value)
        bullet: list[Piece] = [(f"{space.glyphs.bullet} ", space.palette.dim)]
        yield from _members(
            [(bullet, item) for item in items[:MAX_ITEMS]], len(items), "item", space, depth, label
        )
    else:
        yield from _plain(value, space, depth, label)


def _first(items: Iterator[tuple[object, object]] | object) -> Iterator[tuple[object, object]]:
    pairs = cast("Iterator[tuple[object, object]]", iter(cast("Sequence[object]", items)))
    for _, pair in zip(range(MAX_ITEMS), pairs, strict=False):
        yield pair


def _key(key: object, space: Space) -> list[Piece]:
    return [(clean(str(key)[:200]), space.palette.accent), (": ", space.palette.dim)]


def _members(
    members: Sequence[tuple[Sequence[Piece], object]],
    count: int,
    noun: str,
    space: Space,
    depth: int,
    label: Sequence[Piece],
) -> Iterator[list[Piece]]:
    dim = space.palette.dim
    if not count:
        yield [*_indent(depth), *label, (f"no {noun}s", dim)]
        return
    if depth >= MAX_DEPTH:
        yield [*_indent(depth), *label, (counted(count, noun), dim)]
        return
    inner = depth
    if label:
        yield [*_indent(depth), *_header(label), (f" {counted(count, noun)}", dim)]
        inner = depth + 1
    for before, item in members:
        if noun == "item" and _is_nested(item):
            yield from _after_bullet(list(_rows(item, space, inner + 1, ())), before, inner)
        else:
            yield from _rows(item, space, inner, before)
    if count > len(members):
        more = f"{space.glyphs.ellipsis} {count - len(members):,} more {noun}s"
        yield [*_indent(inner), (more, dim)]


def _is_nested(value: object) -> bool:
    return isinstance(value, (Mapping, list, tuple)) and bool(cast("Sequence[object]", value))


def _after_bullet(
    rows: Sequence[list[Piece]], bullet: Sequence[Piece], depth: int
) -> Iterator[list[Piece]]:
    """Rows of a nested value, the bullet in the room before the first of them."""
    for number, row in enumerate(rows):
        yield row if number else [*_indent(depth), *bullet, *row[1:]]


def _header(label: Sequence[Piece]) -> list[Piece]:
    """A key without its colon, above its members."""
    return [(text, style) for text, style in label if text != ": "]


def _plain(
    value: object, space: Space, depth: int, label: Sequence[Piece]
) -> Iterator[list[Piece]]:
    text, style = _written(value, space)
    more = len(text) - MAX_TEXT
    text = text[:MAX_TEXT]
    if "\n" in text.rstrip("\n") and label:
        yield [*_indent(depth), *_header(label)]
        yield from _block(text, style, space, depth + 1)
    elif "\n" in text:
        yield from _block(text, style, space, depth)
    else:
        yield from _wrapped(clean(text), style, space, depth, label)
    if more > 0:
        note = f"{space.glyphs.ellipsis} {counted(more, 'more character')}"
        yield [*_indent(depth + 1), (note, space.palette.dim)]


def _written(value: object, space: Space) -> tuple[str, Style]:
    palette = space.palette
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value], palette.literal
    if isinstance(value, (int, float)):
        try:
            return str(value), palette.number
        except ValueError:
            return "a number of very many digits", palette.number
    if isinstance(value, str):
        return (value, palette.text) if value else ("empty text", palette.dim)
    return str(value), palette.text


def _block(text: str, style: Style, space: Space, depth: int) -> Iterator[list[Piece]]:
    for line in text.rstrip("\n").split("\n"):
        yield from _wrapped(clean(line), style, space, depth, ())


def _wrapped(
    text: str, style: Style, space: Space, depth: int, label: Sequence[Piece]
) -> Iterator[list[Piece]]:
    before = sum(cell_len(part) for part, _ in label)
    room = max(8, space.width - _INDENT * depth - before)
    hanging: list[Piece] = [*_indent(depth), (" " * before, style)]
    for number, row in enumerate(wrap([(text, style)], room)):
        yield [*(hanging if number else [*_indent(depth), *label]), *row]


def _indent(depth: int) -> list[Piece]:
    return [(" " * (_INDENT * depth), Style.null())] if depth else []
