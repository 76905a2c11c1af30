"""A session in one line, as error messages list several, and short ids."""

import os
import time
from collections.abc import Iterable, Sequence
from itertools import pairwise

from agentview.domain.session import SessionInfo
from agentview.timeline.view.format_numbers import UNKNOWN, ago
from agentview.timeline.view.sanitize import one_line

_GAP = "  "
_TITLE = 40
"""Characters of a title in a list to choose from."""
_ID_CHARS = 8
"""Characters of a session's id that are shown at least."""


def describe(info: SessionInfo) -> str:
    """Return one line that identifies a session: its id, title, project and age."""
    ref = info.ref
    parts = (
        f"{ref.provider}:{ref.own_id}",
        info.title or UNKNOWN,
        home_relative(info.project),
        ago(info.last_activity or ref.modified, time.time()),
        ref.path,
    )
    return _GAP.join(one_line(part) for part in parts)


def choices(
    infos: Sequence[SessionInfo], ids: Iterable[str], *, with_paths: bool = False
) -> list[str]:
    """A short line for each session to choose from: the beginning of its id, age, title, project.

    `ids` are those of all sessions that it has to differ from. With `with_paths`, its path comes
    last, since the id may be that of several.
    """
    now, short = time.time(), short_ids(ids)
    names = [
        f"{ref.provider}:{one_line(short[ref.own_id])}" for ref in (info.ref for info in infos)
    ]
    ages = [ago(info.last_activity or info.ref.modified, now) for info in infos]
    columns = [_padded(names), _padded(ages), _padded([_short(info) for info in infos])]
    ends = [
        one_line(info.ref.path if with_paths else home_relative(info.project)) for info in infos
    ]
    return [_GAP.join(parts) for parts in zip(*columns, ends, strict=True)]


def _short(info: SessionInfo) -> str:
    return one_line(info.title or UNKNOWN, _TITLE)


def _padded(texts: Sequence[str]) -> list[str]:
    width = max(map(len, texts), default=0)
    return [text.ljust(width) for text in texts]


def home_relative(path: str | None) -> str:
    """A path with `~` for the home directory."""
    if path is None:
        return UNKNOWN
    home = os.path.expanduser("~")  # noqa: PTH111  (asked for thousands)
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
    """How many characters two ids begin with alike; 0 for fewer than are shown anyway."""
    if one[:_ID_CHARS] != other[:_ID_CHARS]:
        return 0
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
