"""Values of any size made short, with their structure kept: for traces that people read."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import cast

from agentview.drift.schema_inference import NOTHING, fits, merge, shape_of

MAX_CHARS = 1200
"""Characters of a text."""
MAX_ITEMS = 24
"""Items of a list; those that have another structure are kept beyond that."""

_SLACK = 64
"""Characters by which a text may be longer, so that a cut text is not cut again."""

_ENCODED_CHARS = 80
_ENCODED = re.compile(r"[A-Za-z0-9+/=_-]{400,}")
_MAX_DEPTH = 100


def cut(value: object, limit: int = MAX_CHARS) -> object:
    """The value with texts above `limit` characters cut at a line's end, and long lists shortened.

    It has the shape that it had. A text that is JSON is cut inside and stays JSON; what was cut
    says how much it was.
    """
    return _cut(value, limit, 0)


def _cut(value: object, limit: int, depth: int) -> object:
    if isinstance(value, str):
        return cut_text(value, limit)
    if isinstance(value, Mapping):
        if depth > _MAX_DEPTH:
            return {}
        fields = cast("Mapping[str, object]", value)
        return {key: _cut(item, limit, depth + 1) for key, item in fields.items()}
    if isinstance(value, list | tuple):
        items = cast("Sequence[object]", value) if depth <= _MAX_DEPTH else ()
        return [_cut(item, limit, depth + 1) for item in _kept(items)]
    return value


def _kept(items: Sequence[object]) -> list[object]:
    """The first items, and of the others those that bring something new."""
    kept = list(items[:MAX_ITEMS])
    if len(items) <= MAX_ITEMS:
        return kept
    shape = NOTHING
    for item in kept:
        shape = merge(shape, shape_of([item]))
    for item in items[MAX_ITEMS:]:
        if not fits(shape, [item]):
            kept.append(item)
            shape = merge(shape, shape_of([item]))
    return kept


def cut_text(text: str, limit: int = MAX_CHARS) -> str:
    """A text of at most `limit` characters, and what says how much was cut away."""
    if len(text) <= limit + _SLACK:
        return text
    if text.lstrip()[:1] in ("{", "["):
        try:
            return json.dumps(cut(json.loads(text), limit), ensure_ascii=False)
        except (ValueError, RecursionError):
            pass
    if _ENCODED.match(text):
        limit = _ENCODED_CHARS
    end = text.rfind("\n", limit // 2, limit)
    end = limit if end < 0 else end + 1
    return f"{text[:end]}… ({len(text) - end:,} more characters)"
