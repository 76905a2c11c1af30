"""Common parts of both forms of `agentview events`: types, keys, the shape of a line.

Each line is one JSON object. `v` is the version of the form; `agentview events --schema` prints the
JSON Schema. The default form is `joined`: one line for each activity of the session, as the
timeline shows it. The other form, `records` (`--records`), has one line for each fact as it was
read.
"""

from collections.abc import Mapping
from enum import StrEnum
from functools import cache

from msgspec.structs import asdict

from agentview.domain.activity import Kind, RowKind, row_kind
from agentview.domain.events import (
    Attachment,
    Body,
    Compaction,
    Event,
    Hidden,
    Message,
    Notification,
    Reasoning,
    SlashCommand,
    Title,
    TokenUsage,
    ToolInput,
    ToolProgress,
    ToolResult,
    Unparsed,
    User,
    event_id,
)
from agentview.domain.index_entry import Flag
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall, ToolState
from agentview.facts.accounting.outcome import RecordOutcome
from agentview.facts.accounting.session_report import UNREAD, fate_of_code
from agentview.reports.export.encoding import iso_time

VERSION = 2
"""Version of the form; it grows when a key changes its meaning or goes."""

TYPES: Mapping[type, str] = {
    User: "user",
    Reasoning: "reasoning",
    Message: "message",
    ToolCall: "tool_call",
    ToolResult: "tool_result",
    ToolProgress: "tool_progress",
    ToolInput: "tool_input",
    TokenUsage: "token_usage",
    Notification: "notification",
    SlashCommand: "slash_command",
    Title: "title",
    Compaction: "compaction",
    Attachment: "attachment",
    Hidden: "hidden",
    Unparsed: "unparsed",
}
"""`type` of a line by the class of the event's body."""

REQUEST = "permission_request"
"""`type` of a call that only asks for permission to make another one."""

TOPIC = "topic"
"""`type` of a call that only gives a heading to what follows."""

RESET = "reset"
"""`type` of a line that makes all earlier lines of its file void."""

CURSOR = "cursor"
"""`type` of a line of all sessions that says from where to continue behind it."""

OUTCOME = ("ok", "result", "output", "error", "denial", "interrupted")
TOOL = ("call_id", "kind", "origin", "canonical_name", "provider_name", "state")
"""Keys on the tool of a result; null where the call is not in the log."""

IDS_AND_PLACES = frozenset(
    {"id", "session", "record_id", "parent_id", "response_id", "call_id", "parent_call"}
    | {"records", "source", "replaced_by", "twin_of", "takes_place_of", "amends", "cursor"}
    | {"evidence"}
)
"""Keys of what leads to other lines and to the log: ids, places in files, cursors."""

Fields = dict[str, object]


class Status(StrEnum):
    """Whether a line counts."""

    ACTIVE = "active"
    ABANDONED = "abandoned"
    """The conversation went back to before it."""
    SUPERSEDED = "superseded"
    """Something else took its place."""
    DUPLICATE = "duplicate"
    """An earlier record says the same."""


_STATUS: Mapping[RecordOutcome, Status] = {
    RecordOutcome.TWIN: Status.DUPLICATE,
    RecordOutcome.REPLACED: Status.SUPERSEDED,
}


@cache
def status_of(fate_code: int, flags: int) -> Status:
    """The status of a row by the code of its fate and its flags."""
    if flags & Flag.REWOUND and not flags & Flag.SUPERSEDED:
        # The fate of bookkeeping, and of what cannot be read, is the same on every branch.
        return Status.ABANDONED
    fate = RecordOutcome.EVENT if fate_code == UNREAD else fate_of_code(fate_code)
    return _STATUS.get(fate, Status.ACTIVE)


def begin_line(event: Event, ref: SessionRef, line_id: str) -> Fields:
    """The keys that lines of both forms begin with."""
    line: Fields = {
        "v": VERSION,
        "id": line_id,
        "session": event.session_id,
        "provider": ref.provider,
        "stream": event.stream,
        "time": iso_time(event.time),
        "type": type_of(event.body),
    }
    if ref.parent_call is not None:
        line["parent_call"] = ref.parent_call
    return line


_TYPES_BY_KIND: Mapping[Kind, str] = {RowKind.REQUEST: REQUEST, RowKind.TOPIC: TOPIC}


def type_of(body: Body) -> str:
    return _TYPES_BY_KIND.get(row_kind(body)) or TYPES[type(body)]


def reset_line(ref: SessionRef, number: int, reason: str) -> Fields:
    """The line that makes all earlier lines of the log `ref` void: it is read again."""
    return {
        "v": VERSION,
        "id": event_id(ref.session_id, ref.path, f"{RESET}:{number}"),
        "session": ref.session_id,
        "provider": ref.provider,
        "stream": ref.stream,
        "time": None,
        "type": RESET,
        "source": {"file": ref.path, "line": None, "offset": 0, "length": 0},
        "reason": reason,
    }


def body_fields(body: Body) -> Fields:
    """The fields of a body by their keys."""
    fields: Fields = asdict(body)
    if isinstance(body, Title):
        return {renamed(Title, name): value for name, value in fields.items()}
    return fields


def loose_result(result: ToolResult) -> Fields:
    return {
        **dict.fromkeys(TOOL),
        **{name: getattr(result, name, None) for name in OUTCOME},
        "call_id": result.call_id,
        "state": _state(result),
    }


def renamed(cls: type, name: str) -> str:
    """The key of a field: its name, unless the envelope has that already."""
    return "title_source" if cls is Title and name == "source" else name


def _state(result: ToolResult) -> ToolState:
    if result.denial is not None:
        return ToolState.OUTPUT_DENIED
    return ToolState.OUTPUT_ERROR if result.ok is False else ToolState.OUTPUT_AVAILABLE
