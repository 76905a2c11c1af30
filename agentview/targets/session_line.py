"""A session in one line, as error messages list several, and short ids."""

import time
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

from agentview.domain.session import SessionInfo
from agentview.timeline.format_numbers import UNKNOWN, ago
from agentview.timeline.sanitize import one_line

_GAP = "  "
_ID_CHARS = 8
"""Characters of a session's id that are shown at least."""


def describe(info: SessionInfo) -> str:
    """Return one line that identifies a session: its id, title, project and age."""
    ref = info.ref
    parts = (
        f"{ref.provider}:{ref.stream.id or ref.session_id}",
        info.title or UNKNOWN,
        home_relative(info.project),
        ago(info.last_activity or ref.modified, time.time()),
        ref.path,
    )
    return _GAP.join(one_line(part) for part in parts)


def home_relative(path: str | None) -> str:
    """A path with `~` for the home directory."""
    if path is None:
        return UNKNOWN
    home = str(Path.home())
    return f"~{path[len(home) :]}" if path == home or path.startswith(f"{home}/") else path


def short_ids(ids: Iterable[str]) -> dict[str, str]:
    """The shortest beginning of each id that no other one has; 8 characters at least."""
    ordered = sorted(set(ids))
    shared = [0, *(_alike(*pair) for pair in pairwise(ordered)), 0]
    return {
        each: each[: max(_ID_CHARS, shared[at] + 1, shared[at + 1] + 1)]
        for at, each in enumerate(ordered)
    }


def _alike(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
