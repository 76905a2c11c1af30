"""Logs of Trae CLI, which writes each change of the history as one record, with several items."""

import pytest

from agentview.domain.content import TextBlock
from agentview.domain.events import Hidden, Level, Message, Notification, Reasoning, Unparsed, User
from agentview.domain.tool_inputs import ShellPayload
from tests.providers.codex.log import AT, SAMPLES, bodies, events, finished, joined, report
from tests.providers.joined_log import calls, shown

LOG = SAMPLES / "changes.jsonl"


def test_each_item_of_a_change_is_shown():
    store = joined(LOG)
    found = [each.body for each in shown(store)]
    assert [each.text for each in found if isinstance(each, User)] == ["List the prices."]
    assert [each.text for each in found if isinstance(each, Message)] == [
        "I look at the files.", "There are eur.csv and usd.csv."
    ]  # fmt: skip
    assert [each.withheld for each in found if isinstance(each, Reasoning)] == [True]
    (call,) = calls(store).values()
    assert isinstance(call.payload, ShellPayload)
    assert call.payload.command == "ls prices"
    assert call.output == (TextBlock("eur.csv\nusd.csv\n"),)


def test_responses_count_by_their_own_records():
    used = joined(LOG).summary.usage
    assert (used.input_uncached, used.input_cached, used.cache_write, used.output) == (
        100, 140, 10, 21
    )  # fmt: skip


def test_a_change_that_is_no_addition_is_not_known():
    unknown = [each.body for each in shown(joined(LOG)) if isinstance(each.body, Unparsed)]
    assert [each.record_type for each in unknown] == ["history_mutation/of-tomorrow"]


def test_events_of_one_change_have_ids_of_their_own():
    lines = LOG.read_bytes().splitlines()
    made = events(lines[2])
    assert len({each.id for each in made}) == len(made)
    (nothing,) = events(b'{"type":"history_mutation","payload":{"operation":"append","items":[]}}')
    assert not isinstance(nothing.body, Unparsed)
    (cut,) = events(b'{"type":"history_mutation","payload":{"operation":"append","items":7}}')
    assert isinstance(cut.body, Unparsed)


@pytest.mark.parametrize("kind", [
    "auth_recovery_started", "environment_connected", "environment_disconnected",
    "thread_queue_changed", "elicitation_abandoned", "raw_response_completed",
])  # fmt: skip
def test_reports_of_0_171_that_say_nothing_to_a_reader_are_hidden(kind: str):
    (body,) = bodies(report(type=kind))
    assert isinstance(body, Hidden)


def test_records_of_0_171_around_the_conversation_are_hidden():
    for kind in ("dynamic_tools_updated", "id_allocation"):
        (body,) = bodies({"timestamp": AT, "type": kind, "payload": {}})
        assert isinstance(body, Hidden)
    (body,) = bodies(finished(type="FunctionCallOutput", id="o1", name="read_file", output="x"))
    assert isinstance(body, Hidden)


def test_an_event_of_another_system_is_a_notice():
    (note,) = (e.body for e in shown(joined(LOG)) if isinstance(e.body, Notification))
    assert (note.text, note.level, note.detail) == (
        "Checks failed", Level.ERROR, "test_prices failed"
    )  # fmt: skip
