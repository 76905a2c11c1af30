"""The stable import surface for providers that others write; docs/providers.md builds one."""

from agentview.domain.content import ImageBlock, TextBlock
from agentview.domain.events import (
    Attachment,
    Body,
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
    Title,
    TitleSource,
    TokenUsage,
    ToolProgress,
    ToolResult,
    Topic,
    Unparsed,
    User,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import MAIN_STREAM, SessionInfo, SessionRef, Stream, StreamKind
from agentview.domain.tools import Denial, DeniedBy, ToolCall, ToolKind, ToolState
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.classify import classify
from agentview.normalize.json_fields import items, mapping, number, real, text
from agentview.normalize.json_values import changed
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import ToolSpec
from agentview.providers._kit.database_logs import DatabaseLogs
from agentview.providers._kit.discovery import LogFiles, first_record
from agentview.providers._kit.event_builder import EventBuilder
from agentview.providers._kit.json_line import RecordDecoder, line_events
from agentview.providers._kit.reading import make_reading
from agentview.providers._kit.session_info import overview, whole_lines
from agentview.providers.base import (
    Capability,
    Discovery,
    Documents,
    Evidence,
    Provider,
    Reading,
    RecordTypeKeys,
)
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

__all__ = [
    "FAMILIES",
    "MAIN_STREAM",
    "Attachment",
    "Body",
    "Capability",
    "Compaction",
    "Database",
    "DatabaseLogs",
    "Denial",
    "DeniedBy",
    "Discovery",
    "Documents",
    "Event",
    "EventBuilder",
    "Evidence",
    "Facts",
    "Hidden",
    "ImageBlock",
    "Level",
    "LogFiles",
    "Member",
    "MemberStatus",
    "Message",
    "Notification",
    "Provider",
    "Reading",
    "Reasoning",
    "RecordDecoder",
    "RecordTypeKeys",
    "Reset",
    "Rewind",
    "SessionInfo",
    "SessionRef",
    "Sessions",
    "SourceRef",
    "Stream",
    "StreamKind",
    "Table",
    "TextBlock",
    "Title",
    "TitleSource",
    "TokenUsage",
    "ToolCall",
    "ToolKind",
    "ToolProgress",
    "ToolResult",
    "ToolSpec",
    "ToolState",
    "Topic",
    "Unparsed",
    "Usage",
    "User",
    "changed",
    "classify",
    "files_below",
    "first_record",
    "items",
    "line_events",
    "make_reading",
    "mapping",
    "member_of",
    "member_path",
    "number",
    "overview",
    "read_ends",
    "read_part",
    "real",
    "text",
    "tool_call",
    "whole_lines",
]
