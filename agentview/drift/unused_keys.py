"""Whether a key of a record, named by its path in a shape, is one that its provider reads."""

import re
from pathlib import Path

from agentview.drift.schema_inventory import Place
from agentview.errors import AgentViewError
from agentview.providers.base import Provider
from agentview.sources.open_file import read_at

_STEP = re.compile(r"\[[^\]]*\]|[^.\[]+")


def is_unread(provider: Provider, place: Place, path: str) -> bool | None:
    """Whether nothing reads the key of the record at a place; None when it cannot be told."""
    try:
        unread = provider.unused_keys(read_at(Path(place.path), place.offset, place.length))
    except AgentViewError:
        return None
    wanted = pointer_pattern(path)
    return any(wanted.match(f"{pointer}/") for pointer in unread)


def pointer_pattern(path: str) -> re.Pattern[str]:
    """Matches pointers, each with a slash behind it, of the key at a path or of what it is in."""
    steps = _STEP.findall(path)
    parts = ["[^/]*" if step.startswith("[") or step == "*" else re.escape(step) for step in steps]
    pattern = ""
    for part in reversed(parts):
        pattern = f"/{part}(?:/$|{pattern})" if pattern else f"/{part}/$"
    return re.compile(pattern)
