"""Sessions that benchmarks are made on: the same each time, as large as asked for, and real."""

from collections import Counter
from pathlib import Path
from typing import Any

import orjson
import pytest

from agentview.domain.events import Body, Compaction, ToolProgress, ToolResult, Unparsed
from agentview.domain.record_ref import SourceRef
from agentview.domain.tools import ToolCall, ToolKind
from agentview.providers import recognise
from agentview.providers.base import HEAD_BYTES
from benchmarks import generate
from benchmarks.generate import END, KB, LEAN, MB, RICH, Conversation
from benchmarks.records import NEEDLE


def records(path: Path) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in path.read_bytes().splitlines()]


def bodies(path: Path) -> list[Body]:
    """What the program makes of a session."""
    provider = recognise(path.read_bytes()[:HEAD_BYTES], path)
    assert provider is not None
    ref = provider.discovery.ref(path)
    found: list[Body] = []
    offset = 0
    for line in path.read_bytes().splitlines(keepends=True):
        place = SourceRef(str(path), offset, len(line))
        found += [event.body for event in provider.decode(line, place, ref)]
        offset += len(line)
    return found


def test_same_seed_gives_the_same_bytes(cache: Path) -> None:
    first = generate.session(200 * KB).path
    before = first.read_bytes()
    for file in (first, first.with_name("facts.json")):
        file.unlink()
    again = generate.session(200 * KB).path
    assert again == first
    assert again.read_bytes() == before
    assert cache in again.parents


def test_another_seed_gives_another_session() -> None:
    one, other = (generate.session(50 * KB, RICH, seed).path.read_bytes() for seed in (1, 2))
    assert one != other


def test_is_kept() -> None:
    made = generate.session(50 * KB)
    changed = made.path.stat().st_mtime_ns
    assert generate.session(50 * KB) == made
    assert made.path.stat().st_mtime_ns == changed


@pytest.mark.parametrize("size", [10 * KB, 100 * KB, 2 * MB])
def test_size_is_that_asked_for(size: int) -> None:
    made = generate.session(size)
    assert made.size == made.path.stat().st_size
    assert size <= made.size < size + 600 * KB
    assert made.records == len(records(made.path))


@pytest.mark.parametrize(("profile", "least", "most"), [(LEAN, 900, 1500), (RICH, 3000, 6500)])
def test_records_have_the_size_of_their_profile(
    profile: generate.Profile, least: int, most: int
) -> None:
    made = generate.session(3 * MB, profile)
    assert least < made.size / made.records < most


def test_no_slot_is_left_open() -> None:
    assert b"@@" not in generate.session(2 * MB).path.read_bytes()


def test_records_form_a_chain() -> None:
    chain = [record for record in records(generate.session(500 * KB).path) if "uuid" in record]
    uuids = [record["uuid"] for record in chain]
    assert len(set(uuids)) == len(uuids)
    assert [record["parentUuid"] for record in chain] == [None, *uuids[:-1]]
    times = [record["timestamp"] for record in chain]
    assert times == sorted(times)


def test_the_program_reads_all_of_it() -> None:
    found = bodies(generate.session(2 * MB).path)
    assert not [body for body in found if isinstance(body, Unparsed)]
    calls = {body.call_id: body for body in found if isinstance(body, ToolCall)}
    results = [body.call_id for body in found if isinstance(body, ToolResult)]
    assert set(results) == set(calls)
    assert len(results) == len(calls)
    kinds = {call.kind for call in calls.values()}
    assert {ToolKind.SHELL, ToolKind.READ, ToolKind.EDIT, ToolKind.GREP} <= kinds
    assert ToolKind.UNKNOWN not in kinds
    assert any(isinstance(body, ToolProgress) for body in found)


def test_mix_is_that_of_real_logs() -> None:
    made = records(generate.session(4 * MB, LEAN).path)
    count = Counter(record["type"] for record in made)
    total = sum(count.values())
    assert 0.35 < count["assistant"] / total < 0.6
    assert 0.18 < count["user"] / total < 0.35
    assert 0.05 < count["progress"] / total < 0.25
    assert count["attachment"]
    assert count["system"]


def test_long_sessions_are_compacted() -> None:
    found = bodies(generate.session(5 * MB, LEAN).path)
    assert any(isinstance(body, Compaction) for body in found)


def test_end_and_needle_stand_where_they_are_looked_for() -> None:
    path = generate.session(6 * MB, LEAN).path
    *before, last = path.read_bytes().splitlines()
    assert END.encode() in last
    assert not any(END.encode() in line for line in before)
    assert any(NEEDLE.encode() in line for line in before)


def test_long_line_stands_in_the_middle() -> None:
    made = generate.long_line_session(3 * MB, MB)
    lengths = [len(line) + 1 for line in made.path.read_bytes().splitlines()]
    longest = max(lengths)
    assert abs(longest - MB) < 10
    at = lengths.index(longest)
    assert 0.3 < sum(lengths[:at]) / made.size < 0.4
    assert orjson.loads(made.path.read_bytes().splitlines()[at])["type"] == "user"


def test_big_result_is_the_last_record() -> None:
    path = generate.big_result_session(300 * KB).path
    last = path.read_bytes().splitlines()[-1]
    assert abs(len(last) + 1 - 300 * KB) < 10
    (result,) = [body for body in bodies(path) if isinstance(body, ToolResult)][-1:]
    assert result.ok is not False


def test_stream_goes_on_without_an_end() -> None:
    conversation = Conversation("session")
    steps = generate.stream(conversation, LEAN)
    pieces = [next(steps) for _ in range(2000)]
    assert conversation.records == sum(piece.count(b"\n") for piece in pieces)
    assert conversation.steps == 2000


@pytest.mark.parametrize(
    ("text", "size"), [("10kB", 10_000), ("1.2GB", 1_200_000_000), ("20 MB", 20_000_000), ("7", 7)]
)
def test_sizes_are_read(text: str, size: int) -> None:
    assert generate.parse_size(text) == size


@pytest.mark.parametrize("text", ["", "MB", "10 lines", "-5kB"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no size"):
        generate.parse_size(text)
