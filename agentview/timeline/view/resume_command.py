"""The line that a person types to continue with a session in the client that wrote it."""

import shlex
from pathlib import Path

from msgspec.structs import replace

from agentview.domain.record_ref import SourceRef
from agentview.domain.session import MAIN_STREAM, SessionRef
from agentview.errors import AgentViewError
from agentview.providers.base import Provider
from agentview.sources.open_file import read_head

_HEAD = 256 * 1024
"""Bytes of a log in which it says where it was begun."""


def resume_line(provider: Provider, ref: SessionRef, cwd: str | None) -> str | None:
    """`cd DIR && COMMAND` for a POSIX shell, None where the client cannot go on with the session.

    DIR is where the session was begun, since clients look for their sessions there; `cwd` is what
    is taken where the log does not say. Of an agent's log, the line is that of its parent. There is
    none either where a name has control characters: a shell, or a terminal, might act on them.
    """
    if ref.parent_id is not None:
        ref = replace(ref, parent_id=None, stream=MAIN_STREAM)
    command = provider.resume_command(ref)
    if not command:
        return None
    place = begun_in(provider, ref) or cwd
    line = shlex.join(command)
    if place:
        line = f"{shlex.join(['cd', *(['--'] if place.startswith('-') else []), place])} && {line}"
    return line if line.isprintable() else None


def begun_in(provider: Provider, ref: SessionRef) -> str | None:
    """Return the working directory of the first record of a log that has one."""
    try:
        head = read_head(Path(ref.path), _HEAD)
    except AgentViewError:
        return None
    offset = 0
    for record in head.splitlines(keepends=True):
        if not record.endswith(b"\n"):
            break
        data = record.rstrip(b"\r\n")
        for event in provider.decode(data, SourceRef(ref.path, offset, len(data)), ref):
            if event.facts is not None and event.facts.cwd:
                return event.facts.cwd
        offset += len(record)
    return None
