"""Events of one line of a session, or of the client's printed stream."""

import re
from collections.abc import Sequence

from agentview.providers._kit.typed_records import LightEvent, TypedLines
from agentview.providers.pi.pi.stream import STREAM, printed
from agentview.providers.pi.shared.entries import entry_events
from agentview.providers.pi.shared.event_builder import PiRecord
from agentview.providers.pi.shared.schema import Printed


def _record_events(record: PiRecord) -> Sequence[LightEvent]:
    kind = record.record.type
    return printed(record, kind) if kind in STREAM else entry_events(record)


LINES = TypedLines(Printed, PiRecord.of, _record_events, re.compile(r'\{\s*"type"\s*:\s*"[a-z_]+"'))
