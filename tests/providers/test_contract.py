"""What every provider owes, shown on its own sample sessions."""

import json
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any, cast

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentview.domain.events import Event, Hidden, ToolResult, Unparsed
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, StreamKind
from agentview.domain.tools import ToolCall, ToolKind
from agentview.providers import load_provider, provider_names, recognise
from agentview.sources.line_splitter import LineSplitter
from tests.golden import golden_bytes, golden_path
from tests.mutations import uncovered
from tests.providers.light import light_of
from tests.samples import Sample, all_samples, line_samples

SAMPLES = all_samples()
PROVIDERS = sorted({sample.provider.name for sample in SAMPLES})

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=6,
)

each_sample = pytest.mark.parametrize("sample", SAMPLES, ids=str)
each_provider = pytest.mark.parametrize("name", PROVIDERS)


def test_every_provider_has_samples():
    assert set(provider_names()) == set(PROVIDERS)


@each_sample
def test_a_sample_is_recognised_by_its_content(sample: Sample):
    found = recognise(sample.data[:65_536], Path("unnamed"))
    assert found is not None
    assert found.name == sample.provider.name


@each_sample
def test_a_head_may_be_cut_anywhere(sample: Sample):
    whole = sample.provider.discovery.probe(sample.data[:65_536], sample.path)
    for size in range(0, 65_536, 1_999):
        head = sample.data[:size]
        assert 0.0 <= sample.provider.discovery.probe(head, sample.path) <= max(whole, 0.99)


@each_provider
def test_what_is_no_log_is_not_claimed(name: str, tmp_path: Path):
    probe = load_provider(name).discovery.probe
    for head in (b"", b"\n", b"\x00" * 64, b"\x89PNG\r\n", b"plain text\n", b"[]", b"{}\n", b"{"):
        assert probe(head, tmp_path / "x.jsonl") == 0.0


@each_sample
def test_golden_events(sample: Sample):
    assert golden_bytes(sample) == golden_path(sample).read_bytes(), (
        "events differ from those written down: read the difference, then `make golden`"
    )


@each_sample
def test_every_byte_of_a_record_belongs_to_an_event(sample: Sample):
    for line in sample.lines():
        events = sample.decode(line)
        assert events
        assert not uncovered(line, events)


@each_sample
def test_ids_are_the_same_on_each_run(sample: Sample):
    assert [event.id for event in sample.events()] == [event.id for event in sample.events()]


@each_sample
def test_an_id_is_shared_only_by_twins(sample: Sample):
    seen: dict[str, Event] = {}
    for event in sample.events():
        known = seen.setdefault(event.id, event)
        if known is not event:
            assert known.body == event.body
            assert (known.dedupe_key, known.replaces) == (event.dedupe_key, event.replaces)


@pytest.mark.parametrize("sample", line_samples(), ids=str)
def test_pieces_of_any_size_give_the_same_events(sample: Sample):
    data = sample.data
    ref = sample.ref
    expected = [event.id for event in sample.events()]
    splitter = LineSplitter()
    ids: list[str] = []
    position = 0
    sizes = cycle((1, 7, 100, 4096, 33, 100_000, 2))
    while position < len(data):
        size = next(sizes)
        for line in splitter.feed(data[position : position + size]):
            ids.extend(event.id for event in sample.decode(line, ref))
        position += size
    last = splitter.finish()
    if last is not None:
        ids.extend(event.id for event in sample.decode(last, ref))
    assert ids == expected


