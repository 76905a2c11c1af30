"""The oldest sessions are one JSON document, with the items of later logs."""

from pathlib import Path

from agentview.domain.session_state import SessionState
from agentview.domain.tools import ToolState
from agentview.providers import load_provider, recognise
from agentview.providers.base import HEAD_BYTES
from agentview.providers.codex import PROVIDER
from agentview.providers.codex.discovery import DISCOVERY
from tests.providers.codex.log import SAMPLES, joined
from tests.providers.joined_log import calls, shown

_SAMPLE = SAMPLES / "document.json"
_ID = "5f0c1f8e-3a5b-4b6e-9d0f-7a1b2c3d4e5f"


def test_a_document_is_read_as_its_items_say():
    store = joined(_SAMPLE)
    states = [call.state for call in calls(store).values()]
    good, bad = ToolState.OUTPUT_AVAILABLE, ToolState.OUTPUT_ERROR
    assert states == [good, good, bad, bad]
    assert (len(shown(store)), store.summary.turns) == (9, 2)


def test_a_document_is_found_and_told(tmp_path: Path):
    place = tmp_path / "sessions"
    place.mkdir()
    log = place / f"rollout-2025-04-20-{_ID}.json"
    log.write_bytes(_SAMPLE.read_bytes())
    (place / "other.json").write_text('{"session": {}, "items": []}')
    assert [Path(ref.path) for ref in PROVIDER.scan(place)] == [log]
    assert recognise(log.read_bytes()[:HEAD_BYTES], log) is load_provider(PROVIDER.name)
    info = PROVIDER.info(DISCOVERY.ref(log))
    assert (info.ref.session_id, info.started) == (_ID, 1745141400.0)
    assert info.title == "List the files, then fix the greeting"
    assert info.state is SessionState.YOUR_TURN


def test_a_document_that_is_cut_still_has_its_title():
    data = _SAMPLE.read_bytes()
    for length in range(400, len(data), 97):
        assert DISCOVERY.probe(data[:length], _SAMPLE) == 0.95
