"""Which clients that are read here are installed, whether they have sessions or not."""

import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError
from agentview.providers import load_provider
from agentview.sources.files import is_directory

_ANY = "00000000-0000-4000-8000-000000000000"
"""The id of a session, as most clients make them: a command may be given for such ids alone."""


def installed_clients(env: Mapping[str, str], roots: Iterable[tuple[str, Path]]) -> list[str]:
    """Display names of the installed clients, in the order of `roots`: names and places of logs.

    One is installed if such a place exists, or if the program that resumes its sessions is on the
    search path of `env`.
    """
    places: dict[str, list[Path]] = {}
    for name, root in roots:
        places.setdefault(name, []).append(root)
    return list(_found(env, places))


def _found(env: Mapping[str, str], places: Mapping[str, Iterable[Path]]) -> Iterator[str]:
    for name, roots in places.items():
        provider = load_provider(name)
        try:
            command = provider.resume_command(SessionRef(name, _ANY, "/session"))
        except AgentViewError:
            command = None
        program = command and shutil.which(command[0], path=env.get("PATH", ""))
        if program or any(map(is_directory, roots)):
            yield provider.label
