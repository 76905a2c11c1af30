"""Calls that share an id: each is shown with its own input and output, in any reading order."""

import pickle
from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from agentview.domain.content import TextBlock
from agentview.domain.events import (
    OPEN,
    REPEATED,
    Body,
    Event,
    Message,
    Notification,
    ToolResult,
    Topic,
    User,
    runs,
)
from agentview.domain.index_entry import RecordFacts
from agentview.domain.record_ref import SourceRef
from agentview.domain.tools import ToolCall
from agentview.normalize.build import tool_call
from agentview.normalize.light_events import light_events, reduce_record
from agentview.providers.codex.tools import SPECS
from agentview.timeline.rows.assembler import Assembler

_LENGTH = 100


def _call(command: str, name: str = "terminal:0") -> ToolCall:
    return tool_call(call_id=name, name="run", arguments={"command": command}, spec=None)


def _result(name: str = "terminal:0") -> ToolResult:
    return ToolResult(name, True, (TextBlock("out"),))


def _event(
    row: int, body: Body, response: str | None = None, path: str = "", *, amends: bool = False
) -> Event:
    source = SourceRef("log", row * _LENGTH, _LENGTH)
    return Event("", "s", source, body, response_id=response, path=path, amends=amends)


def _records(events: Sequence[Event]) -> list[RecordFacts]:
    moved = [
        replace(event, source=SourceRef("log", row * _LENGTH, _LENGTH))
        for row, event in enumerate(events)
    ]
    return [reduce_record(event.source.offset, _LENGTH, light_events([event])) for event in moved]


def _results(assembler: Assembler) -> dict[int, list[int]]:
    """Rows of results, outcomes and calls that are folded in, by the rows of calls."""
    first, parts = assembler.rows.first, (Assembler.results, Assembler.reported, Assembler.requests)
    return {
        row - first: [part - first for of in parts for part in of(assembler, row)]
        for row in range(first, assembler.rows.end)
        if assembler.calls.is_call(row) and not assembler.absent(row)
    }