@each_sample
def test_a_cut_record_is_accounted_for(sample: Sample):
    ref = sample.ref
    for number, line in enumerate(sample.lines()):
        assert line.data is not None
        cut = line.data[: 1 + len(line.data) * (number % 8) // 8]
        events = sample.provider.decode(cut, SourceRef("x", line.offset, len(cut)), ref)
        assert events


@pytest.mark.slow
@each_provider
@settings(max_examples=150)
@given(data=st.data())
def test_a_field_of_any_type_is_read_without_raising(name: str, data: st.DataObject):
    own = [sample for sample in SAMPLES if sample.provider.name == name]
    sample = data.draw(st.sampled_from(own))
    line = data.draw(st.sampled_from(sample.lines()))
    assert line.data is not None
    try:
        value = orjson.loads(line.data)
    except ValueError:
        value = {}
    places = list(_places(value))
    if places:
        holder, key = data.draw(st.sampled_from(places))
        holder[key] = data.draw(json_values)
    record = json.dumps(value).encode()
    events = sample.provider.decode(record, SourceRef("x", 0, len(record)), sample.ref)
    assert events
    if sample.provider.reading.light is not None:
        light_of(sample.provider, record, sample.ref)
    for event in events:
        if isinstance(event.body, ToolCall):
            outcome = ToolResult(event.body.call_id, ok=True, structured=data.draw(json_values))
            joined = sample.provider.reading.attach_result(event.body, outcome)
            assert joined.call_id == event.body.call_id


@each_sample
def test_light_events_say_what_the_events_say(sample: Sample):
    for line in sample.lines():
        if sample.provider.reading.light is not None and line.data is not None:
            light_of(sample.provider, line.data, sample.ref)


def _places(value: Any) -> Iterator[tuple[Any, str | int]]:
    """Every place in a value that another one can be put in."""
    if isinstance(value, dict):
        keys: list[Any] = list(cast("dict[str, Any]", value))
    elif isinstance(value, list):
        keys = list(range(len(cast("list[Any]", value))))
    else:
        return
    for key in keys:
        yield value, key
        yield from _places(value[key])


@each_provider
@given(record=st.binary(max_size=200))
def test_any_bytes_are_accounted_for(name: str, record: bytes):
    ref = SessionRef(name, "s", "x")
    provider = load_provider(name)
    events = provider.decode(record, SourceRef("x", 0, len(record)), ref)
    assert events
    # Where records are text and have no keys, any text may have been written.
    is_text = provider.record_type_keys.is_text
    assert is_text or all(isinstance(event.body, Unparsed | Hidden) for event in events)
    if provider.reading.light is not None:
        light_of(provider, record, ref)


@each_provider
def test_a_known_tool_has_a_kind(name: str):
    provider = load_provider(name)
    for tool, kind in provider.reading.tool_kinds.items():
        assert provider.reading.kind_of(tool) is kind
    assert provider.reading.kind_of("no_such_tool_anywhere") is ToolKind.UNKNOWN


@each_sample
def test_unused_keys_lead_to_values(sample: Sample):
    for line in sample.lines():
        assert line.data is not None
        try:
            value = orjson.loads(line.data)
        except ValueError:
            continue
        unused = sample.provider.reading.unused_keys
        for pointer in unused(line.data, SourceRef("x", 0, 0), sample.ref):
            at: Any = value
            for part in pointer.split("/")[1:]:
                key = part.replace("~1", "/").replace("~0", "~")
                at = at[int(key) if isinstance(at, list) else key]


@each_sample
def test_agents_files_are_found_from_their_session(sample: Sample):
    ref = sample.ref
    if ref.stream.kind is StreamKind.MAIN:
        for child in sample.provider.discovery.children(ref):
            assert child.session_id == ref.session_id
            assert child.stream.kind is not StreamKind.MAIN
            assert any(
                Path(child.path).is_relative_to(place)
                for place in sample.provider.discovery.child_places(ref)
            )
    else:
        assert ref.parent_id is not None
        assert sample.provider.resume_command(ref) is None


@each_sample
def test_info_is_of_the_records(sample: Sample):
    info = sample.provider.info(sample.ref)
    times = [event.time for event in sample.events() if event.time is not None]
    if info.started is not None and info.last_activity is not None:
        assert min(times) <= info.started <= info.last_activity <= max(times)
