"""What a session is about and what it is doing, from the records at its two ends."""

import json
import re
from itertools import chain

from agentview.domain.events import Event
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionInfo, SessionRef
from agentview.normalize.json_document import items_in, records_in
from agentview.normalize.json_values import Fields
from agentview.providers._kit import session_info as events_overview
from agentview.providers.gemini.qwen_code.decode import decode
from agentview.providers.gemini.qwen_code.probing import begins_list
from agentview.providers.gemini.qwen_code.stream import TYPES

_RECORD = re.compile(r'\{\s*"(?:type|uuid)"\s*:')


def overview(ref: SessionRef, head: bytes, tail: bytes, tail_start: int) -> SessionInfo:
    """Facts about a session from the bytes of its head and of its tail, which begins anywhere.

    An agent has the title that stands beside its log: what it was started for.
    """
    if begins_list(head):
        ends = (*records_in(head), *items_in(tail, _RECORD, TYPES))
        events = chain.from_iterable(_of_record(record, ref) for record in ends)
    else:
        events = events_overview.end_lines(head, tail, tail_start, ref, decode)
    return events_overview.overview(ref, events, name=ref.label)


def _of_record(record: Fields, ref: SessionRef) -> list[Event]:
    # Numbers may be larger than others write them.
    raw = json.dumps(record).encode()
    return decode(raw, SourceRef(ref.path, 0, len(raw)), ref)
