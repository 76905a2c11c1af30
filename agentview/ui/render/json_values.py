"""Values of JSON in short: their members, what a text of JSON holds, and one row about each."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import cast

import orjson

from agentview.timeline.format_numbers import counted
from agentview.ui.render.lazy_lines import Space
from agentview.ui.render.text_lines import Piece

MAX_SIZE = 16_000_000
"""Characters of a text that is parsed."""

_PARSED_UNASKED = 100_000
"""Characters of a text inside a value that is parsed to say what it holds."""
_PREVIEW_ITEMS = 12
_PREVIEW_TEXT = 60


@lru_cache(maxsize=2)
def parsed(text: str) -> object | None:
    """The list or mapping that a text is the JSON of, None when it is not or is too long.

    The last ones are kept: a tree is built anew whenever a part of it is folded.
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
    """Whether a text begins and ends as a list or mapping does."""
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


def value_pieces(value: object, space: Space) -> Iterator[Piece]:
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
    """Whether a text could be taken for a value of another type, or not be seen at all."""
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


def preview_pieces(value: object, space: Space) -> Iterator[Piece]:
    """The first members of what is folded; of the very first one also what is in it."""
    if value and isinstance(value, (Mapping, list, tuple)):
        yield ("  ", space.palette.dim)
        yield from _first_members(cast("Sequence[object]", value), space, nested=True)


def _first_members(
    holder: Mapping[object, object] | Sequence[object], space: Space, *, nested: bool
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
