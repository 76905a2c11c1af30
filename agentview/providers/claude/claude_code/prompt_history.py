"""The history of prompts of Claude Code: `history.jsonl`, which stays when logs are deleted.

A line is a prompt as it was typed: `display`, `timestamp` in milliseconds, `project`, and since
2.0 `sessionId`. Known from public descriptions.
"""

from collections.abc import Sequence
from pathlib import Path

import orjson

from agentview.normalize.json_values import fields_of
from agentview.providers.base import KeptPrompts
from agentview.sources.files import read_part

_NAME = "history.jsonl"
_MOST_BYTES = 256 << 20


def kept_prompts(root: Path) -> Sequence[KeptPrompts]:
    """The prompts by session, from the history next to a folder `projects`."""
    path = root.parent / _NAME
    # Opened only where it is a file: a pipe of that name would be waited for.
    data = read_part(path, 0, _MOST_BYTES) if path.is_file() else b""
    prompts: dict[str, list[tuple[float | None, str]]] = {}
    projects: dict[str, str] = {}
    for line in data.splitlines():
        try:
            fields = fields_of(orjson.loads(line))
        except ValueError:
            continue
        session, text = fields.get("sessionId"), fields.get("display")
        if not isinstance(session, str) or not session or not isinstance(text, str):
            continue
        prompts.setdefault(session, []).append((_seconds(fields.get("timestamp")), text))
        project = fields.get("project")
        if isinstance(project, str):
            projects[session] = project
    return [
        KeptPrompts(session, projects.get(session), tuple(found))
        for session, found in prompts.items()
    ]


def _seconds(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value / 1000
