"""Texts of an activity: what it is about, what came of it, which files, and all that can be found.

Texts are as the log has them; whoever shows them removes what a terminal would act on.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import cast

from agentview.domain.activity import Activity
from agentview.domain.content import Block, ImageBlock, JsonBlock, ResourceBlock, TextBlock
from agentview.domain.events import (
    Attachment,
    Body,
    Branch,
    Compaction,
    Hidden,
    Message,
    Notification,
    Reasoning,
    SlashCommand,
    Title,
    ToolProgress,
    ToolResult,
    Unparsed,
    User,
)
from agentview.domain.tool_inputs import (
    AskPayload,
    DeletePayload,
    EditPayload,
    GlobPayload,
    GoalPayload,
    GrepPayload,
    LintsPayload,
    LsPayload,
    MemoryPayload,
    NotebookEditPayload,
    Payload,
    PlanPayload,
    ReadPayload,
    ReviewPayload,
    SchedulePayload,
    SemSearchPayload,
    SendMessagePayload,
    ShellPayload,
    SkillPayload,
    SubagentPayload,
    TodosPayload,
    ToolSearchPayload,
    TopicPayload,
    WebFetchPayload,
    WebSearchPayload,
    WritePayload,
)
from agentview.domain.tool_results import ChangeResult, Result, ShellResult
from agentview.domain.tools import ToolCall, ToolKind

PART = 200_000
"""Characters of a part of a long text, but for the rest of its last line."""

_LONGEST = 20_000
"""Characters of a line that a part is made longer by, so that it ends with a line."""

_SHOWN_AS_JSON = frozenset({ToolKind.MCP, ToolKind.UNKNOWN})
"""Kinds whose arguments are shown with their keys; of others these stand nowhere."""


def subject_text(activity: Activity) -> str:
    """Subject of the activity, to be copied: the command, the path, the query, the words."""
    body = activity.body
    if isinstance(body, ToolCall):
        return _payload_subject(body.payload) or body.args_json
    return "\n".join(body_texts(body))


def output_text(activity: Activity) -> str:
    """Return the output, to be copied; empty without one, or before it comes."""
    body = activity.body
    if isinstance(body, ToolCall):
        text = _result_text(body.result) or blocks_text(body.output)
        return text or body.error or activity.progress or ""
    if isinstance(body, SlashCommand):
        return body.output or body.error or ""
    if isinstance(body, ToolResult):
        return blocks_text(body.output) or body.error or ""
    return "\n".join(body_texts(body))


def file_paths(activity: Activity) -> Sequence[str]:
    return body_paths(activity.body)


def body_paths(body: Body) -> Sequence[str]:
    """Return the paths of one event."""
    if isinstance(body, Attachment):
        return (body.path,) if body.path else ()
    if not isinstance(body, ToolCall):
        return ()
    found = dict.fromkeys(_payload_paths(body.payload))
    if isinstance(body.result, ChangeResult):
        found.update(dict.fromkeys(change.path for change in body.result.files))
    return tuple(found)


def tool_names(activity: Activity) -> Sequence[str]:
    """Names of the tool, the canonical one first; empty for what is not a call."""
    return body_tools(activity.body)


def body_tools(body: Body) -> Sequence[str]:
    return (body.canonical_name, body.provider_name) if isinstance(body, ToolCall) else ()


def blocks_text(blocks: Iterable[Block]) -> str:
    return "\n".join(text for block in blocks for text in _block_texts(block))


def searchable(activity: Activity) -> Iterator[str]:
    """Every text of the activity that a person could look for, piece by piece."""
    yield from body_texts(activity.body)
    if activity.progress and activity.ended is None:
        yield activity.progress
    if activity.outcome is not None:
        yield from _body_texts(activity.outcome)


def said_texts(body: User) -> Iterator[str]:
    """Words of the person, without those that the client put around them."""
    return _body_texts(body)


def body_texts(body: Body) -> Iterator[str]:
    """The part of `searchable` that stems from one event: what it is joined with adds its own."""
    if not isinstance(body, ToolCall):
        yield from _body_texts(body)
        yield from body.context if isinstance(body, User) else ()
        return
    yield body.name
    if body.args is None:
        yield body.args_json
    else:
        yield from _strings(body.args, keys=body.kind in _SHOWN_AS_JSON)
    for block in body.output:
        yield from _block_texts(block)
    if body.error:
        yield body.error
    if body.denial is not None and body.denial.words:
        yield body.denial.words
    if body.title:
        yield body.title
    makers = () if body.maker is None else (body.maker,)
    for request in (*body.requests, *body.polls, *makers):
        yield from body_texts(request)


def _payload_subject(payload: Payload) -> str | None:
    match payload:
        case ShellPayload():
            return payload.command
        case GrepPayload() | GlobPayload():
            return payload.pattern
        case SemSearchPayload() | WebSearchPayload() | ToolSearchPayload():
            return payload.query
        case WebFetchPayload():
            return payload.url
        case SubagentPayload():
            return payload.prompt or payload.description
        case PlanPayload():
            return payload.text or "\n".join(step.text for step in payload.steps)
        case TodosPayload():
            return "\n".join(item.text for item in payload.items)
        case SkillPayload():
            return " ".join(filter(None, (payload.name, payload.arguments))) or None
        case AskPayload():
            return "\n".join(question.text for question in payload.questions)
        case _:
            return _standing_subject(payload) or "\n".join(_payload_paths(payload)) or None


def _standing_subject(payload: Payload) -> str | None:
    match payload:
        case MemoryPayload():
            return "\n".join(filter(None, (step.text or step.place for step in payload.steps)))
        case SendMessagePayload():
            return payload.text or payload.subject
        case TopicPayload():
            return payload.title or payload.text
        case GoalPayload():
            return payload.goal.objective
        case ReviewPayload():
            return "\n".join(finding.message for finding in payload.findings) or payload.summary
        case SchedulePayload():
            return payload.job.prompt or payload.job.name or payload.job.id
        case _:
            return None


def _payload_paths(payload: Payload) -> Sequence[str]:
    match payload:
        case ReadPayload() | WritePayload() | NotebookEditPayload():
            return (payload.path,)
        case EditPayload():
            return tuple(file.path for file in payload.files)
        case DeletePayload() | LintsPayload():
            return payload.paths
        case ReviewPayload():
            return tuple(dict.fromkeys(one.path for one in payload.findings if one.path))
        case LsPayload() | GrepPayload() | GlobPayload():
            return (payload.path,) if payload.path else ()
        case _:
            return ()


def _result_text(result: Result | None) -> str | None:
    if not isinstance(result, ShellResult):
        return None
    parts = (result.stdout, result.stderr, result.output)
    return "\n".join(part for part in parts if part) or None


def _body_texts(body: Body) -> Iterator[str]:  # noqa: C901 (one case a fact)
    match body:
        case User() | Message():
            yield body.text
            for block in body.blocks:
                yield from _block_texts(block)
        case Reasoning() | Title():
            yield body.text
        case Notification():
            yield body.text
            yield from filter(None, (body.detail,))
        case SlashCommand():
            yield f"{body.name} {body.args}".strip()
            yield from filter(None, (body.output, body.error))
        case Compaction():
            yield from filter(None, (body.summary,))
        case Branch():
            yield body.prompt
        case Attachment():
            yield body.name
            yield from filter(None, (body.text,))
        case ToolResult():
            for block in body.output:
                yield from _block_texts(block)
            yield from filter(None, (body.error, body.denial and body.denial.words))
        case ToolProgress():
            yield body.output
        case Hidden():
            yield f"{body.record_type} {body.reason}"
        case Unparsed():
            yield f"{body.reason} {body.excerpt}"
        case _:
            return


def _block_texts(block: Block) -> Iterator[str]:
    match block:
        case TextBlock():
            yield block.text
        case ResourceBlock():
            yield from filter(None, (block.name or block.uri, block.text))
        case ImageBlock():
            yield from filter(None, (block.uri,))
        case JsonBlock():
            yield _json_text(block.value)


def _json_text(value: object) -> str:
    try:
        return json.dumps(value, indent=2, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return str(value)


def _strings(value: object, *, keys: bool) -> Iterator[str]:
    """Texts and numbers of a JSON value, with or without its keys.

    Without recursion: how deep it is nested is the log's choice.
    """
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, Mapping):
            for key, inner in reversed(list(cast("Mapping[object, object]", item).items())):
                stack += (inner, key) if keys else (inner,)
        elif isinstance(item, list | tuple):
            stack.extend(reversed(item))  # pyright: ignore[reportUnknownArgumentType]
        elif isinstance(item, int | float) and not isinstance(item, bool):
            yield str(item)


def part_count(text: str) -> int:
    return max(1, -(-len(text) // PART))


def part_of(text: str, number: int) -> str:
    """A part of the text, from 0, which is laid out in no time; all parts together are the text."""
    return text[_cut(text, number) : _cut(text, number + 1)]


def _cut(text: str, number: int) -> int:
    place = number * PART
    if place <= 0:
        return 0
    if place >= len(text):
        return len(text)
    end = text.find("\n", place - 1, place + _LONGEST)
    return place if end < 0 else end + 1
