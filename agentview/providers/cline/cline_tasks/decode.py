"""Events of an entry of a task, or of a call with all that came of it."""

import re
from collections.abc import Sequence

from agentview.providers._kit.json_documents import TypedDocuments
from agentview.providers._kit.typed_records import LightEvent, hidden
from agentview.providers.cline.cline_tasks.entries import (
    TaskRecord,
    entry_events,
    is_entry,
    task_record,
)
from agentview.providers.cline.cline_tasks.history import exchange_events, message_events
from agentview.providers.cline.cline_tasks.turn import turn_events
from agentview.providers.cline.shared.schema import Entry

_BEGIN = re.compile(r'\{\s*"(?:ts|type|say|ask|role|content)"\s*:')


def _record_events(record: TaskRecord) -> Sequence[LightEvent]:
    if record.record.role is not None:
        return message_events(record)
    return turn_events([record]) if is_entry(record.record) else entry_events(record)


def _group(records: Sequence[TaskRecord]) -> Sequence[LightEvent]:
    messages = records[0].record.role is not None
    return exchange_events(records) if messages else turn_events(records)


def _around(record: TaskRecord) -> Sequence[LightEvent]:
    return [hidden(record, "what is around the entries", "document")]


FORM = TypedDocuments(Entry, task_record, _record_events, _BEGIN, around=_around, group=_group)
