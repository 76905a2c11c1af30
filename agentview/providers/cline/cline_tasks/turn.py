"""A call and all that came of it until the next request, whose text has the results."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from agentview.domain.content import Block, ImageBlock
from agentview.domain.events import Compaction, Event, Reset, ToolProgress, ToolResult
from agentview.domain.tool_inputs import AskQuestion
from agentview.domain.tools import ToolCall, ToolKind, ToolState
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import mapping, text
from agentview.normalize.json_values import Fields
from agentview.normalize.session_state import about
from agentview.providers._kit.permission_request import permission_request
from agentview.providers._kit.typed_records import LightEvent, hidden
from agentview.providers.cline.cline_tasks.entries import (
    BOOKKEEPING,
    TaskRecord,
    entry_events,
    kind_of,
)
from agentview.providers.cline.shared.labels import labelled
from agentview.providers.cline.shared.outcome import outcome_of
from agentview.providers.cline.shared.schema import Entry
from agentview.providers.cline.shared.tools import find_tool

CALLS = {
    "tool": "tool",
    "command": "execute_command",
    "use_mcp_server": "use_mcp_tool",
    "browser_action_launch": "browser_action",
    "browser_action": "browser_action",
    "load_mcp_documentation": "load_mcp_documentation",
    "followup": "ask_followup_question",
    "plan_mode_respond": "plan_mode_respond",
    "use_subagents": "use_subagents",
}
"""The tools of the model by the kinds of entries that show their calls."""
ENDS = frozenset({"api_req_started"})
"""Kinds of entries that end what came of a call: the next request."""
_LISTS = "task_progress"
_RESULTS = frozenset({"mcp_server_response", "browser_action_result", "codebase_search_result"})
_ERRORS = frozenset({"error", "diff_error", "clineignore_error", "rooignore_error"})
_CONTENT_IS_RESULT = frozenset(
    {ToolKind.LS, ToolKind.GREP, ToolKind.SEM_SEARCH, ToolKind.WEB_SEARCH}
)
_SUMMARY = "summarizeTask"


@dataclass(slots=True)
class _Open:
    """A call whose outcome is not known yet."""

    record: TaskRecord
    call: ToolCall
    fields: Fields
    output: list[str] = field(default_factory=list[str])
    result: str | None = None
    error: str | None = None
    media: tuple[Block, ...] = ()


def is_call(entry: Entry) -> bool:
    return kind_of(entry) in CALLS


def turn_events(records: Sequence[TaskRecord]) -> Sequence[LightEvent]:
    """Events of entries in a row; results are joined with the calls before them."""
    calls: list[_Open] = []
    events: list[LightEvent] = []
    decided = False
    for record in records:
        kind = kind_of(record.record)
        if kind in CALLS:
            events += _called(record, kind, calls)
        elif kind == _LISTS:
            events += _todos(record)
        elif calls and kind == "command_output":
            _take_output(calls, record)
        elif calls and kind in _RESULTS:
            calls[-1].result, calls[-1].media = _answer(record, kind)
        elif calls and kind in _ERRORS:
            calls[-1].error = record.words or kind
        else:
            decided = decided or kind not in BOOKKEEPING
            if kind in ENDS:
                events += _closed(calls, record.words)
                calls = []
            events += entry_events(record)
    return [*events, *_left(calls, decided=decided)]


def _called(record: TaskRecord, kind: str, calls: list[_Open]) -> Sequence[LightEvent]:
    words, before = record.words, calls[-1].record.record if calls else Entry()
    if record.record.type == "say" and before.type == "ask" and words == (before.text or ""):
        return [hidden(record, "the call again, once it was approved", kind)]
    given = mapping(words)
    if kind == "tool" and text(given, "tool") == _SUMMARY:
        body = Compaction(summary=text(given, "content"))
        return [record.event("compaction", body, resets=Reset.COMPACTED)]
    call = _call(record, kind, words, given)
    calls.append(_Open(record, call, given))
    return [record.event("call", call)]


def _call(record: TaskRecord, kind: str, words: str, given: Fields) -> ToolCall:
    name = CALLS[kind]
    arguments: Fields | str = given
    if kind == "tool":
        name = text(given, "tool") or "tool"
    elif kind == "command":
        arguments = {"command": words}
    elif kind == "browser_action_launch":
        arguments = {"action": "launch", "url": words}
    elif not given and words:
        arguments = {"question": words} if kind == "followup" else {"response": words}
    partial = record.record.partial is True
    return tool_call(
        call_id=f"{record.name}{record.suffix_end}" if record.record_id is None else record.name,
        name=name,
        arguments=arguments,
        raw=words.encode("utf-8", "replace") if arguments is given and given else None,
        spec=find_tool(name, given),
        state=ToolState.INPUT_STREAMING if partial else ToolState.INPUT_AVAILABLE,
    )


def _todos(record: TaskRecord) -> list[Event]:
    """The list that the model keeps, which it hands over with its calls."""
    words = record.words
    call = tool_call(
        call_id=record.name,
        name="focus_chain",
        arguments={"task_progress": words},
        spec=find_tool("focus_chain", {}),
        via=_LISTS,
    )
    done = ToolResult(record.name, True)
    return [record.event("call", call), record.event("result", done)]


def _take_output(calls: list[_Open], record: TaskRecord) -> None:
    shell = next((each for each in reversed(calls) if each.call.kind is ToolKind.SHELL), calls[-1])
    shell.output.append(record.words)


def _answer(record: TaskRecord, kind: str) -> tuple[str, tuple[Block, ...]]:
    words = record.words
    if kind != "browser_action_result":
        return words, ()
    shown = mapping(words)
    head, _, data = (text(shown, "screenshot") or "").partition(";base64,")
    media = ImageBlock(media_type=head.removeprefix("data:"), data=data) if data else None
    said = text(shown, "logs", "currentUrl") or ""
    return said, (media,) if media is not None else ()


def _closed(calls: list[_Open], request: str) -> list[Event]:
    """Return the results of the calls that the next request has."""
    results: list[str | None] = [
        said for _, said in labelled(text(mapping(request), "request") or "")
    ]
    if len(results) != len(calls):
        # A single one is of the last call; of others nothing says whose they are.
        last = results if len(results) == 1 else [None]
        results = [*([None] * (len(calls) - 1)), *last][: len(calls)]
    return [_outcome(each, said) for each, said in zip(calls, results, strict=True)]


def _outcome(made: _Open, said: str | None) -> Event:
    call_id = made.call.call_id
    own = "\n".join(made.output) if made.output else made.result
    content = text(made.fields, "content")
    if own is None and said is None and made.call.kind in _CONTENT_IS_RESULT:
        own = content
    if said is None and own is None and made.error is None:
        return made.record.event("result", ToolResult(call_id, None))
    shown = said if said is not None else own or ""
    if made.result is not None and made.call.kind is ToolKind.MCP:
        shown = made.result
    result = outcome_of(
        call_id, shown or made.error or "", made.media, failed=made.error is not None
    )
    return made.record.event("result", result)


def _left(calls: list[_Open], *, decided: bool) -> list[Event]:
    """Calls at the end of a task: decided, running, or still to be approved."""
    events: list[Event] = []
    for at, made in enumerate(calls):
        last = at == len(calls) - 1
        asked = made.record.record.type == "ask"
        partial = made.record.record.partial is True
        if decided or made.result is not None or made.error is not None or not last:
            events.append(_outcome(made, None))
        elif made.output:
            progress = ToolProgress(made.call.call_id, "\n".join(made.output))
            events.append(made.record.event("progress", progress))
        elif asked and not partial and made.call.kind not in (ToolKind.ASK, ToolKind.PLAN):
            events.append(_approval(made))
    return events


def _approval(made: _Open) -> Event:
    """The question whether a call may be done."""
    what = text(made.fields, "path") or about(made.call)
    question = AskQuestion(f"{made.call.provider_name}: {what}", "Permission")
    given = made.fields or {"command": made.record.record.text}
    call_id = made.call.call_id
    return made.record.event("ask", permission_request(f"{call_id}/ask", question, call_id, given))
