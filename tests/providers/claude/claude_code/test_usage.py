"""Tokens of a session equal those of a count that knows nothing of events."""

from pathlib import Path
from typing import Any

import pytest

from agentview.domain.events import TokenUsage
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.usage import Usage
from agentview.providers.claude.claude_code.decode import decode
from agentview.sources.line_splitter import cut_lines
from tests.providers.claude.claude_code.lines import SAMPLES, objects


def counted(path: Path) -> tuple[int, int]:
    """Input without cache and output, by message id: of each id the largest output counts."""
    of_id: dict[str, tuple[int, int]] = {}
    for _, record in objects(path):
        message: Any = record.get("message") or {}
        usage: Any = message.get("usage") if record.get("type") == "assistant" else None
        if usage and message.get("model") != "<synthetic>":
            key: str = message.get("id") or record.get("requestId") or record["uuid"]
            now: tuple[int, int] = (usage["output_tokens"], usage["input_tokens"])
            of_id[key] = max(of_id.get(key, now), now)
    return sum(entry[1] for entry in of_id.values()), sum(entry[0] for entry in of_id.values())


@pytest.mark.parametrize("path", sorted(SAMPLES.rglob("*.jsonl")), ids=lambda path: path.stem)
def test_usage_equals_an_independent_count(path: Path):
    ref = SessionRef("claude_code", "s", str(path))
    last: dict[str, Usage] = {}
    for line in cut_lines(path.read_bytes() + b"\n", 0, 0):
        source = SourceRef(str(path), line.offset, line.length)
        for event in decode(line.data or b"", source, ref):
            if isinstance(event.body, TokenUsage):
                assert event.replaces == f"usage:{event.body.response_id}"
                last[event.body.response_id] = event.body.usage
    total = Usage(input_uncached=0, output=0)
    for usage in last.values():
        total = total.plus(usage)
    assert (total.input_uncached, total.output) == counted(path)
