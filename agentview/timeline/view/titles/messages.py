"""Titles of rows that are not tool calls: what people and models said, and notes of the client."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agentview.domain.content import Block, ImageBlock, TextBlock
from agentview.domain.events import (
    Attachment,
    Branch,
    Compaction,
    Hidden,
    Message,
    Notification,
    Reasoning,
    SlashCommand,
    Title,
    TokenUsage,
    ToolProgress,
    ToolResult,
    Topic,
    Unparsed,
    User,
)
from agentview.domain.events import Body as EventBody
from agentview.timeline.view.format_numbers import counted, dollars, estimated, tokens
from agentview.timeline.view.sanitize import first_line, first_printed_line, without_escapes
from agentview.timeline.view.titles.text import Parts

_MARKUP = re.compile(r"^(?:#{1,6}\s+|>\s+|[-*+]\s+)|\*\*|__|`")
"""Colours of an output; a title has its own."""

_SHORT = 12
"""Words up to which nobody asks how long a thought is."""

_TOPICS = {
    Topic.API_ERROR: "API error",
    Topic.HOOK: "hook",
    Topic.LIMIT: "limit",
    Topic.MODEL: "model",
    Topic.MODE: "mode",
    Topic.INTERRUPT: "stopped",
    Topic.BACKGROUND: "background",
    Topic.REWIND: "rewind",
    Topic.TURN_END: "turn end",
    Topic.LINK: "link",
    Topic.SYSTEM: "notice",
}


def prose_parts(body: EventBody) -> Parts:
    """Label, subject and detail of a fact that is not a tool call."""
    make = _MAKERS.get(type(body))
    return make(body) if make else Parts("event", type(body).__name__)


def without_markup(text: str) -> str:
    """The first line of a Markdown text as one reads it: no heading, emphasis or code signs."""
    return _MARKUP.sub("", first_line(text)).strip()


def _user(body: User) -> Parts:
    subject = first_line(body.text)
    images = _media(body.blocks)
    if not subject:
        return Parts("you", images or "empty prompt")
    # That a prompt was typed goes without saying.
    via = body.via if body.via and body.via != "typed" else ""
    return Parts("you", subject, _detail(images, _more_lines(body.text), via))


def _message(body: Message) -> Parts:
    subject = without_markup(body.text) or first_line(body.text)
    media = _media(body.blocks)
    if not subject:
        return Parts("assistant", media or "empty message")
    return Parts("assistant", subject, _detail(media, _more_lines(body.text)))


def _reasoning(body: Reasoning) -> Parts:
    if not body.text.strip():
        return Parts("thinking", "withheld" if body.withheld else "empty thought")
    words = len(body.text.split())
    length = counted(words, "word") if words > _SHORT else ""
    return Parts("thinking", without_markup(body.text), length)


def _command(body: SlashCommand) -> Parts:
    if body.shell and (body.name or body.args):
        return Parts("you ran", first_line(body.name or body.args))
    if not body.name:
        output, error = (
            first_line(without_escapes(each or "")) for each in (body.output, body.error)
        )
        return Parts("output", output or error or "no output")
    name = body.name if body.name.startswith("/") else f"/{body.name}"
    output = without_escapes(body.output or "").strip()
    answer = first_printed_line(body.error, 80) or (_more_lines(output) or first_line(output, 80))
    return Parts("command", f"{name} {first_line(body.args)}".strip(), answer)


def _notice(body: Notification) -> Parts:
    timed = body.topic is Topic.TURN_END and body.duration is not None
    measured = "measured by the client" if timed else ""
    return Parts(_TOPICS[body.topic], first_line(body.text) or _TOPICS[body.topic], measured)


def _compaction(body: Compaction) -> Parts:
    detail = ""
    if body.tokens_before is not None:
        detail = f"{tokens(body.tokens_before)} → {tokens(body.tokens_after)} tokens"
    by = f" ({body.trigger})" if body.trigger else ""
    return Parts("compacted", f"the history was replaced by a summary{by}", detail)


def _attachment(body: Attachment) -> Parts:
    lines = _more_lines(body.text or "")
    return Parts("attached", first_line(body.name) or body.path or body.kind, lines or body.kind)


def _result(body: ToolResult) -> Parts:
    text = body.error or next((b.text for b in body.output if isinstance(b, TextBlock)), "")
    return Parts(
        "result", first_printed_line(text) or "of a call that is not in the log", "without its call"
    )


def _unparsed(body: Unparsed) -> Parts:
    label = "malformed" if body.malformed else "unknown"
    return Parts(label, body.reason or "not readable", body.record_type or "")


def _branch(body: Branch) -> Parts:
    counts = [counted(body.prompts, "prompt")] if body.prompts else []
    if body.calls or not counts:
        counts.append(counted(body.calls, "call"))
    if body.cost is not None:
        known = estimated(body.cost, whole=body.whole)
        counts.append(known if body.estimated else dollars(body.cost))
    return Parts("abandoned", ", ".join(counts), first_line(body.prompt))


def _hidden(body: Hidden) -> Parts:
    return Parts("hidden", body.record_type or "record", body.reason)


def _usage(body: TokenUsage) -> Parts:
    usage = body.usage
    return Parts("usage", f"{tokens(usage.context)} tokens in context", body.model or "")


def _title(body: Title) -> Parts:
    return Parts("title", first_line(body.text) or "empty title", body.source)


def _progress(body: ToolProgress) -> Parts:
    return Parts("progress", first_printed_line(body.output) or "no output yet")


def _media(blocks: Sequence[Block]) -> str:
    images = sum(isinstance(block, ImageBlock) for block in blocks)
    others = len([b for b in blocks if not isinstance(b, (ImageBlock, TextBlock))])
    return _detail(
        counted(images, "image") if images else "",
        counted(others, "attachment") if others else "",
    )


def _detail(*parts: str) -> str:
    return " · ".join(filter(None, parts))


def _more_lines(text: str) -> str:
    count = text.strip().count("\n") + 1
    return counted(count, "line") if count > 1 else ""


_MAKERS: Mapping[type, Callable[[Any], Parts]] = {
    User: _user,
    Message: _message,
    Reasoning: _reasoning,
    SlashCommand: _command,
    Notification: _notice,
    Compaction: _compaction,
    Attachment: _attachment,
    ToolResult: _result,
    Unparsed: _unparsed,
    Hidden: _hidden,
    Branch: _branch,
    TokenUsage: _usage,
    Title: _title,
    ToolProgress: _progress,
}
