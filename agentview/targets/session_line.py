"""A session in one line, as error messages list several."""

import time
from pathlib import Path

from agentview.domain.session import SessionInfo
from agentview.timeline.format_numbers import UNKNOWN, ago
from agentview.timeline.sanitize import one_line

_GAP = "  "


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
