"""Whether a file is what the client printed."""

from agentview.normalize.json_values import time_of
from agentview.providers._kit.discovery import LogFiles
from agentview.providers._kit.signatures import Signature
from agentview.providers.cline.cline_stream.schema import EVENTS


def _is_no_time(value: object) -> bool:
    return time_of(value) is None


class PrintedRuns(LogFiles):
    """Files of lines, wherever someone saved them."""

    signatures = (
        Signature(0.0, {"ts": _is_no_time}),
        Signature(0.97, {"type": "hook_event", "hookEventName": str}, keys={"agentId", "taskId"}),
        Signature(0.9, {"type": "agent_event", "event/type": EVENTS}),
    )


DISCOVERY = PrintedRuns("cline_stream")
