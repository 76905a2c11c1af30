"""A turn is over for certain only where the record says so: each sample, cut after each record."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from agentview.domain.events import (
    Attachment,
    Compaction,
    Event,
    Message,
    Notification,
    Reasoning,
    SlashCommand,
    Topic,
    User,
)
from agentview.domain.session import MAIN_STREAM
from agentview.domain.session_state import SessionState, SessionStatus
from agentview.domain.tools import ToolCall
from agentview.sources.line_splitter import Line
from agentview.timeline.rows.reducing import reduce_lines
from agentview.timeline.rows.session_store import SessionStore
from tests.samples import Sample, all_samples

_OVER = (SessionState.YOUR_TURN, SessionState.ENDED)
_SAMPLES = all_samples()
_COPIED = [s for s in _SAMPLES if not s.is_document and s.ref.stream == MAIN_STREAM]
"""Those that are the same sessions elsewhere: an agent's place says whose it is."""


def _is_over(status: SessionStatus) -> bool:
    """Return True if the turn is over for certain."""
    return status.certain and status.state in _OVER


def _after_messages(
    sample: Sample, lines: list[Line], events: list[list[Event]]
) -> Iterator[tuple[int, SessionStatus]]:
    """What a reader who opened the log after each record with a message would have seen."""
    ref = sample.ref
    store = SessionStore(sample.provider, ref)
    for at, fact in enumerate(reduce_lines(ref, lines)):
        store.append([fact])
        if any(isinstance(event.body, Message) for event in events[at]):
            yield at, store.log_status()


def _fresh(sample: Sample, lines: list[Line]) -> list[list[Event]]:
    """Events of each record in the stream of the log, without those that repeat earlier ones."""
    ref = sample.ref
    seen: set[str] = set()
    found: list[list[Event]] = []
    for line in lines:
        found.append([])
        for event in sample.decode(line, ref):
            keys = {key for key in (event.dedupe_key, event.replaces) if key is not None}
            if event.stream in (MAIN_STREAM, ref.stream) and not keys & seen:
                found[-1].append(event)
            seen |= keys
    return found


def _is_asked(event: Event) -> bool:
    """Return True if somebody, or the client in their place, has the agent continue."""
    body = event.body
    if isinstance(body, Notification):
        return body.topic in (Topic.BACKGROUND, Topic.HOOK, Topic.INTERRUPT)
    return isinstance(body, User | SlashCommand | Attachment | Compaction)


def _continues(later: list[list[Event]]) -> bool:
    """Return True if the agent does something before anybody asks it to."""
    for event in (event for record in later for event in record):
        if _is_asked(event):
            return False
        if isinstance(event.body, Message | Reasoning | ToolCall):
            return True
    return False


@pytest.mark.parametrize("sample", _SAMPLES, ids=str)
def test_an_agent_whose_turn_is_over_does_not_continue_by_itself(sample: Sample) -> None:
    lines = sample.lines()
    events = _fresh(sample, lines)
    over = [at for at, status in _after_messages(sample, lines, events) if _is_over(status)]
    assert [at for at in over if _continues(events[at + 1 :])] == []


@pytest.mark.slow
@pytest.mark.parametrize("sample", _COPIED, ids=str)
def test_the_list_says_the_same_of_a_log_that_ends_with_a_message(
    tmp_path: Path, sample: Sample
) -> None:
    lines = sample.lines()
    log = tmp_path / sample.path.name
    for at, status in _after_messages(sample, lines, _fresh(sample, lines)):
        log.write_bytes(sample.data[: lines[at].offset + lines[at].length])
        listed = sample.provider.info(sample.provider.discovery.ref(log)).status
        assert (at, listed.state) == (at, status.state)
        assert (at, _is_over(listed)) == (at, _is_over(status))
