"""The keys that the raw view marks are those that nothing reads, in records of all providers."""

import copy
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import orjson
import pytest
from msgspec.structs import replace

from agentview.domain.events import Body, Event, ToolResult, Unparsed
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall
from agentview.facts.accounting.log_bytes import LogBytes, records_of
from agentview.providers import load_provider, provider_names, recognise
from agentview.providers.base import HEAD_BYTES, Provider
from agentview.system.paths import sample_sessions_dir

pytestmark = pytest.mark.slow

NEW_KEY = "keyOfAnotherVersion"


def sessions() -> list[SessionRef]:
    """All samples, those that are one document too."""
    found: list[SessionRef] = []
    for path in sorted(sample_sessions_dir().rglob("*")):
        if path.is_file():
            provider = recognise(path.read_bytes()[:HEAD_BYTES], path)
            found += [provider.discovery.ref(path)] if provider is not None else []
    return found


def name_of(ref: SessionRef) -> str:
    return str(Path(ref.path).relative_to(sample_sessions_dir()))


each_session = pytest.mark.parametrize("ref", sessions(), ids=name_of)


def objects(ref: SessionRef) -> Iterator[dict[str, Any]]:
    """The records that are JSON objects."""
    provider = load_provider(ref.provider)
    for line, _ in records_of(provider, Path(ref.path), LogBytes()):
        try:
            value: object = orjson.loads(line.data or b"")
        except ValueError:
            continue
        if isinstance(value, dict):
            yield cast("dict[str, Any]", value)


def decoded(ref: SessionRef, value: object) -> list[Event]:
    source = SourceRef(ref.path, 0, 0)
    return load_provider(ref.provider).decode(orjson.dumps(value), source, ref)


def unused(ref: SessionRef, value: object) -> Sequence[str]:
    source = SourceRef(ref.path, 0, 0)
    return load_provider(ref.provider).reading.unused_keys(orjson.dumps(value), source, ref)


def calls_of(ref: SessionRef) -> dict[str, ToolCall]:
    events = (event for value in objects(ref) for event in decoded(ref, value))
    return {event.body.call_id: event.body for event in events if isinstance(event.body, ToolCall)}


def without(value: Any, pointer: str) -> Any:
    """The value without what a JSON pointer leads to."""
    copied = copy.deepcopy(value)
    *way, last = (part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])
    at = copied
    for part in way:
        at = at[int(part) if isinstance(at, list) else part]
    del at[last]
    return copied


def read(provider: Provider, calls: Mapping[str, ToolCall], event: Event) -> object:
    """What was read of a record: all but copies of it as it stands."""
    body: Body | tuple[object, ...] = event.body
    if isinstance(body, ToolCall):
        body = replace(body, args=None, args_json="")
    elif isinstance(body, Unparsed):
        # Equal ones are known by all of their bytes.
        body, event = replace(body, excerpt=""), replace(event, dedupe_key=None)
    elif isinstance(body, ToolResult):
        call = calls.get(body.call_id)
        answered = None if call is None else provider.reading.attach_result(call, body)
        body = (answered, replace(body, structured=None))
    # Some suffixes end in a digest of the record, and some places are those of a part of it.
    suffix, _, _ = event.suffix.partition("~")
    return replace(event, body=body, suffix=suffix, source=SourceRef("", 0, 0))


@each_session
def test_nothing_is_read_of_what_is_marked(ref: SessionRef):
    provider, calls = load_provider(ref.provider), calls_of(ref)
    for value in objects(ref):
        marked = unused(ref, value)
        before = [read(provider, calls, event) for event in decoded(ref, value)] if marked else []
        for pointer in marked:
            left = without(value, pointer)
            after = [read(provider, calls, event) for event in decoded(ref, left)]
            assert after == before, pointer


@each_session
def test_a_key_that_another_version_adds_is_marked(ref: SessionRef):
    for value in objects(ref):
        newer = {**value, NEW_KEY: {"x": 1}}
        if f"/{NEW_KEY}" in unused(ref, newer):
            continue
        # What a program puts around messages of a protocol may have any keys.
        framed = {
            key: {**cast("dict[str, Any]", item), NEW_KEY: 1} if isinstance(item, dict) else item
            for key, item in value.items()
        }
        marked = unused(ref, framed)
        assert any(pointer.endswith(f"/{NEW_KEY}") for pointer in marked), value


@pytest.mark.parametrize("name", provider_names())
def test_most_keys_are_read(name: str):
    marked = keys = 0
    for ref in sessions():
        if ref.provider == name:
            for value in objects(ref):
                keys += len(value)
                pointers = unused(ref, value)
                marked += sum(1 for pointer in pointers if pointer.count("/") == 1)
    is_text = load_provider(name).record_type_keys.is_text
    assert (keys == 0) is is_text
    assert marked < keys * 0.5 or is_text


@pytest.mark.parametrize("name", provider_names())
def test_a_type_may_be_anything(name: str):
    provider = load_provider(name)
    kinds: tuple[object, ...] = ([], {"a": 1}, 1, None)
    for kind in kinds:
        record: dict[str, Any] = {
            "type": kind,
            "payload": {"type": kind},
            "session_id": "s",
            "timestamp": "x",
        }
        assert isinstance(unused(SessionRef(name, "s", "x"), record), Sequence)
        assert provider.record_type_keys.protocol(record)
