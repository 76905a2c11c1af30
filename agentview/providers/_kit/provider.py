"""A provider from one table of tools: all that follows from the table is derived."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agentview.domain.events import ToolResult
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize import build
from agentview.normalize.classify import classify
from agentview.normalize.json_values import Fields
from agentview.normalize.specs import ResultMaker, ToolSpec
from agentview.providers._kit.json_line import LineForm
from agentview.providers.base import (
    Answer,
    Decode,
    Discovery,
    Documents,
    Marks,
    Outline,
    Provider,
)
from agentview.sources.member import Database

FindTool = Callable[[str, Fields], ToolSpec | None]
"""The spec of a call by the tool's name and the arguments; None leaves it to the shared rules."""


class _Tools:
    """What follows from a table of tools."""

    def __init__(
        self,
        specs: Mapping[str, ToolSpec],
        find: FindTool | None,
        results: Mapping[ToolKind, ResultMaker],
    ) -> None:
        self._specs = specs
        self._find = find
        self._results = results

    def spec(self, tool: str, args: Fields) -> ToolSpec | None:
        return self._specs.get(tool) if self._find is None else self._find(tool, args)

    def kind_of(self, tool: str) -> ToolKind:
        return (self.spec(tool, {}) or classify(tool, {})).kind

    def answer(self, call: ToolCall, result: ToolResult) -> ToolCall:
        spec = self.spec(call.provider_name, call.args or {})
        return build.answer(call, result, spec, self._results.get(call.kind))

    def amend(self, call: ToolCall, later: ToolCall) -> ToolCall:
        args = later.args if later.args_json else call.args
        return build.amend(
            call, later, self.spec(later.provider_name or call.provider_name, args or {})
        )


def make_provider(  # noqa: PLR0913  (each is a field of the provider)
    *,
    name: str,
    label: str,
    discovery: Discovery,
    decode: Decode,
    tools: Mapping[str, ToolSpec],
    lines: LineForm[Any] | None = None,
    find_tool: FindTool | None = None,
    results: Mapping[ToolKind, ResultMaker] | None = None,
    answer: Answer | None = None,
    agent: str | None = None,
    protocol: str | None = None,
    context_window: Callable[[str], int | None] = lambda _: None,
    resume_command: Callable[[SessionRef], Sequence[str] | None] = lambda _: None,
    outliner: Outline | None = None,
    documents: Documents | None = None,
    database: Database | None = None,
    tied: bool = False,
    record_keys: Callable[[str], Sequence[str]] | None = None,
    marks: Marks | None = None,
    grown: Callable[[SessionRef], SessionRef | None] | None = None,
) -> Provider:
    """The provider of a format.

    `tools` has the tools by their names; `find_tool` is for those whose spec more than the name
    decides. A tool that neither knows is known by the shared rules on names and arguments. Results
    are read as `results` says for the kind of the call, else as its spec does. `lines` is the form
    with which `decode` reads lines: it tells which keys nothing reads.
    """
    table = _Tools(tools, find_tool, results or {})
    answered = answer or table.answer

    return Provider(
        name=name,
        label=label,
        agent=agent,
        protocol=protocol,
        discovery=discovery,
        decode=decode,
        answer=answered,
        tool_kinds={tool: spec.kind for tool, spec in tools.items()},
        kind_of=table.kind_of,
        unused_keys=lambda record: _unused_keys(record, lines, tools, answered),
        context_window=context_window,
        resume_command=resume_command,
        outliner=outliner,
        documents=documents,
        database=database,
        amend=table.amend,
        tied=tied,
        record_keys=record_keys,
        marks=marks or Marks(),
        grown=grown,
    )


def _unused_keys(
    record: bytes, lines: LineForm[Any] | None, tools: Mapping[str, ToolSpec], answer: Answer
) -> Sequence[str]:
    # Imported here: only the raw view asks for them.
    from agentview.providers._kit.unused_keys import unused_keys

    return unused_keys(record, lines, tools, answer) if lines is not None else ()
