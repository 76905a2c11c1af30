"""pydantic-ai: lists of messages, events of runs, and the logs of llm-do, which is built on it."""

import re
from collections.abc import Sequence

from agentview.normalize.json_document import split_document
from agentview.providers.base import Documents, Provider, Reading, RecordTypeKeys
from agentview.providers.pydantic_ai import discovery
from agentview.providers.pydantic_ai.probing import LIST_KEYS, begins_list

_LINE = re.compile(rb"[^\s][^\n]*(?=\n)|[^\s][^\n]*[\]}](?=\s*\Z)")
"""A line that has come to its end."""


def split(data: bytes) -> Sequence[tuple[int, int]]:
    """Start and end of each message of a list, and of what is around the list.

    A file that had one list alone, and now has others on the lines behind it, has a record a line.
    Raises ValueError when the data is not JSON.
    """
    if begins_list(data):
        return split_document(data, LIST_KEYS)
    return [match.span() for match in _LINE.finditer(data)]


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.pydantic_ai import tools
    from agentview.providers.pydantic_ai.decode import LINES

    return make_reading(
        LINES.events,
        lines=LINES,
        tools=tools.SPECS,
        find_tool=tools.find_tool,
        attach_result=tools.attach_result,
    )


PROVIDER = Provider(
    name=discovery.NAME,
    label="pydantic-ai",
    discovery=discovery,
    load_reading=_reading,
    records=("usage", "images", "reasoning", "subagents", "compaction"),
    documents=Documents(begin=begins_list, split=split),
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
