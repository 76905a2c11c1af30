"""The keys of a record that nothing reads, for tests of single records."""

from collections.abc import Mapping

import orjson

from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.providers import load_provider


def unused_keys(provider: str, record: Mapping[str, object] | bytes) -> list[str]:
    raw = record if isinstance(record, bytes) else orjson.dumps(record)
    source, ref = SourceRef("x", 0, len(raw)), SessionRef(provider, "s", "x")
    return list(load_provider(provider).reading.unused_keys(raw, source, ref))
