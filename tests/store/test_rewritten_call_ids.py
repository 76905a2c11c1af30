"""Samples whose call ids are written over: as many calls are shown as with ids that are unique."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from agentview.domain.tools import ToolCall
from agentview.providers import provider_names
from tests.providers.joined_log import joined, shown
from tests.samples import Sample, all_samples

_LARGEST = 300_000
_FEWEST = 4

Naming = Callable[[ToolCall, int], str]
NAMINGS: dict[str, Naming] = {
    "by turn": lambda call, index: f"{call.provider_name}:{index}",
    "redacted": lambda _call, _index: "REDACTED",
    "empty": lambda _call, _index: "",
}
_BY_ID = "the format tells updates of a call from a new call by the id alone"
_UNKNOWN = "the cause is not known yet"
FALL_SHORT = {
    "claude_stream": ({"empty"}, _UNKNOWN),
    "codex": ({"by turn", "empty"}, _UNKNOWN),
    "copilot": ({"empty"}, _UNKNOWN),
    "cursor": ({"empty"}, _UNKNOWN),
    "happier": ({"redacted", "empty"}, _BY_ID),
    "iflow": ({"by turn", "redacted", "empty"}, _UNKNOWN),
    "inspect_ai": ({"redacted"}, _UNKNOWN),
    "otel": ({"by turn", "redacted", "empty"}, _UNKNOWN),
}
"""Formats that show more or fewer calls with some ids, and why: none may be added."""


def _with_most_calls(provider: str) -> Sample | None:
    best, most = None, _FEWEST - 1
    for sample in all_samples():
        if sample.provider.name != provider or len(sample.data) > _LARGEST:
            continue
        bodies = (event.body for event in sample.events())
        count = len({body.call_id for body in bodies if isinstance(body, ToolCall)})
        if count > most:
            best, most = sample, count
    return best


def _calls(sample: Sample, path: Path) -> list[ToolCall]:
    bodies = (activity.body for activity in shown(joined(sample.provider, path)))
    return [body for body in bodies if isinstance(body, ToolCall)]


def _written_over(sample: Sample, naming: Naming) -> bytes:
    """The sample with other ids; calls of one response are numbered."""
    names: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for event in sample.events():
        body = event.body
        if isinstance(body, ToolCall) and body.call_id not in names:
            response = event.response_id or event.record_id or str(event.source.offset)
            names[body.call_id] = naming(body, counts[response])
            counts[response] += 1
    data = sample.data
    for old in sorted(names, key=len, reverse=True):
        data = data.replace(f'"{old}"'.encode(), f'"{names[old]}"'.encode())
    return data


@pytest.mark.parametrize("provider", provider_names())
def test_as_many_calls_are_shown(provider: str, tmp_path: Path):
    sample = _with_most_calls(provider)
    if sample is None:
        pytest.skip("no sample has calls enough")
    expected = len(_calls(sample, sample.path))
    wrong: set[str] = set()
    for name, naming in NAMINGS.items():
        path = tmp_path / name / sample.path.name
        path.parent.mkdir()
        path.write_bytes(_written_over(sample, naming))
        if len(_calls(sample, path)) != expected:
            wrong.add(name)
    assert wrong == FALL_SHORT.get(provider, (set[str](), ""))[0]