def _taken_over(records: Sequence[RecordFacts], cut: int) -> Assembler:
    """Another process reads what is before the cut, while records come that it does not read."""
    own, other = Assembler(has_linked_events=True), Assembler(has_linked_events=True)
    known = (cut + len(records)) // 2
    for each in (own, other):
        each.append(records[cut:known])
    own.begin_absorbing()
    own.append(records[known:])
    for start, end in ((cut // 2, cut), (0, cut // 2)):
        packet = other.packet(start, other.prepend(records[start:end]))
        own.absorb(pickle.loads(pickle.dumps(packet)))
    for part in list(other.keys()):
        own.absorb_keys(part)
    return own


def _continued(records: Sequence[RecordFacts], cut: int) -> Assembler:
    """Another process has read all before the cut when more comes."""
    own, other = Assembler(has_linked_events=True), Assembler(has_linked_events=True)
    own.begin_absorbing()
    own.absorb(pickle.loads(pickle.dumps(other.packet(0, other.prepend(records[:cut])))))
    for part in list(other.keys()):
        own.absorb_keys(part)
    own.settle()
    own.append(records[cut:])
    return own


def _in_every_order(events: Sequence[Event]) -> dict[int, list[int]]:
    records = _records(events)
    forward = Assembler(has_linked_events=True)
    forward.append(records)
    found = _results(forward)
    for cut in range(len(records) + 1):
        back, grown = Assembler(has_linked_events=True), Assembler(has_linked_events=True)
        back.append(records[cut:])
        back.prepend(records[:cut])
        grown.append(records[:cut])
        grown.settle()
        grown.append(records[cut:])
        assert _results(back) == found, cut
        assert _results(grown) == found, cut
        assert _results(_continued(records, cut)) == found, cut
        assert _results(_taken_over(records, cut)) == found, cut
        assert {row - back.rows.first for row in back.summary.pending} == set(
            forward.summary.pending
        )
    return found


def _ended(name: str = "terminal:0") -> Notification:
    return Notification(Topic.BACKGROUND, "done", call_id=name)


def test_an_end_belongs_to_the_call_that_began_what_it_names():
    turns = [
        part
        for task in ("a", "b", "")
        for part in (
            _event(0, _call(f"run {task}"), task),
            _event(0, _result(), path=runs(task)),
            _event(0, User("next")),
        )
    ]
    ends = [_event(0, _ended(), path=runs(task)) for task in ("a", "b", "b", "other")]
    assert _in_every_order([*turns, *ends]) == {0: [1, 9], 3: [4, 10, 11], 6: [7, 12]}


def test_results_that_begin_something_belong_to_parallel_calls_in_order():
    calls = [_event(0, _call(f"run {task}"), "r") for task in ("a", "b")]
    results = [_event(0, _result(), path=runs(task)) for task in ("a", "b")]
    ends = [_event(0, _ended(), path=runs(task)) for task in ("b", "a")]
    assert _in_every_order([*calls, *results, *ends]) == {0: [2, 5], 1: [3, 4]}


def _poll(name: str, process: str) -> ToolCall:
    arguments = {"session_id": process, "chars": ""}
    return tool_call(
        call_id=name, name="write_stdin", arguments=arguments, spec=SPECS["write_stdin"]
    )


def test_calls_on_what_runs_on_are_folded_into_the_call_that_began_it():
    events = [
        _event(0, _poll("early", "7")),
        _event(0, _result("early")),
        _event(0, _call("make", "first")),
        _event(0, _result("first"), path=runs("7")),
        _event(0, _poll("p", "7")),
        _event(0, _result("p"), path=runs("7")),
        _event(0, _call("serve", "second")),
        _event(0, _result("second"), path=runs("8")),
        _event(0, _poll("q", "7")),
        _event(0, _poll("r", "8")),
        _event(0, _result("q")),
        _event(0, _result("r"), path=runs("8")),
        _event(0, _call("make", "third")),
        _event(0, _result("third"), path=runs("7")),
        _event(0, _poll("s", "7")),
        _event(0, _poll("other", "9")),
    ]
    found = _in_every_order(events)
    assert found == {0: [1], 2: [3, 4, 8], 6: [7, 9], 12: [13, 14], 15: []}


def test_an_id_is_used_again_in_each_turn():
    events = [
        _event(0, body)
        for step in range(3)
        for body in (User(f"step {step}"), _call(f"echo {step}"), _result(), Message("done"))
    ]
    assert _in_every_order(events) == {1: [2], 5: [6], 9: [10]}


def test_the_same_command_runs_in_two_turns():
    events = [_event(0, body) for body in (_call("pytest"), _result(), _call("pytest"), _result())]
    assert _in_every_order(events) == {0: [1], 2: [3]}


@pytest.mark.parametrize("response", ["r", None])
def test_results_of_parallel_calls_come_in_the_order_of_the_calls(response: str | None):
    calls = [_event(0, _call(f"echo {step}"), response) for step in range(3)]
    assert _in_every_order([*calls, *[_event(0, _result())] * 3]) == {0: [3], 1: [4], 2: [5]}


def test_a_result_belongs_to_the_newest_call_that_waits():
    events = [
        _event(0, _call("sleep 9"), "r1"),
        _event(0, User("go on")),
        _event(0, _call("echo 1"), "r2"),
        _event(0, _result()),
        _event(0, _result()),
    ]
    assert _in_every_order(events) == {0: [4], 2: [3]}


def test_a_call_that_two_paths_tell_is_one_call():
    turn = [
        _event(0, _call("echo 1"), path="model"),
        _event(0, _call("bash -lc 'echo 1'"), path="end"),
        _event(0, _result(), path="event"),
        _event(0, _result()),
    ]
    assert _in_every_order([*turn, *turn]) == {0: [2, 3], 4: [6, 7]}


def test_a_record_that_amends_belongs_to_the_newest_call():
    turn = [
        _event(0, _call(""), path="announced", amends=True),
        _event(0, _call("echo 1"), amends=True),
        _event(0, _result()),
    ]
    assert _in_every_order([*turn, *turn]) == {0: [2], 3: [5]}


def test_a_result_that_is_said_again_counts_once():
    turn = [_event(0, _call("echo 1")), _event(0, _result()), _event(0, _result(), path=REPEATED)]
    assert _in_every_order([*turn, *turn]) == {0: [1], 3: [4]}


def test_a_call_that_is_said_again_is_no_new_call():
    turn = [
        _event(0, _call("echo 1"), path="begin"),
        *[_event(0, _call("echo 1"), path=REPEATED)] * 2,
        _event(0, _call("echo 1"), path="end"),
        _event(0, _result()),
    ]
    assert _in_every_order([*turn, *turn]) == {0: [4], 5: [9]}


def test_whole_calls_belong_to_the_drafts_before_them_in_order():
    turn = [
        _event(0, _call(""), path="draft", amends=True),
        _event(0, Message("more")),
        _event(0, _call(""), path="draft", amends=True),
        _event(0, Message("more")),
        *[_event(0, _call("echo 1"), path="whole", amends=True)] * 2,
        *[_event(0, _result())] * 2,
    ]
    assert _in_every_order([*turn, *turn]) == {0: [6], 2: [7], 8: [14], 10: [15]}


def test_a_call_that_is_written_again_takes_the_place_of_its_own_record():
    rows = [
        replace(_event(0, _call(f"echo {row}"), f"r{row}", amends=True), replaces=f"row{row}")
        for row in range(3)
    ]
    events = [each for row in rows for each in (row, _event(0, _result()))]
    assert _in_every_order(events) == {0: [1], 2: [3], 4: [5]}


def test_a_call_that_is_over_neither_runs_on_nor_ends_again():
    begun = f"{OPEN}:begins"
    named = f"{begun}:known"
    asked = [(_call(""), OPEN), (_call("echo 1"), f"{OPEN}:ends"), (_result(), "")]
    announced = [(_call(""), begun), (_call("echo 1"), named), (_call("echo 1"), OPEN)]
    ended = [(_call("echo 2"), f"{OPEN}:ends"), (_result(), "")]
    both = [(_call("echo 1"), named), (_call(""), begun), *ended, *ended]
    events = [
        _event(0, body, path=path, amends=isinstance(body, ToolCall))
        for body, path in (*asked, *announced, *ended, *ended, *both)
    ]
    found = {0: [2], 3: [7], 8: [9], 10: [13], 11: [15]}
    assert _in_every_order(events) == found


def test_an_end_without_an_id_belongs_to_the_newest_call_that_began_what_it_names():
    events = [
        _event(0, _call("make", "first")),
        _event(0, _result("first"), path=runs("7")),
        _event(0, _call("serve", "second")),
        _event(0, _result("second"), path=runs("8")),
        _event(0, Notification(Topic.BACKGROUND, "done"), path=runs("7")),
        _event(0, Notification(Topic.BACKGROUND, "done"), path=runs("9")),
        _event(0, _call("make", "third")),
        _event(0, _result("third"), path=runs("7")),
        _event(0, Notification(Topic.BACKGROUND, "done"), path=runs("7")),
        _event(0, Notification(Topic.BACKGROUND, "an event of it")),
    ]
    assert _in_every_order(events) == {0: [1, 4], 2: [3], 6: [7, 8]}
