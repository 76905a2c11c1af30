"""How both files of a session are read: its history, and its updates, which are traffic of ACP.

The provider of that protocol is asked for updates by the contract alone.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from agentview.domain.events import Event, ToolResult
from agentview.domain.index_entry import LightEvent
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall, ToolKind
from agentview.providers import load_provider
from agentview.providers._kit.reading import make_reading
from agentview.providers.base import Reading
from agentview.providers.grok.decode import LINES, decode
from agentview.providers.grok.discovery import UPDATES
from agentview.providers.grok.tools import SPECS


def reading() -> Reading:
    """Each record is read as one of the file that it is in, each call by the name of its tool."""
    history = make_reading(decode, lines=LINES, tools=SPECS)
    protocol = load_provider("acp").reading

    def of(session: SessionRef) -> Reading:
        return protocol if session.path.endswith(UPDATES) else history

    def events(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
        return of(session).decode(record, source, session)

    def light(record: bytes, source: SourceRef, session: SessionRef) -> Sequence[LightEvent]:
        own = of(session)
        return (own.light or own.decode)(record, source, session)

    def unused(record: bytes, source: SourceRef, session: SessionRef) -> Sequence[str]:
        return of(session).unused_keys(record, source, session)

    def answered(call: ToolCall, result: ToolResult) -> ToolCall:
        known = history if call.provider_name in SPECS else protocol
        return known.attach_result(call, result)

    def kind(name: str) -> ToolKind:
        return history.kind_of(name) if name in SPECS else protocol.kind_of(name)

    return replace(
        history,
        decode=events,
        light=light,
        attach_result=answered,
        tool_kinds={**protocol.tool_kinds, **history.tool_kinds},
        kind_of=kind,
        unused_keys=unused,
        merge_call=protocol.merge_call,
    )
