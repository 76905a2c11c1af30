"""A value that is nested deeply does not make a fault of the session that it stands in."""

from pathlib import Path

import pytest

from agentview.providers import load_provider
from agentview.providers.base import HEAD_BYTES
from agentview.system.paths import sample_sessions_dir

SAMPLES = sample_sessions_dir()
DOCUMENTS = sorted(
    path
    for path in SAMPLES.rglob("*.json*")
    if (form := load_provider(path.relative_to(SAMPLES).parts[0]).documents) is not None
    and form.begin(path.read_bytes()[:HEAD_BYTES])
)
_READ_WHOLE = ("copilot", "happier")
"""Providers whose documents are known, or divided, by what stands behind or around their items."""


@pytest.mark.parametrize("depth", [200, 500, 1000])
def test_titles_stay_beside_what_is_nested_deeply(depth: int, tmp_path: Path) -> None:
    seen = set[str]()
    for sample in DOCUMENTS:
        data = sample.read_bytes()
        at = data.find(b"{") + 1
        path = tmp_path / sample.relative_to(SAMPLES)
        path.parent.mkdir(parents=True, exist_ok=True)
        provider = load_provider(sample.relative_to(SAMPLES).parts[0])
        path.write_bytes(data)
        plain = provider.discovery.ref(path)
        title = provider.info(plain).title
        path.write_bytes(data[:at] + b'"zz":' + b"[" * depth + b"]" * depth + b"," + data[at:])
        found = provider.info(plain).title
        assert found == title, sample
        seen.add(provider.name)
    assert {"gemini_cli", "amp"} <= seen


@pytest.mark.parametrize("depth", [1000, 3000])
def test_an_item_that_is_nested_deeply_hides_no_other(depth: int, tmp_path: Path) -> None:
    seen = set[str]()
    for sample in DOCUMENTS:
        data = sample.read_bytes()
        provider = load_provider(sample.relative_to(SAMPLES).parts[0])
        documents = provider.documents
        assert documents is not None
        spans = documents.split(data)
        last = next((start for start, _ in reversed(spans[2:]) if data[start] == ord("{")), None)
        if last is None or (depth > 1024 and provider.name in _READ_WHOLE):
            continue
        deep = b'"zz":' + b"[" * depth + b"]" * depth + b","
        made = data[: last + 1] + deep + data[last + 1 :]
        path = tmp_path / sample.relative_to(SAMPLES)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        plain = provider.discovery.ref(path)
        title = provider.info(plain).title
        path.write_bytes(made)
        assert len(documents.split(made)) == len(spans), sample
        assert provider.discovery.probe(made[:HEAD_BYTES], path) > 0, sample
        assert provider.info(plain).title == title, sample
        seen.add(provider.name)
    assert {"gemini_cli", "amp", "cline", "atif"} <= seen
