"""A session has one state, title, model and branch: in the list, in `ls` and on its screen."""

from pathlib import Path

import pytest

from agentview.providers import recognise
from agentview.providers._kit.session_info import TITLE_CHARS
from agentview.providers.base import HEAD_BYTES
from agentview.sessions.library.liveness import current_status, status_and_client
from agentview.system.paths import sample_sessions_dir
from tests.providers import joined_log

SAMPLES = sorted(
    path
    for path in sample_sessions_dir().rglob("*")
    if path.suffix in (".jsonl", ".json") and path.is_file()
)
MANY_RUNS = "histories.jsonl"
"""Its last record repeats runs that are over, which only the whole log shows."""


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: "/".join(path.parts[-2:]))
def test_the_state_of_a_sample_is_the_same_in_the_list_and_on_its_screen(path: Path) -> None:
    provider = recognise(path.read_bytes()[:HEAD_BYTES], path)
    if provider is None or path.name == MANY_RUNS:
        return
    store = joined_log.joined(provider, path)
    info = provider.info(provider.discovery.ref(path))
    store.client = lambda now: status_and_client(info, now)[1]
    for after in (1.0, 7200.0):
        now = (store.summary.times.last or info.ref.modified or 0.0) + after
        assert store.status(now).state is current_status(info, now).state
    summary = store.summary
    title = " ".join((summary.own_title or "").split())[:TITLE_CHARS]
    assert title in ("", info.title)
    assert summary.text("model") in (None, info.model)
    assert summary.text("branch") in (None, info.branch)
    assert summary.text("client_version") in (None, info.client_version)
    times = summary.times
    assert info.last_activity == times.last
    # The list decodes of the two ends what describes the session: an earlier record, of a log in
    # disorder or within the first second, may be among the others.
    read = [store.time(row) for row in range(store.first, store.end)]
    known = [time for time in read if time is not None]
    if times.first is None or known != sorted(known):
        return
    assert info.started is not None
    assert 0 <= info.started - times.first < 1.0


def test_light_events_say_the_same_of_a_session_as_those_that_are_made() -> None:
    seen = 0
    for path in SAMPLES:
        provider = recognise(path.read_bytes()[:HEAD_BYTES], path)
        if provider is None or provider.reading.light is None:
            continue
        ref, look = provider.discovery.ref(path), provider.discovery.info
        assert look(ref, provider.light) == look(ref, provider.decode), path
        seen += 1
    assert seen > 20
