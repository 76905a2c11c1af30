"""Whether a file is what the client printed."""

from pathlib import Path

import orjson

from agentview.normalize.json_values import fields_of, text_of, time_of
from agentview.providers._kit.discovery import LogFiles, probe_lines

_SURE = 0.97
_LIKELY = 0.9


class PrintedRuns(LogFiles):
    """Files of lines, wherever someone saved them."""

    def probe(self, head: bytes, path: Path) -> float:
        """By the envelope of an event and what sort of event it says it is."""
        _ = path
        return probe_lines(head, _probe_line)


def _probe_line(line: bytes) -> float:
    if b'"type"' not in line:
        return 0.0
    try:
        record = fields_of(orjson.loads(line))
    except ValueError:
        return 0.0
    if "ts" in record and time_of(record.get("ts")) is None:
        return 0.0
    if record.get("type") == "hook_event" and isinstance(record.get("hookEventName"), str):
        return _SURE if "agentId" in record and "taskId" in record else 0.0
    # Imported here: few files get this far.
    from agentview.providers.cline.cline_stream.decode import EVENTS

    known = text_of(fields_of(record.get("event")).get("type")) in EVENTS
    return _LIKELY if record.get("type") == "agent_event" and known else 0.0


DISCOVERY = PrintedRuns("cline_stream")
