"""How records are read, from one table of tools: all that follows from the table is derived."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agentview.domain.events import ToolResult
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize import build
from agentview.normalize.json_values import Fields
from agentview.normalize.tools.specs import ResultMaker, ToolSpec
from agentview.providers._kit.typed_records import TypedLines
from agentview.providers.base import Answer, Decode, Reading

FindTool = Callable[[str, Fields], ToolSpec | None]
"""The spec of a call by the tool's name and the arguments, where more than the name decides.

None leaves it to the shared rules, as does a table of tools that lacks the name.
"""


class _Derived:
    """Values that follow from a table of tools, and from the form of lines."""

    def __init__(
        self,
        specs: Mapping[str, ToolSpec],
        find: FindTool | None,
        results: Mapping[ToolKind, ResultMaker],
        attach_result: Answer | None,
        lines: TypedLines[Any] | None,
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
        from agentview.providers._kit.undeclared_keys import undeclared_keys

        if self._lines is None:
            return ()
        return undeclared_keys(
            record, source, session, self._lines, self._specs, self.attach_result
        )


def make_reading(
    decode: Decode,
    *,
    tools: Mapping[str, ToolSpec],
    lines: TypedLines[Any] | None = None,
    find_tool: FindTool | None = None,
    results: Mapping[ToolKind, ResultMaker] | None = None,
    attach_result: Answer | None = None,
    record_keys: Callable[[str], Sequence[str]] | None = None,
) -> Reading:
    """How records of a format are read; `results` counts before what a spec says of results."""
    derived = _Derived(tools, find_tool, results or {}, attach_result, lines)
    return Reading(
        decode=decode,
        attach_result=derived.attach_result,
        tool_kinds={tool: spec.kind for tool, spec in tools.items()},
        kind_of=derived.kind_of,
        unused_keys=derived.unused_keys,
        merge_call=derived.merge_call,
        light=lines.light if lines is not None else None,
        record_keys=record_keys,
    )
