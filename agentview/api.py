"""The stable import surface: for programs that read sessions, and for providers of others.

docs/api.md describes how sessions are read, docs/providers.md how a provider is written.
"""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from agentview.domain.content import (
    Block,
    ImageBlock,
    JsonBlock,
    ResourceBlock,
    TextBlock,
)
from agentview.domain.events import (
    Attachment,
    Body,
    Branch,
    Compaction,
    Event,
    Facts,
    Hidden,
    Level,
    Message,
    Notification,
    Reasoning,
    Reset,
    Rewind,
    SlashCommand,
    Title,
    TitleSource,
    TokenUsage,
    ToolInput,
    ToolProgress,
    ToolResult,
    Topic,
    Unparsed,
    User,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import MAIN_STREAM, SessionInfo, SessionRef, Stream, StreamKind
from agentview.domain.tool_inputs import (
    ApprovalPayload,
    AskOption,
    AskPayload,
    AskQuestion,
    DeletePayload,
    EditPayload,
    FileEdit,
    FileOperation,
    Finding,
    GlobPayload,
    Goal,
    GoalAction,
    GoalPayload,
    GrepPayload,
    LintsPayload,
    LsPayload,
    McpPayload,
    MemoryAction,
    MemoryPayload,
    MemoryStep,
    NotebookEditPayload,
    Payload,
    PlanAction,
    PlanPayload,
    ReadPayload,
    ReviewPayload,
    ScheduleAction,
    ScheduledJob,
    SchedulePayload,
    SemSearchPayload,
    SendMessagePayload,
    ShellAction,
    ShellPayload,
    SkillPayload,
    SubagentPayload,
    TextEdit,
    Timing,
    TodoItem,
    TodosAction,
    TodosPayload,
    TodoStatus,
    ToolSearchPayload,
    TopicPayload,
    UnknownPayload,
    WebFetchPayload,
    WebSearchPayload,
    WritePayload,
)
from agentview.domain.tool_results import (
    AskAnswer,
    AskResult,
    ChangeResult,
    Diagnostic,
    FileChange,
    GoalResult,
    Hunk,
    LintsResult,
    Match,
    MatchResult,
    Memory,
    MemoryResult,
    NotebookCell,
    PathsResult,
    PlanResult,
    ReadResult,
    Result,
    ScheduleResult,
    SearchHit,
    SearchResult,
    ShellResult,
    SubagentResult,
    TodosResult,
    ToolSearchResult,
    WebFetchResult,
    WebHit,
    WebSearchResult,
)
from agentview.domain.tools import (
    Denial,
    DeniedBy,
    ShellReading,
    ShellStep,
    ToolCall,
    ToolKind,
    ToolOrigin,
    ToolState,
)
from agentview.domain.usage import Usage
from agentview.domain.value import Value
from agentview.normalize.build import tool_call
from agentview.normalize.classify import classify
from agentview.normalize.json_fields import items, mapping, number, real, text
from agentview.normalize.json_values import changed, time_of
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import ToolSpec
from agentview.providers import map_tool_name_to_kind
from agentview.providers._kit.database_logs import DatabaseLogs
from agentview.providers._kit.discovery import LogFiles, first_record
from agentview.providers._kit.reading import make_reading
from agentview.providers._kit.result_text import ResultText, refusal
from agentview.providers._kit.session_info import overview, whole_lines
from agentview.providers._kit.signatures import Signature
from agentview.providers._kit.speakers import Divided, Form, Speaker, divided, spoken_events
from agentview.providers._kit.tool_table import tool, tools
from agentview.providers._kit.typed_records import Records, TypedBuilder, TypedLines
from agentview.providers.base import (
    Capability,
    Discovery,
    Documents,
    Evidence,
    Provider,
    Reading,
    RecordTypeKeys,
)
from agentview.reports.export.encoding import to_json_line
from agentview.reports.export.open_log import JoinedEvent, SessionLog
from agentview.sources.files import files_below, read_ends, read_part
from agentview.sources.member import (
    Database,
    Member,
    MemberStatus,
    Sessions,
    Table,
    member_of,
    member_path,
)


def open_log(
    target: str | PathLike[str], *, subagents: bool = True, mask: bool = False
) -> SessionLog:
    """The session whose log is at a path, or whose id begins with `target`.

    `subagents` adds the logs of the agents that it started. With `mask`, secrets in what was said
    and done are masked. Raises `agentview.errors.AgentViewError` with a sentence and a hint where
    there is no such session, or where there are several.
    """
    # Providers import this module too, and need nothing of what finds sessions.
    from agentview.sessions.targets.log_file import Choice
    from agentview.sessions.targets.target import resolve

    return SessionLog(resolve(str(target), Choice()), subagents=subagents, mask=mask)


def sessions(provider: str | None = None, directory: Path | None = None) -> Sequence[SessionRef]:
    """All sessions of this machine, or those below a directory, the newest first.

    Sub-agents are left out, unless their session is gone. `provider` is a name as `agentview
    providers` lists them. Raises `agentview.errors.AgentViewError` for an unknown one.
    """
    from agentview.sessions.library.subagent_tree import main_sessions
    from agentview.sessions.targets.session_query import all_refs, refs_in

    found = all_refs(provider) if directory is None else refs_in(directory, provider)
    return main_sessions(found)


def model_of(cls: type[Value]) -> type[Any]:
    """The pydantic model of a class of this module, such as `ToolCall` or `EditPayload`.

    It validates what `to_json_line` makes of a value.
    """
    # pydantic takes long to import, and most programs need none of it.
    from agentview.reports.export import schema

    return schema.model_of(cls)


def validate_line(line: str | bytes) -> Any:
    """The pydantic model of a line of `agentview events`, whose attributes are the keys.

    Raises pydantic.ValidationError, which says what is wrong at which place. `to_json_line` makes a
    line of `JoinedEvent.fields`.
    """
    from agentview.reports.export import schema

    return schema.validate_line(line)


def line_schema() -> dict[str, Any]:
    """The JSON Schema of these lines, as `agentview events --schema` prints it."""
    from agentview.reports.export import schema

    return schema.line_schema()


__all__ = [
    "FAMILIES",
    "MAIN_STREAM",
    "ApprovalPayload",
    "AskAnswer",
    "AskOption",
    "AskPayload",
    "AskQuestion",
    "AskResult",
    "Attachment",
    "Block",
    "Body",
    "Branch",
    "Capability",
    "ChangeResult",
    "Compaction",
    "Database",
    "DatabaseLogs",
    "DeletePayload",
    "Denial",
    "DeniedBy",
    "Diagnostic",
    "Discovery",
    "Divided",
    "Documents",
    "EditPayload",
    "Event",
    "Evidence",
    "Facts",
    "FileChange",
    "FileEdit",
    "FileOperation",
    "Finding",
    "Form",
    "GlobPayload",
    "Goal",
    "GoalAction",
    "GoalPayload",
    "GoalResult",
    "GrepPayload",
    "Hidden",
    "Hunk",
    "ImageBlock",
    "JoinedEvent",
    "JsonBlock",
    "Level",
    "LintsPayload",
    "LintsResult",
    "LogFiles",
    "LsPayload",
    "Match",
    "MatchResult",
    "McpPayload",
    "Member",
    "MemberStatus",
    "Memory",
    "MemoryAction",
    "MemoryPayload",
    "MemoryResult",
    "MemoryStep",
    "Message",
    "NotebookCell",
    "NotebookEditPayload",
    "Notification",
    "PathsResult",
    "Payload",
    "PlanAction",
    "PlanPayload",
    "PlanResult",
    "Provider",
    "ReadPayload",
    "ReadResult",
    "Reading",
    "Reasoning",
    "RecordTypeKeys",
    "Records",
    "Reset",
    "ResourceBlock",
    "Result",
    "ResultText",
    "ReviewPayload",
    "Rewind",
    "ScheduleAction",
    "SchedulePayload",
    "ScheduleResult",
    "ScheduledJob",
    "SearchHit",
    "SearchResult",
    "SemSearchPayload",
    "SendMessagePayload",
    "SessionInfo",
    "SessionLog",
    "SessionRef",
    "Sessions",
    "ShellAction",
    "ShellPayload",
    "ShellReading",
    "ShellResult",
    "ShellStep",
    "Signature",
    "SkillPayload",
    "SlashCommand",
    "SourceRef",
    "Speaker",
    "Stream",
    "StreamKind",
    "SubagentPayload",
    "SubagentResult",
    "Table",
    "TextBlock",
    "TextEdit",
    "Timing",
    "Title",
    "TitleSource",
    "TodoItem",
    "TodoStatus",
    "TodosAction",
    "TodosPayload",
    "TodosResult",
    "TokenUsage",
    "ToolCall",
    "ToolInput",
    "ToolKind",
    "ToolOrigin",
    "ToolProgress",
    "ToolResult",
    "ToolSearchPayload",
    "ToolSearchResult",
    "ToolSpec",
    "ToolState",
    "Topic",
    "TopicPayload",
    "TypedBuilder",
    "TypedLines",
    "UnknownPayload",
    "Unparsed",
    "Usage",
    "User",
    "Value",
    "WebFetchPayload",
    "WebFetchResult",
    "WebHit",
    "WebSearchPayload",
    "WebSearchResult",
    "WritePayload",
    "changed",
    "classify",
    "divided",
    "files_below",
    "first_record",
    "items",
    "line_schema",
    "make_reading",
    "map_tool_name_to_kind",
    "mapping",
    "member_of",
    "member_path",
    "model_of",
    "number",
    "open_log",
    "overview",
    "read_ends",
    "read_part",
    "real",
    "refusal",
    "sessions",
    "spoken_events",
    "text",
    "time_of",
    "to_json_line",
    "tool",
    "tool_call",
    "tools",
    "validate_line",
    "whole_lines",
]
