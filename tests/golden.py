"""Expected events of the sample sessions: `python -m tests.golden` writes them anew."""

import hashlib
from enum import Enum
from pathlib import Path
from typing import Any, cast

import orjson
from msgspec.structs import asdict

from agentview.domain.events import Event, ToolResult
from agentview.domain.tools import ToolCall
from agentview.domain.value import Value
from agentview.normalize.calls_in_order import CallsOfEvents
from tests.samples import Sample, all_samples

GOLDEN = Path(__file__).parent / "golden"
_LONG = 80
_SAID_BEFORE = ("args", "args_json", "payload", "provider_name", "output", "error")
"""What a call and its result have said by themselves."""


def golden_path(sample: Sample) -> Path:
    return GOLDEN / sample.provider.name / f"{sample.name}.jsonl"


def golden_bytes(sample: Sample) -> bytes:
    """All events of a sample, one a line, and each call as it is once its result is known."""
    calls: dict[int | None, ToolCall] = {}
    joins = CallsOfEvents()
    shown: list[object] = []
    facts: object = None
    for event in sample.events():
        changed = event.facts != facts
        facts = event.facts
        shown.append(_shown_event(event, with_facts=changed))
        body = event.body
        joins.count(event)
        if isinstance(body, ToolCall):
            calls[joins.called(event, body.call_id).row] = body
        elif isinstance(body, ToolResult):
            call = calls.get(joins.answered(event, body))
            if call is not None:
                answered = sample.provider.reading.attach_result(call, body)
                shown.append({"answered": _fields(answered, _SAID_BEFORE)})
    return b"".join(orjson.dumps(item, option=orjson.OPT_APPEND_NEWLINE) for item in shown)


def _shown_event(event: Event, *, with_facts: bool) -> dict[str, object]:
    left_out = ("source", "session_id") if with_facts else ("source", "session_id", "facts")
    shown = _fields(event, (*left_out, "suffix"))
    return {"at": event.source.offset, "id": event.id, **shown}


def _shown(value: Any) -> object:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Value):
        return {"is": type(value).__name__, **_fields(value)}
    if isinstance(value, dict):
        pairs = cast("dict[object, object]", value)
        return {str(key): _shown(item) for key, item in pairs.items()}
    if isinstance(value, list | tuple):
        return [_shown(item) for item in cast("list[object]", value)]
    if isinstance(value, str) and len(value) > _LONG:
        digest = hashlib.sha256(value.encode()).hexdigest()[:12]
        return f"{value[:_LONG]}… {len(value)} characters, {digest}"
    return value


def _fields(value: Value, left_out: tuple[str, ...] = ()) -> dict[str, object]:
    """Fields that say something: those that are None or empty are left out."""
    return {
        name: _shown(item)
        for name, item in asdict(value).items()
        if name not in left_out and item is not None and item not in ("", (), False)
    }


def main() -> None:
    for sample in all_samples():
        path = golden_path(sample)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(golden_bytes(sample))


if __name__ == "__main__":
    main()
