"""Typed results of agents, plans, lists, questions and the web."""

import re
from dataclasses import replace

from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import AskPayload, PlanPayload, WebFetchPayload
from agentview.domain.tool_results import (
    AskAnswer,
    AskResult,
    PlanResult,
    SubagentResult,
    TodosResult,
    WebFetchResult,
    WebHit,
    WebSearchResult,
)
from agentview.domain.tools import ToolCall
from agentview.normalize import todo
from agentview.normalize.json_fields import as_text, mapping
from agentview.normalize.json_values import (
    Fields,
    fields_of,
    items_of,
    seconds_of,
    text_of,
    whole_of,
)
from agentview.normalize.output_text import text_of as text_in
from agentview.providers.gemini.shared.results import display_of
from agentview.providers.gemini.shared.tool_outcome import launched_agent

_FINISHED = re.compile(
    r"Subagent '[^'\n]*' finished\.\nTermination Reason: ([^\n]*)\nResult:\n", re.ASCII
)
_REFUSED = re.compile(r"\s*(?:Plan rejected|User cancelled the plan)", re.IGNORECASE)
_FETCHED = re.compile(
    r"URL: (\S+)\nStatus: (\d{3})([^|\n]*)\|[^\n]*?Size: ([\d,]+) bytes[^\n]*\n\n?"
)
_SOURCE = re.compile(r"^\[\d{1,3}\] (.*) \((https?://[^\s()]+)\)[ \t]*$", re.MULTILINE)


def agent(_call: ToolCall, result: ToolResult) -> SubagentResult | None:
    """How an agent ended, or that it was started in the background."""
    fields = fields_of(display_of(result))
    said = text_in(result.output)
    finished = _FINISHED.match(said or "")
    launched = launched_agent(said)
    if said is None and not fields:
        return None
    summary = fields_of(fields.get("executionSummary"))
    status = text_of(fields.get("terminateReason")) or text_of(fields.get("status"))
    text = text_of(fields.get("result")) or (
        said[finished.end() :] if finished is not None and said is not None else said
    )
    return SubagentResult(
        status=status or (finished[1] if finished is not None else None),
        agent_id=launched,
        text=text if launched is None else None,
        call_count=whole_of(summary.get("totalToolCalls")),
        total_tokens=whole_of(summary.get("totalTokens")),
        duration=seconds_of(summary.get("totalDurationMs")),
        launched=launched is not None and result.ok is None,
    )


def todos(call: ToolCall, result: ToolResult) -> TodosResult | None:
    """The list as it was shown, else as it was asked for."""
    shown = fields_of(display_of(result)).get("todos")
    return todo.result(call, replace(result, structured={"newTodos": shown} if shown else None))


def plan(call: ToolCall, result: ToolResult) -> PlanResult | None:
    """What became of a plan."""
    fields = fields_of(display_of(result))
    payload = call.payload
    path = payload.path if isinstance(payload, PlanPayload) else None
    told = _REFUSED.match(text_in(result.output) or "") is not None
    refused = told or fields.get("rejected") is True or result.denial is not None
    approved = False if refused else (True if result.ok else None)
    return PlanResult(approved, text=text_of(fields.get("plan")), path=path)


def asked(call: ToolCall, result: ToolResult) -> AskResult | None:
    """The answers of the person; a number instead of a question is its place among them."""
    told = mapping(mapping(text_in(result.output) or "").get("answers"))
    payload = call.payload
    names = [each.text for each in payload.questions] if isinstance(payload, AskPayload) else []
    found = [AskAnswer(_question(key, names), as_text(value) or "") for key, value in told.items()]
    return AskResult(tuple(found)) if found else None


def _question(key: str, names: list[str]) -> str:
    at = int(key) if key.isascii() and key.isdigit() and len(key) < 4 else len(names)
    return names[at] if at < len(names) else key


def fetched(call: ToolCall, result: ToolResult) -> WebFetchResult | None:
    """What was made of a page."""
    said = text_in(result.output)
    if said is None or result.ok is False:
        return None
    payload = call.payload
    url = payload.url if isinstance(payload, WebFetchPayload) else ""
    head = _FETCHED.match(said)
    if head is None:
        return WebFetchResult(url=url or None, text=said)
    size = int(head[4].replace(",", "")[:12] or 0)
    status = head[3].strip() or None
    return WebFetchResult(
        head[1], int(head[2]), status_text=status, byte_size=size, text=said[head.end() :]
    )


def searched(_call: ToolCall, result: ToolResult) -> WebSearchResult | None:
    """The answer of a search with the sources that it names."""
    said = text_in(result.output)
    if said is None or result.ok is False:
        return None
    hits = tuple(WebHit(match[1], match[2]) for match in _SOURCE.finditer(said))
    return WebSearchResult(hits or _recorded(display_of(result)), text=said)


def _recorded(display: object) -> tuple[WebHit, ...]:
    listed = (fields_of(item) for item in items_of(fields_of(display).get("sources")))
    made = (_hit(fields) for fields in listed)
    return tuple(hit for hit in made if hit is not None)


def _hit(fields: Fields) -> WebHit | None:
    url = text_of(fields.get("url"))
    return WebHit(text_of(fields.get("title")) or "", url) if url is not None else None
