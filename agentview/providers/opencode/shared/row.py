"""A row of a table, and what rows of all versions have in common."""

from functools import lru_cache
from typing import Any

from msgspec import field

from agentview.domain.events import Facts
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.usage import Usage
from agentview.normalize.json_fields import mapping
from agentview.normalize.json_values import Fields, time_of, whole_of
from agentview.providers._kit.typed_records import TypedBuilder
from agentview.providers.opencode.shared.schema import (
    Cached,
    Data,
    Projected,
    Row,
    State,
    Tokens,
)

FINE = (None, 0)
"""Exit codes of commands that did not fail."""
ON = frozenset({"", "tool-calls", "unknown"})
"""Reasons to finish after which the model continues."""
_NO_DATA, _NO_MESSAGE, _NO_STATE = Data(), Projected(), State()
_NOT_CACHED = Cached()


class OpenCodeRow(TypedBuilder[Row], gc=False):
    """A row of a table, which the client may write again."""

    data: Data = field(default_factory=Data)
    message: Projected = field(default_factory=Projected)
    """Of a row of `session_message`, in place of the data."""

    @property
    def values(self) -> Fields:
        """The values of the data, for what is not declared of it."""
        found: Any = self.fields
        for step in self.path:
            found = found[step]
        return mapping(found)

    @property
    def state(self) -> State:
        return self.data.state or _NO_STATE

    @property
    def state_values(self) -> Fields:
        return mapping(self.values.get("state"))

    @property
    def exit(self) -> int | None:
        """The exit code of a command."""
        metadata = self.state.metadata
        return None if metadata is None else whole_of(metadata.exit)


def row_of(record: Row, raw: bytes, source: SourceRef, session: SessionRef) -> OpenCodeRow:
    """The row of a line; its data, or its message, is at `path`."""
    own = record.id or None
    path = ("data",) if record.message is None else ("message",)
    return OpenCodeRow(
        record, raw, source, session, session.session_id, session.stream,
        time_of(record.time_created), own, path=path, rewritten_id=own, keeps_place=True,
        data=record.data or _NO_DATA, message=record.message or _NO_MESSAGE,
    )  # fmt: skip


@lru_cache(maxsize=256)
def placed(cwd: str | None, model: str | None, mode: str | None) -> Facts:
    return Facts(cwd=cwd, model=model, mode=mode)


def usage_of(tokens: Tokens) -> Usage | None:
    """The tokens of a response; None while none were counted."""
    cache = tokens.cache or _NOT_CACHED
    fresh, output = whole_of(tokens.input), whole_of(tokens.output)
    reasoning = whole_of(tokens.reasoning)
    read, written = whole_of(cache.read), whole_of(cache.write)
    if not (fresh or output or reasoning or read or written):
        return None
    # What was thought is counted next to the output.
    whole = None if output is None else output + (reasoning or 0)
    return Usage(fresh, read, written, whole, reasoning)
