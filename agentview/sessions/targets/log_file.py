"""The session that a file holds; it takes nothing of what finds the others to know it."""

import os
from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.domain.value import Value
from agentview.errors import Unreadable, UsageError, choices_hint
from agentview.providers import load_provider, provider_names, recognise
from agentview.providers.base import HEAD_BYTES
from agentview.sources.member import folder_form, is_member, member_of
from agentview.sources.open_file import read_head

PIPE = "-"
"""TARGET of a log that comes through standard input."""
ALL = "@all"
"""TARGET of all sessions."""


class Choice(Value):
    """Conditions that narrow a choice; `newest` takes the last active session of a directory.

    With `starting`, a client that runs and has no log yet is a live session too.
    """

    provider: str | None = None
    project: str | None = None
    newest: bool = False
    starting: bool = False


def chosen_providers(name: str | None) -> tuple[str, ...]:
    """All providers, or the one called `name`. Raises UsageError when there is none such."""
    names = provider_names()
    if name is None:
        return names
    if name not in names:
        raise UsageError(f"Unknown provider: {name}.", choices_hint(name, names))
    return (name,)


def is_file(path: Path) -> bool:
    """Say whether there is something to read at a path, or a link to what is gone.

    A session in a database has a path below it, one that is a directory the path of that.
    """
    if folder_form(path) is not None:
        return True
    there = path.exists() or path.is_symlink() or member_of(path) is not None
    return there and not path.is_dir()


def is_folder_of_logs(path: Path) -> bool:
    """Return True for a directory that holds logs, and is not a session itself."""
    return path.is_dir() and folder_form(path) is None


def file_session(path: Path, provider: str | None = None, name: str | None = None) -> SessionRef:
    """The session that a file holds, by its content; `provider` says what to read it as.

    `name` is what an error calls the file.
    """
    name = name or str(path)
    head = _early_line(path) or read_head(path, HEAD_BYTES)
    if provider is not None:
        return load_provider(chosen_providers(provider)[0]).discovery.ref(path)
    if not head.strip():
        raise Unreadable(
            f"{name} is empty.", "With 'agentview tail --wait' it is opened once it has content."
        )
    found = recognise(head, path)
    if found is not None:
        return found.discovery.ref(path)
    if b"\x00" in head:
        hint = _where_the_session_is(path) or "A session log is text, one record a line."
        raise Unreadable(f"{name} is a binary file.", hint)
    raise not_recognised(name, path)


def _early_line(path: Path) -> bytes:
    if not is_member(path):
        return b""
    # Imported here: most logs are files.
    from agentview.sources.open_member import early_line

    return early_line(path)


def not_recognised(name: str, path: Path | None = None) -> Unreadable:
    """The error that says that something is not a log of a known format.

    A file at `path` may be one of those that a client keeps next to its logs.
    """
    near = None if path is None else _where_the_session_is(path)
    return Unreadable(
        f"{name} is not a session log of a known format.",
        near or "To force a format, use --provider NAME; 'agentview providers' lists the names.",
    )


def _where_the_session_is(path: Path) -> str | None:
    """A sentence about the sessions near a file; None where there are none."""
    # Imported here: nearly all files are sessions.
    from agentview.sessions.targets.nearby_session import sessions_near

    found = sessions_near(path)
    if not found:
        return None
    labels = " and ".join(sorted({load_provider(ref.provider).label for ref in found}))
    if len(found) == 1:
        return f"A session of {labels} is next to it: {found[0].path}"
    place = os.path.commonpath([ref.path for ref in found])
    return f"Sessions of {labels} are next to it, in {place}"
