"""Whether a file of telemetry has spans of generative AI, and which conversation it is of."""

import re
from pathlib import Path

from agentview.providers._kit.discovery import LogFiles, probe_lines
from agentview.providers.base import CERTAIN
from agentview.providers.otel.schema import CONVERSATION
from agentview.sources.lines import is_json

_LIKELY = 0.85
_CUT = re.compile(rb'\s*\{\s*"resource(?:Spans|Logs)"\s*:\s*\[')
_NAMED = re.compile(rb"gen_ai\.|claude_code\.|codex\.|openinference")
_OURS = re.compile(rb'"(?:gen_ai|openinference)\.[a-z_.]+"|"event\.name"')
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
    from agentview.providers.otel.probing import is_of_models

    return CERTAIN if is_of_models(own) else 0.0


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
        from agentview.providers.otel.probing import conversation_of

        named = map(conversation_of, filter(is_json, head.split(b"\n")))
        return next(filter(None, named), None)


DISCOVERY = Exports("otel")
