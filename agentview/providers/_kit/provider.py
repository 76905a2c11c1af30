"""A provider from one table of tools: all that follows from the table is derived."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agentview.domain.events import ToolResult
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize import build
from agentview.normalize.json_values import Fields
from agentview.normalize.session_state import NO_HABITS, LogHabits
from agentview.normalize.tools.specs import ResultMaker, ToolSpec
from agentview.providers._kit.json_line import RecordDecoder
from agentview.providers.base import (
    Answer,
    Decode,
    Discovery,
    Documents,
    LiveRegistry,
    Outline,
    Provider,
    RecordTypeKeys,
)
from agentview.sources.member import Archive, Database, Folder

FindTool = Callable[[str, Fields], ToolSpec | None]
"""The spec of a call by the tool's name and the arguments, where more than the name decides.

None leaves it to the shared rules, as does a table of tools that lacks the name.
"""


class _Derived:
    """What follows from a table of tools, and from the form of lines."""

    def __init__(
        self,
        specs: Mapping[str, ToolSpec],
        find: FindTool | None,
        results: Mapping[ToolKind, ResultMaker],
        attach_result: Answer | None,
        lines: RecordDecoder[Any] | None,
    ) -> None:
        self._specs = specs
        self._find = find
        self._results = results
        self._lines = lines
        self.attach_result: Answer = attach_result or self._joined

    def spec(self, tool: str, args: Fields) -> ToolSpec | None:
        return self._specs.get(tool) if self._find is None else self._find(tool, args)

    def kind_of(self, tool: str) -> ToolKind:
        spec = self.spec(tool, {})
        return (spec or build.classified(tool, {})).kind

    def _joined(self, call: ToolCall, result: ToolResult) -> ToolCall:
        spec = self.spec(call.provider_name, call.args or {})
        return build.attach_result(call, result, spec, self._results.get(call.kind))

    def merge_call(self, call: ToolCall, later: ToolCall) -> ToolCall:
        args = later.args if later.args_json else call.args
        return build.merge_call(
            call, later, self.spec(later.provider_name or call.provider_name, args or {})
        )

    def unused_keys(self, record: bytes, source: SourceRef, session: SessionRef) -> Sequence[str]:
        # Imported here: only the raw view asks for them.
        from agentview.providers._kit.unused_keys import unused_keys

        if self._lines is None:
            return ()
        return unused_keys(record, source, session, self._lines, self._specs, self.attach_result)


def make_provider(  # noqa: PLR0913  (each is a field of the provider)
    *,
    name: str,
    label: str,
    discovery: Discovery,
    decode: Decode,
    tools: Mapping[str, ToolSpec],
    lines: RecordDecoder[Any] | None = None,
    find_tool: FindTool | None = None,
    results: Mapping[ToolKind, ResultMaker] | None = None,
    attach_result: Answer | None = None,
    agent: str | None = None,
    protocol: str | None = None,
    context_window: Callable[[str], int | None] = lambda _: None,
    resume_command: Callable[[SessionRef], Sequence[str] | None] = lambda _: None,
    index_record: Outline | None = None,
    documents: Documents | None = None,
    database: Database | None = None,
    folder: Folder | None = None,
    archive: Archive | None = None,
    has_linked_events: bool = False,
    record_keys: Callable[[str], Sequence[str]] | None = None,
    record_type_keys: RecordTypeKeys | None = None,
    refresh_ref: Callable[[SessionRef], SessionRef | None] | None = None,
    live_registry: LiveRegistry | None = None,
    hook_reports: LiveRegistry | None = None,
    habits: LogHabits = NO_HABITS,
    programs: Sequence[str] = (),
) -> Provider:
    """The provider of a format; `results` counts before what a spec says of results."""
    derived = _Derived(tools, find_tool, results or {}, attach_result, lines)
    return Provider(
        name=name,
        label=label,
        agent=agent,
        protocol=protocol,
        discovery=discovery,
        decode=decode,
        attach_result=derived.attach_result,
        tool_kinds={tool: spec.kind for tool, spec in tools.items()},
        kind_of=derived.kind_of,
        unused_keys=derived.unused_keys,
        context_window=context_window,
        resume_command=resume_command,
        index_record=index_record,
        documents=documents,
        database=database,
        folder=folder,
        archive=archive,
        merge_call=derived.merge_call,
        has_linked_events=has_linked_events,
        record_keys=record_keys,
        record_type_keys=record_type_keys or RecordTypeKeys(),
        refresh_ref=refresh_ref,
        live_registry=live_registry,
        hook_reports=hook_reports,
        habits=habits,
        programs=programs,
    )
