"""Texts that OpenClaw writes into messages of the person.

Source: its public source and documentation, versions 2026.1 to 2026.4, and transcripts of them. A
message of a channel has blocks of metadata in front of it; runs of a schedule, heartbeats and
internal events are messages of role `user` as well. Since 2026.2 `provenance` says who wrote one.
"""

import re
from collections.abc import Mapping

from agentview.providers._kit.speakers import Form, Speaker

_STAMP = r"\[[^\[\]\n]{0,200}\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?[^\[\]\n]{0,40}\][ \t]*"


def _begins(*texts: str) -> re.Pattern[str]:
    return re.compile(rf"\s*(?:{'|'.join(texts)})")


FORMS = (
    Form(
        "system event",
        re.compile(
            r"\s*System(?: \([^)\n]{1,40}\))?: \[[^\]\n]{1,80}\][^\n]*"
            r"(?:\n+System(?: \([^)\n]{1,40}\))?: [^\n]*)*\s*"
        ),
    ),
    Form(
        "sender",
        re.compile(
            rf"\s*(?:{_STAMP})?[A-Z][^\n()]{{0,80}} \(untrusted[^)\n]{{0,80}}\):[ \t]*\n"
            r"```(?:json)?\n.*?\n```\s*",
            re.DOTALL,
        ),
        envelope=True,
        sender=re.compile(r"\"(?:label|sender)\": ?\"([^\"\n]{1,200})\""),
    ),
    Form(
        "task of an agent",
        re.compile(
            rf"\s*(?:{_STAMP})?\[Subagent Context\].*?(?:\[Subagent Task\]:?\s*|\Z)", re.DOTALL
        ),
        envelope=True,
    ),
    Form(
        "scheduled task",
        re.compile(r"\s*\[cron:\S+(?: (?P<name>[^\]\n]+))?\]"),
        Speaker.SCHEDULE,
        whole=True,
    ),
    Form(
        "heartbeat",
        re.compile(
            r"\s*(?:Read HEARTBEAT\.md\b|\[OpenClaw heartbeat"
            r"|(?=.{0,2000}\breply HEARTBEAT_OK\b)\S)",
            re.DOTALL,
        ),
        Speaker.SCHEDULE,
        whole=True,
    ),
    Form(
        "message of another session",
        _begins(r"\[Inter-session message\]"),
        Speaker.AGENT,
        whole=True,
    ),
    Form(
        "note of the client",
        _begins(
            r"Pre-compaction memory flush\b",
            r"A new session was started via /(?:new|reset)\b",
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
        whole=True,
    ),
    Form("time", re.compile(rf"\s*{_STAMP}"), envelope=True),
)
"""In the order in which they are tried."""

TAIL = re.compile(
    r"\n(?:\[message_id: [^\]\n]{1,200}\]\s*|Untrusted context \(metadata, [^)\n]{1,200}\):\n.*)\Z",
    re.DOTALL,
)
"""What stands behind the words of a person."""

PROVENANCE: Mapping[str, Speaker] = {
    "inter_session": Speaker.AGENT,
    "internal_system": Speaker.CLIENT,
}
"""Values of `provenance.kind` of messages that a person did not write."""
