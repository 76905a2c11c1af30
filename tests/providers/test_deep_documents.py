"""A value that is nested deeply does not make a fault of the session that it stands in."""

from pathlib import Path

import pytest

from agentview.paths import sample_sessions_dir
from agentview.providers import HEAD_BYTES, load_provider

SAMPLES = sample_sessions_dir()
DOCUMENTS = sorted(
    path
    for path in SAMPLES.rglob("*.json*")
    if (form := load_provider(path.relative_to(SAMPLES).parts[0]).documents) is not None
    and form.begin(path.read_bytes()[:HEAD_BYTES])
)


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
        # At the limit of the JSON reader a title may be unknown, but the session is no fault.
        given_up = depth > 900 and provider.name != "gemini_cli"
        assert found == title or (given_up and "could not be read" not in (found or "")), sample
        seen.add(provider.name)
    assert {"gemini_cli", "amp"} <= seen
