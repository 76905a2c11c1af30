"""Probes, discovery and side files hold what decoding holds: any value in any place."""

import json
import os
import random
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentview.domain.session import MAIN_STREAM, SessionRef, Stream, StreamKind
from agentview.providers import load_provider, provider_names, recognise
from agentview.providers.base import HEAD_BYTES, Provider
from tests.mutations import ODD, places, put
from tests.samples import Sample, all_samples, line_samples

pytestmark = pytest.mark.slow


def _deep(levels: int) -> bytes:
    return b"[" * levels + b"]" * levels


def _mutants(record: Any, chance: random.Random) -> Iterator[Any]:
    """The record with an odd value in each of its places, one at a time."""
    for place in places(record):
        yield put(record, place, chance.choice(ODD))


def _look_at(provider: Provider, path: Path) -> None:
    """Ask all that a command asks about a file before it decodes it."""
    discovery = provider.discovery
    head = path.read_bytes()[:HEAD_BYTES]
    assert 0.0 <= discovery.probe(head, path) <= 1.0
    for ref in (provider.session_in(path), discovery.ref(path)):
        if ref is not None:
            provider.info(ref)
            assert all(isinstance(place, Path) for place in discovery.child_places(ref))
            for child in discovery.children(ref):
                provider.info(child)
            discovery.externalized_output(ref, "../../x\x00")
            if provider.refresh_ref is not None:
                provider.refresh_ref(ref)


def _first_lines(sample: Sample) -> list[Any]:
    found: list[Any] = []
    for line in sample.data.splitlines()[:4]:
        if len(line) < 20_000:
            try:
                found.append(json.loads(line))
            except ValueError:
                continue
    return found


@pytest.mark.parametrize("sample", line_samples(), ids=str)
def test_an_odd_value_in_any_place_of_a_head_is_survived(sample: Sample, tmp_path: Path) -> None:
    chance = random.Random(sample.name)  # noqa: S311
    path = tmp_path / sample.path.name
    lines = sample.data.splitlines()
    names = sorted({sample.provider.name, *chance.sample(provider_names(), 1)})
    providers = [load_provider(name) for name in names]
    for number, record in enumerate(_first_lines(sample)):
        mutants = list(_mutants(record, chance))
        for mutant in chance.sample(mutants, min(len(mutants), 6)):
            changed = [*lines[:number], json.dumps(mutant).encode(), *lines[number + 1 : 12]]
            path.write_bytes(b"\n".join(changed))
            for provider in providers:
                _look_at(provider, path)
        odd = chance.choice(ODD)
        path.write_bytes(json.dumps(odd).encode() + b"\n" + lines[0])
        for provider in providers:
            _look_at(provider, path)


def _heads(sample: Sample) -> list[Any]:
    """The document, where it is JSON, or the first records."""
    is_json = sample.is_document and sample.path.suffix == ".json"
    return [json.loads(sample.data)] if is_json else _first_lines(sample)


@pytest.mark.parametrize("sample", all_samples(), ids=str)
def test_a_list_or_an_object_in_any_place_is_looked_at(sample: Sample) -> None:
    """Neither can be looked up in a set."""
    discovery, documents = sample.provider.discovery, sample.provider.documents
    odd: list[Any] = [[], {}]
    for record in _heads(sample):
        shapes = {tuple(map(_shape, place)): place for place in places(record)}
        for place, value in product(shapes.values(), odd):
            head = json.dumps(put(record, place, value)).encode()[:HEAD_BYTES]
            assert 0.0 <= discovery.probe(head, sample.path) <= 1.0
            assert documents is None or documents.begin(head) in (False, True)


def _shape(key: str | int) -> str:
    return "#" if isinstance(key, int) else key


