"""Decodes single records, and joins whole logs as they are shown."""

import json
from functools import partial
from typing import Any

from agentview.domain.events import Body, Event
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.providers.pydantic_ai import PROVIDER
from agentview.system.paths import sample_sessions_dir
from tests.providers import joined_log

SAMPLES = sample_sessions_dir() / "pydantic_ai"
REF = SessionRef("pydantic_ai", "s", "log.jsonl")

Record = dict[str, Any]


def events(record: Record | bytes) -> list[Event]:
    """Events of one record."""
    raw = record if isinstance(record, bytes) else json.dumps(record).encode()
    return PROVIDER.decode(raw, SourceRef("log.jsonl", 100, len(raw), 3), REF)


def bodies(record: Record | bytes) -> list[Body]:
    return [event.body for event in events(record)]


joined = partial(joined_log.joined, PROVIDER)
