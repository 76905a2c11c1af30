"""Texts that OpenClaw writes into messages of the person.

Source: its public source (`inbound-meta.ts`, `strip-inbound-meta.ts`, `queue/drain.ts`,
`media-note.ts`, `prompt-envelope.ts`, `envelope.ts`) and documentation, 2026.1 to 2026.9, and
transcripts. A message of a channel has blocks of metadata in front of it, which have a mark since
2026.7; runs of a schedule, heartbeats and internal events are messages of role `user` as well.
Since 2026.2 `provenance` says who wrote one.
"""

import re
from collections.abc import Mapping

from agentview.providers._kit.speakers import Form, Speaker

_STAMP = (
    r"\[(?:[^\[\]\n]{0,200}\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?[^\[\]\n]{0,40}"
    r"|[A-Z][^\[\]\n]{1,200} \+\d{1,5}[smhdwy])\][ \t]*"
)
"""Channel, sender and time of a message; one of these may be missing."""
_LABEL = (
    r"(?:[A-Z][^\n()]{0,80} \((?:un)?trusted[^)\n]{0,80}\):|[^\n]{1,200} ⟦openclaw:ctx⟧)[ \t]*\n"
)
"""The first line of a block of metadata."""
_LINES = r"(?:[^\n]+(?:\n|\Z))*"
"""Lines up to a blank one."""


def _envelope(name: str, *texts: str, sender: re.Pattern[str] | None = None) -> Form:
    found = re.compile(rf"\s*+(?:{'|'.join(texts)})\s*", re.DOTALL)
    return Form(name, found, envelope=True, sender=sender)


def _whole(name: str, speaker: Speaker, *texts: str) -> Form:
    found = re.compile(rf"\s*+(?:{'|'.join(texts)})", re.DOTALL)
    return Form(name, found, speaker, whole=True)


FORMS = (
    Form(
        "system event",
        re.compile(
            r"\s*+System(?: \([^)\n]{1,40}\))?: \[[^\]\n]{1,80}\][^\n]*"
            r"(?:\n+System(?: \([^)\n]{1,40}\))?: [^\n]*)*\s*"
        ),
    ),
    _whole(
        "results of agents", Speaker.AGENT, r"\[Queued announce messages while agent was busy\]"
    ),
    Form(
        "messages that waited",
        re.compile(r"\s*+\[Queued messages while agent was busy\]\s*"),
        envelope=True,
        between=re.compile(r"^---\nQueued #\d+[^\n]*(?:\n|\Z)", re.MULTILINE),
    ),
    Form(
        "messages that were dropped",
        re.compile(r"\s*+\[Queue overflow\] Dropped [^\n]*(?:\nSummary:)?(?:\n- [^\n]*)*\s*"),
    ),
    _envelope(
        "sender",
        rf"(?:{_STAMP})?{_LABEL}(?:```(?:json)?\n.*?\n```|{_LINES})",
        sender=re.compile(
            r"\A\s*(?:\[[^\]\n]*\][ \t]*)?(?:Sender|Conversation info)\b"
            r".*?\"(?:label|sender|name)\": ?\"([^\"\n]{1,200})\"",
            re.DOTALL,
        ),
    ),
    _envelope(
        "task of an agent", rf"(?:{_STAMP})?\[Subagent Context\].*?(?:\[Subagent Task\]:?|\Z)"
    ),
    _envelope(
        "hint of the client",
        r"Delivery: [^\n]*(?:`message` tool|\bmessage\(action=|Final assistant text)[^\n]*",
        r"requester_profile is the verified linked requester\.[^\n]*",
        r"Note: The previous agent run was aborted by the user\.[^\n]*",
        r"To send an image back, prefer the message tool[^\n]*",
        rf"\[Bootstrap (?:pending|truncation warning)\]\n{_LINES}",
    ),
    _envelope("media", r"(?:\[media attached(?: \d+/\d+)?: [^\n]*\][ \t]*(?:\n|\Z))+"),
    _envelope(
        "memory",
        r"(?:(?:Context|Untrusted context \([^)\n]*\)):[ \t]*\n)?"
        r"<active_memory_plugin>.*?</active_memory_plugin>",
    ),
    _envelope(
        "history of a chat",
        r"\[(?:Chat messages since your last reply|Merged earlier messages)\b[^\]\n]*\]\n"
        r".*\n\[(?:Current message|CURRENT MESSAGE)\b[^\]\n]*\](?:\n|\Z)",
        r"\[Thread (?:history|starter) - for context\]\n"
        rf"(?:.*?\n\n(?=System(?: \([^)\n]*\))?: \[|{_LABEL})|.*\n\n|.*)",
    ),
    Form(
        "scheduled task",
        re.compile(r"\s*+\[cron:\S+(?: (?P<name>[^\]\n]+))?\]"),
        Speaker.SCHEDULE,
        whole=True,
    ),
    _whole(
        "heartbeat",
        Speaker.SCHEDULE,
        r"Read HEARTBEAT\.md\b",
        r"\[OpenClaw heartbeat",
        r"(?=.{0,2000}\breply HEARTBEAT_OK\b)\S",
    ),
    _whole("message of another session", Speaker.AGENT, r"\[Inter-session message\]"),
    _whole("activity in a room", Speaker.CLIENT, r"\[OpenClaw room event\]"),
    Form(
        "note of the client",
        re.compile(
            r"\s*+<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>.*?<<<END_OPENCLAW_INTERNAL_CONTEXT>>>\s*",
            re.DOTALL,
        ),
    ),
    _whole(
        "note of the client",
        Speaker.CLIENT,
        r"Pre-compaction memory flush\b",
        r"A new session was started via /(?:new|reset)\b",
        r"\[OpenClaw session (?:new|reset)\]",
        r"A scheduled reminder has been triggered\b",
        r"An async command you ran earlier has completed\b",
        r"A (?:background task|subagent task|cron job) \"[^\"\n]*\" just ",
        r"Agent-to-agent (?:announce|reply) step\b",
        r"OpenClaw runtime context \(internal\)",
        r"<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>",
        r"\[System Message\]",
        r"\[Internal task completion event\]",
        r"Continue where you left off\. The previous model attempt failed or timed out\.",
    ),
    _envelope("time", _STAMP),
    Form(
        "context of a channel",
        re.compile(
            r"(?:\A|\n)(?:Untrusted context \(metadata, [^)\n]{1,200}\):|Context: ⟦openclaw:ctx⟧)"
            r"[ \t]*\n.*\Z",
            re.DOTALL,
        ),
        behind=True,
    ),
    Form(
        "id of a message",
        re.compile(
            r"(?:(?:\A|\n)\[(?:message_id|slack message id|from): [^\]\n]{1,200}\][ \t]*){1,4}\s*\Z"
        ),
        behind=True,
    ),
)
"""In the order in which they are tried."""

PROVENANCE: Mapping[str, Speaker] = {
    "inter_session": Speaker.AGENT,
    "internal_system": Speaker.CLIENT,
}
"""Values of `provenance.kind` of messages that a person did not write."""
