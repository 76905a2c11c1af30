"""A provider from one table of tools: all that follows from the table is derived."""

from collections.abc import Callable, Mapping, Sequence

from agentview.domain.events import ToolResult
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize import build
from agentview.normalize.classify import classify
from agentview.normalize.specs import ToolSpec
from agentview.providers.base import Decode, Discovery, Documents, Marks, Provider
from agentview.sources.member import Database


def make_provider(  # noqa: PLR0913  (each is a field of the provider)
    *,
    name: str,
    label: str,
    discovery: Discovery,
    decode: Decode,
    tools: Mapping[str, ToolSpec],
    agent: str | None = None,
    unused_keys: Callable[[bytes], Sequence[str]] = lambda _: (),
    context_window: Callable[[str], int | None] = lambda _: None,
    resume_command: Callable[[SessionRef], Sequence[str] | None] = lambda _: None,
    documents: Documents | None = None,
    database: Database | None = None,
    marks: Marks | None = None,
) -> Provider:
    """The provider of a format whose tools are told by their names alone.

    A tool that is not in the table is known by the shared rules on names and arguments.
    """

    def kind_of(tool: str) -> ToolKind:
        return (tools.get(tool) or classify(tool, {})).kind

    def answer(call: ToolCall, result: ToolResult) -> ToolCall:
        return build.answer(call, result, tools.get(call.provider_name))

    def amend(call: ToolCall, later: ToolCall) -> ToolCall:
        return build.amend(call, later, tools.get(later.provider_name or call.provider_name))

    return Provider(
        name=name,
        label=label,
        agent=agent,
        discovery=discovery,
        decode=decode,
        answer=answer,
        tool_kinds={tool: spec.kind for tool, spec in tools.items()},
        kind_of=kind_of,
        unused_keys=unused_keys,
        context_window=context_window,
        resume_command=resume_command,
        documents=documents,
        database=database,
        amend=amend,
        marks=marks or Marks(),
    )
