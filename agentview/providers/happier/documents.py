"""The file of fixtures: traces by protocol, agent, kind and tool, in one document."""

import json
import re
from collections.abc import Sequence
from typing import cast

import orjson

from agentview.normalize.json_fields import items, mapping
from agentview.normalize.raw_span import Span, element_spans

_BEGIN = re.compile(rb'\s*\{[^{}]*"generatedAt"\s*:[^{}]*"examples"\s*:\s*\{')


def is_document(head: bytes) -> bool:
    return _BEGIN.match(head.removeprefix(b"\xef\xbb\xbf")) is not None


def split(data: bytes) -> Sequence[tuple[int, int]]:
    """Start and end of each record, and of what stands between them.

    Raises ValueError when `data` is not JSON.
    """
    examples = mapping(mapping(cast("object", orjson.loads(data))).get("examples"))
    spans: list[Span] = []
    position = 0
    for key, events in examples.items():
        begin = re.compile(re.escape(json.dumps(key, ensure_ascii=False).encode()) + rb"\s*:\s*\[")
        found = begin.search(data, position)
        if found is None or not items(events):
            continue
        inner = element_spans(data, found.end() - 1)
        spans += [(position, inner[0][0]), *inner]
        position = inner[-1][1]
    return [*spans, (position, len(data))]
