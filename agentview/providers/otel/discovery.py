"""Whether a file of telemetry has spans of generative AI, and which conversation it is of."""

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from agentview.normalize.json_fields import text
from agentview.providers._kit.discovery import CERTAIN, LogFiles, probe_lines
from agentview.providers.otel.schema import CONVERSATION
from agentview.sources.lines import is_json

if TYPE_CHECKING:
    from agentview.providers.otel.telemetry import Signal


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
    own = line.strip(b"\x00 \t\r")
    if not is_json(own):
        return _LIKELY if _CUT.match(line) and _OURS.search(line) else 0.0
    # Imported here: few files get this far.
    from agentview.providers.otel.clients import client_event
    from agentview.providers.otel.decode import operation_of

    ours = any(client_event(each) or operation_of(each) is not None for each in _signals(own))
    return CERTAIN if ours else 0.0


def _signals(line: bytes) -> "Iterator[Signal]":
    # Imported here: few files get this far.
    from agentview.providers._kit.typed_records import value_of
    from agentview.providers.otel.decode import LINES
    from agentview.providers.otel.telemetry import signals

    return signals(LINES.typed(line), value_of)


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
        for each in chain.from_iterable(map(_signals, filter(is_json, head.split(b"\n")))):
            if each.trace is not None:
                return text(each.attributes, *CONVERSATION) or each.trace
        return None


DISCOVERY = Exports("otel")
