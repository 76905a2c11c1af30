"""pydantic-ai: lists of messages, events of runs, and the logs of llm-do, which is built on it."""

import re
from collections.abc import Sequence

from agentview.domain.session import SessionRef
from agentview.normalize.json_document import split_document
from agentview.providers.base import Documents, Provider, RecordTypeKeys
from agentview.providers.pydantic_ai import discovery, tools
from agentview.providers.pydantic_ai.decode import decode
from agentview.providers.pydantic_ai.probing import LIST_KEYS, begins_list
from agentview.providers.pydantic_ai.records import unused_keys

_LINE = re.compile(rb"[^\s][^\n]*(?=\n)|[^\s][^\n]*[\]}](?=\s*\Z)")
"""A line that has come to its end."""


def context_window(model: str) -> int | None:
    """None: the library does not tell how much a model holds."""
    _ = model
    return None


def resume_command(ref: SessionRef) -> Sequence[str] | None:
    """None: a run is resumed by the program that made it."""
    _ = ref
    return None


def split(data: bytes) -> Sequence[tuple[int, int]]:
    """Start and end of each message of a list, and of what is around the list.

    A file that had one list alone, and now has others on the lines behind it, has a record a line.
    Raises ValueError when the data is no JSON.
    """
    if begins_list(data):
        return split_document(data, LIST_KEYS)
    return [match.span() for match in _LINE.finditer(data)]


PROVIDER = Provider(
    name=discovery.NAME,
    label="pydantic-ai",
    discovery=discovery,
    decode=decode,
    attach_result=tools.attach_result,
    tool_kinds={name: spec.kind for name, spec in tools.SPECS.items()},
    kind_of=tools.kind_of,
    unused_keys=lambda record, _source, _session: unused_keys(record),
    context_window=context_window,
    resume_command=resume_command,
    documents=Documents(begin=begins_list, split=split),
    merge_call=tools.merge_call,
    has_linked_events=True,
    record_type_keys=RecordTypeKeys(
        types=(
            "type",
            "kind",
            "event_kind",
            "part/part_kind",
            "delta/part_delta_kind",
            "message/kind",
            "event/event_kind",
        ),
        asks=("approval_request",),
    ),
)
