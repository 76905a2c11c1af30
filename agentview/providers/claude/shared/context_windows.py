"""How many tokens Claude's models hold."""

import re

_WINDOW = re.compile(r"\[([0-9]+)([mk])\]", re.IGNORECASE)
_SIZES = {"k": 1_000, "m": 1_000_000}
_KNOWN_WINDOWS = (
    (re.compile(r"claude-3-|claude-(?:opus|sonnet|haiku)-4(?:-[015])?(?:-2[0-9]{7})?$"), 200_000),
    (re.compile(r"claude-opus-5-5"), 1_000_000),
)
"""Windows that the client states in results it prints (`modelUsage.*.contextWindow`, 2.1.x) and, up
to generation 4.5, that the vendor documents."""


def context_window(model: str) -> int | None:
    """Tokens that a model holds: what its name says (`…[1m]`), else what is known of it."""
    stated = _WINDOW.search(model)
    if stated is not None:
        return int(stated[1]) * _SIZES[stated[2].lower()]
    return next((size for name, size in _KNOWN_WINDOWS if name.match(model)), None)
