"""What the outlines of all records have in common: the envelope, and records of one event."""

from functools import lru_cache

from agentview.domain.activity import RowKind
from agentview.domain.events import Facts
from agentview.domain.index_entry import KIND_CODES, EventFact, Flag, Role, Signal, make
from agentview.domain.session import Stream
from agentview.normalize.json_values import time_of
from agentview.providers.claude.claude_code.outline_models import Header

Outline = tuple[EventFact, ...]

HIDDEN = KIND_CODES[RowKind.HIDDEN]


@lru_cache(maxsize=256)
def facts_of(
    cwd: str | None, branch: str | None, model: str | None, version: str | None, mode: str | None
) -> Facts | None:
    """What an envelope says about the session; None when it says nothing."""
    known = (cwd or None, branch or None, model or None, version or None, mode or None)
    return Facts(*known) if any(known) else None


def told(header: Header) -> Facts | None:
    """What the envelope of a record that no model wrote says about the session."""
    return facts_of(header.cwd, header.git_branch, None, header.version, header.permission_mode)


def record_of(header: Header) -> str | None:
    """The id of a record. An id has no blanks: a text that stands for a removed one is none."""
    uuid = header.uuid
    return uuid if uuid and " " not in uuid else None


def twin(uuid: str | None, suffix: str) -> str | None:
    """The key by which copies of an event are found."""
    # An id has no blanks; a text that stands for a removed id must not make twins.
    return f"{uuid}:{suffix}" if uuid and " " not in uuid else None


def event(
    header: Header, side: Stream | None, flags: int, kind: int, suffix: str,
    key: str | None = None, role: int = Role.NONE, signal: int = Signal.NONE,
) -> Outline:  # fmt: skip
    """A record that is one event."""
    uuid = record_of(header)
    twin_key = f"{uuid}:{suffix}" if uuid is not None else None
    return (
        make(EventFact, (
            0, kind, flags, role, key, twin_key, None, False, None, side, None, signal,
            time_of(header.timestamp), None, None, told(header), None, None, uuid,
            header.parent_uuid or None, None,
        )),
    )  # fmt: skip


def hidden(header: Header, side: Stream | None, flags: int) -> Outline:
    """A record that is bookkeeping of the client."""
    return event(header, side, flags | Flag.BOOKKEEPING, HIDDEN, "hidden")
