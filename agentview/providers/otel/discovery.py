"""Whether a file of telemetry has spans of generative AI, and which conversation it is of."""

import re
from pathlib import Path

import orjson

from agentview.normalize.json_fields import text
from agentview.normalize.json_values import fields_of
from agentview.providers._kit.discovery import CERTAIN, LogFiles, probe_lines
from agentview.providers.otel.telemetry import CONVERSATION, signals

_LIKELY = 0.85
_CUT = re.compile(rb'\s*\{\s*"resource(?:Spans|Logs)"\s*:\s*\[')
_NAMED = re.compile(rb"gen_ai\.|claude_code\.|codex\.")
_OURS = re.compile(rb'"gen_ai\.[a-z_.]+"|"event\.name"')
_ID = re.compile(
    rb'"(?:' + b"|".join(re.escape(key.encode()) for key in CONVERSATION) + rb')"\s*[:,]\s*'
    rb'(?:"value"\s*:\s*\{\s*"stringValue"\s*:\s*)?"([^"\\]{1,200})"'
)


def _probe_line(line: bytes) -> float:
    if len(line) < 3 or _NAMED.search(line) is None:
        return 0.0
    try:
        fields = fields_of(orjson.loads(line.strip(b"\x00 \t\r")))
    except ValueError:
        return _LIKELY if _CUT.match(line) and _OURS.search(line) else 0.0
    # Imported here: few files get this far.
    from agentview.providers.otel.clients import client_event
    from agentview.providers.otel.decode import operation_of

    ours = any(client_event(each) or operation_of(each) is not None for each in signals(fields))
    return CERTAIN if ours else 0.0


class Exports(LogFiles):
    """Files that a collector or a program wrote; they are where somebody put them."""

    def probe(self, head: bytes, path: Path) -> float:
        """Certain where one of the first lines has a span or a log record of generative AI."""
        _ = path
        return probe_lines(head, _probe_line)

    def session_id(self, head: bytes) -> str | None:
        """The first conversation that is named; else the first trace."""
        found = _ID.search(head)
        if found is not None:
            return found[1].decode("utf-8", "replace")
        for line in head.split(b"\n"):
            try:
                fields = fields_of(orjson.loads(line))
            except ValueError:
                continue
            for each in signals(fields):
                if each.trace is not None:
                    return text(each.attributes, *CONVERSATION) or each.trace
        return None


DISCOVERY = Exports("otel")
