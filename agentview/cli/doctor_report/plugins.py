"""Plug-ins are asked for what they say of their newest logs: a wrong answer is reported there."""

import os
from collections.abc import Iterable
from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError
from agentview.providers import load_provider, plugin_names
from agentview.sessions.following.whole_session import load_session
from agentview.sources.member import Member

_LOGS = 3
"""The newest logs of a plug-in that are read."""
_MOST_BYTES = 2 * 1024 * 1024
"""Longer ones are left out."""


def ask_plugins(roots: Iterable[tuple[str, Path]]) -> None:
    """Read the newest logs of each plug-in; see `plugin_faults` for what was wrong."""
    names = plugin_names()
    for name in names:
        # A decoder that cannot be imported shows without a log too.
        _ = load_provider(name).reading
    for name, root in roots:
        if name in names:
            provider = load_provider(name)
            for entry in sorted(provider.discovery.files(root), key=_changed)[-_LOGS:]:
                ref = provider.session_in(Path(entry.path))
                if ref is not None:
                    _read(ref)


def _changed(entry: os.DirEntry[str] | Member) -> float:
    try:
        return entry.stat().st_mtime
    except OSError:
        return 0.0


def _read(ref: SessionRef) -> None:
    if (ref.size or 0) > _MOST_BYTES:
        return
    try:
        load_provider(ref.provider).info(ref)
        session = load_session(ref)
        for row in range(session.first, session.end):
            session.activity(row)
    except AgentViewError:
        # That a log cannot be read is said where the logs are listed.
        return