@pytest.mark.parametrize("name", provider_names())
def test_what_is_no_log_at_all_is_survived(name: str, tmp_path: Path) -> None:
    provider = load_provider(name)
    texts = (
        b"", b"\n", b"\x00" * 100, b"\xff\xfe", b"{", b'{"type":', b"null\n", b"1" * 5000,
        b"NaN\n", b'"\\ud800"\n', _deep(100_000), b'{"a":' * 5000,
        b'{"type":"user","message":' + _deep(600) + b"}\n",
        b'{"type":"user","message":{"content":[{"type":["x"]}]}}\n',
        b'{"type":"message","role":"user","content":[{"type":["x"]}]}\n',
        b'{"type":"item.started","item":{"type":{"x":1},"item_type":[]}}\n',
    )  # fmt: skip
    for number, text in enumerate(texts):
        for file in (f"{number}.jsonl", f"{number}.json", f"agent-{number}.jsonl"):
            path = tmp_path / file
            path.write_bytes(text)
            _look_at(provider, path)
            recognise(text[:HEAD_BYTES], path)
    provider.scan(tmp_path)


_KEYS = (
    "type", "id", "sessionId", "session_id", "message", "content", "role", "payload", "item",
    "kind", "method", "params", "update", "messages", "parts", "timestamp", "uuid", "cwd",
    "version", "model", "record_type",
)  # fmt: skip

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(_KEYS),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(_VALUES)
@settings(max_examples=150)
def test_no_probe_raises(value: Any) -> None:
    head = json.dumps(value).encode() + b"\n"
    for name in provider_names():
        assert 0.0 <= load_provider(name).discovery.probe(head, Path("log.jsonl")) <= 1.0


ODD_IDS = [
    "../B/S2",
    "..",
    ".",
    "a" * 400,
    "ü" * 200,
    "x\x00y",
    "a/b",
    "a\\b",
    "\ud800",
    "[a-z]*",
    "",
]


@pytest.mark.parametrize("name", provider_names())
@pytest.mark.parametrize("odd", ODD_IDS)
def test_an_id_of_a_log_leads_to_no_other_place(name: str, odd: str, tmp_path: Path) -> None:
    discovery = load_provider(name).discovery
    other = tmp_path / "B" / "S2" / "subagents" / "agent-x.jsonl"
    other.parent.mkdir(parents=True)
    other.write_bytes(b'{"isSidechain":true,"sessionId":"S2","type":"user","agentId":"x"}\n')
    path = tmp_path / "A" / "log.jsonl"
    path.parent.mkdir()
    path.write_bytes(b"{}\n")
    for stream in (MAIN_STREAM, Stream(StreamKind.SUBAGENT, odd)):
        ref = SessionRef(name, odd, str(path), stream)
        assert [child.path for child in discovery.children(ref)] == []
        for place in discovery.child_places(ref):
            assert place.resolve().is_relative_to(tmp_path / "A") or place == tmp_path
        assert discovery.externalized_output(ref, f"/x/{odd}") is None


@pytest.mark.parametrize("name", provider_names())
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(name: str, tmp_path: Path) -> None:
    provider = load_provider(name)
    session = "0b5f3a52-6c55-4f0e-9a51-2f7f3f1f0001"
    log = tmp_path / f"{session}.jsonl"
    log.write_bytes(b'{"type":"user","sessionId":"s","isSidechain":false}\n')
    for pipe in (
        f"rollout-2026-11-23T10-00-00-{session}.jsonl", "agent-a.meta.json", "agent-a.jsonl",
        "session_index.jsonl", "projects.json", "logs.json", f"{session}.json", "x.jsonl.zst",
    ):  # fmt: skip
        os.mkfifo(tmp_path / pipe)
    provider.scan(tmp_path)
    for pipe in tmp_path.iterdir():
        provider.session_in(pipe)
        provider.discovery.ref(pipe)
        provider.info(provider.discovery.ref(pipe))
    for ref in (
        provider.discovery.ref(log),
        SessionRef(name, "a", str(tmp_path / "agent-a.jsonl")),
    ):
        provider.discovery.children(ref)
        provider.info(ref)
