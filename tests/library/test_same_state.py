"""A session has one state: in the list, in the table of `ls` and on its own screen."""

from pathlib import Path

import pytest

from agentview.library.liveness import current_status
from agentview.paths import sample_sessions_dir
from agentview.providers import HEAD_BYTES, recognise
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
    info = provider.discovery.info(provider.discovery.ref(path))
    for after in (1.0, 7200.0):
        now = (store.summary.last_time or info.ref.modified or 0.0) + after
        timed = (info.last_activity is None) is (store.summary.last_time is None)
        assert not timed or store.status(now).state is current_status(info, now).state
