"""The assembler gives the same rows in whatever order blocks of a log are read."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from agentview.domain.activity import RowKind
from agentview.domain.content import TextBlock
from agentview.domain.events import (
    Body,
    Compaction,
    Event,
    Facts,
    Hidden,
    Level,
    Message,
    Notification,
    Reasoning,
    Reset,
    Rewind,
    TokenUsage,
    ToolProgress,
    ToolResult,
    Topic,
    User,
)
from agentview.domain.index_entry import KINDS, EventLinks, Flag, RecordFacts
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import MAIN_STREAM, Stream, StreamKind
from agentview.domain.session_state import SessionState
from agentview.domain.tools import ToolCall, ToolKind
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.light_events import light_events, reduce_record
from agentview.normalize.session_state import deciding_call, log_status
from agentview.timeline.rows.assembler import Assembler
from agentview.timeline.rows.tables.row_table import SEGMENT_ROWS

LENGTH = 100


def event(
    offset: int,
    body: Body,
    *,
    stream: Stream = MAIN_STREAM,
    dedupe: str | None = None,
    replaces: str | None = None,
    resets: Reset | None = None,
    response: str | None = None,
    time: float | None = None,
    tie: EventLinks = EventLinks(),  # noqa: B008  (a tuple)
) -> Event:
    return Event(
        suffix="",
        session_id="s",
        source=SourceRef("log", offset, LENGTH),
        body=body,
        stream=stream,
        dedupe_key=dedupe,
        replaces=replaces,
        resets=resets,
        response_id=response,
        time=time,
        run=tie.run,
        whole=tie.whole,
        amends=tie.amends,
        rewinds=tie.rewinds,
    )


def log(bodies: Sequence[Event | Body]) -> list[RecordFacts]:
    """One record a body, at offsets 0, 100, 200 ..."""
    records: list[RecordFacts] = []
    for index, body in enumerate(bodies):
        offset = index * LENGTH
        found = body if isinstance(body, Event) else event(offset, body)
        records.append(reduce_record(offset, LENGTH, light_events([found])))
    return records


def outcome(call_id: str) -> Notification:
    return Notification(Topic.BACKGROUND, "done", call_id=call_id, level=Level.INFO)


def tokens(response_id: str, output: int) -> TokenUsage:
    return TokenUsage(response_id, Usage(output=output))


def call(call_id: str, name: str = "run_command") -> ToolCall:
    return tool_call(call_id=call_id, name=name, arguments={"command": "ls"}, spec=None)


def container(call_id: str) -> ToolCall:
    return replace(call(call_id), is_container=True)


def nested(call_id: str) -> ToolCall:
    return replace(call(call_id), via="script")


def result(call_id: str, *, ok: bool = True) -> ToolResult:
    return ToolResult(call_id, ok, (TextBlock("out"),))


def forward(records: Sequence[RecordFacts]) -> Assembler:
    assembler = Assembler(has_linked_events=True)
    assembler.append(records)
    return assembler


def backward(records: Sequence[RecordFacts], cuts: Sequence[int]) -> Assembler:
    """The last block is appended, the ones before it are put in front, newest first."""
    assembler = Assembler(has_linked_events=True)
    edges = sorted({0, len(records), *(cut % (len(records) + 1) for cut in cuts)})
    blocks = [records[a:b] for a, b in pairwise(edges)]
    if blocks:
        assembler.append(blocks[-1])
    for block in reversed(blocks[:-1]):
        assembler.prepend(block)
    return assembler


def picture(assembler: Assembler) -> list[tuple[object, ...]]:
    """All that can be asked of each row, with row numbers counted from the first."""
    rows = assembler.rows
    first = rows.first

    def from_first(row: int | None) -> int | None:
        return None if row is None else row - first

    def calls(row: int) -> bool:
        return isinstance(KINDS[rows.kind(row)], ToolKind)

    return [
        (
            rows.span(row),
            assembler.absent(row) or rows.kind(row),
            not assembler.absent(row) and rows.flags(row) & Flag.PROBLEM,
            calls(row) and [from_first(other) for other in assembler.results(row)],
            from_first(assembler.progress.get(row)),
            [from_first(other) for other in assembler.reported(row)],
            not assembler.absent(row) and [from_first(other) for other in assembler.joined(row)],
        )
        for row in range(first, rows.end)
    ]


def state_of(assembler: Assembler) -> SessionState:
    waiting = assembler.summary.pending.values()
    calls = sorted(
        (call for call in waiting if not assembler.gone(call.row)), key=lambda call: call.row
    )
    signal, _ = assembler.last_signal()
    at = deciding_call(signal, [call.signal for call in calls if call.stream is None])
    decided = signal if at is None else calls[at].signal
    return log_status(decided, None, waiting=at is not None).state


def facts(assembler: Assembler) -> tuple[object, ...]:
    summary = assembler.summary
    return (
        +summary.kinds,
        summary.problems,
        summary.turns,
        summary.usage,
        summary.context,
        summary.first_prompt,
        state_of(assembler),
        sorted(call.row - assembler.rows.first for call in summary.pending.values()),
    )


IDS = st.sampled_from(["a", "b", "c", "d"])
CONTAINERS = {"k": 1.0, "l": 2.0}
NESTED = {"m": 1.0, "n": 2.0}
"""When each began."""
SIDE = Stream(StreamKind.SIDECHAIN, "x")
BODIES = st.one_of(
    st.builds(call, IDS),
    st.just(tool_call(call_id="d", name="mystery", arguments={}, spec=None)),
    st.builds(container, st.sampled_from([*CONTAINERS])),
    st.builds(nested, st.sampled_from([*NESTED])),
    st.builds(result, st.sampled_from([*CONTAINERS, *NESTED]), ok=st.booleans()),
    st.just(Reasoning("so")),
    st.just(Notification(Topic.REWIND, "went back")),
    st.builds(result, IDS, ok=st.booleans()),
    st.builds(ToolProgress, IDS, st.just("half")),
    st.builds(outcome, IDS),
    st.builds(User, st.sampled_from(["do this", "do that"])),
    st.just(Message("done")),
    st.just(Hidden("bookkeeping", "x")),
    st.builds(tokens, IDS, st.integers(min_value=0, max_value=9)),
)


def tied(body: Body, key: str, *, whole: bool, turns: int) -> EventLinks:
    """Ties as providers make them: texts may be pieces, calls be told in parts."""
    if isinstance(body, ToolCall):
        return EventLinks(amends=True) if key == "amend" else EventLinks()
    if isinstance(body, Notification) and body.topic is Topic.REWIND:
        return EventLinks(rewinds=Rewind(turns=turns))
    if isinstance(body, Message | Reasoning) and key == "none":
        return EventLinks(run=type(body).__name__, whole=whole)
    return EventLinks(run="") if isinstance(body, Hidden) and whole else EventLinks()


def _time(body: Body) -> float:
    call_id = body.call_id if isinstance(body, ToolCall) else ""
    return {**CONTAINERS, **NESTED}.get(call_id, 1.0)


def keyed(
    body: Body, stream: Stream, key: str, response: str | None, whole: bool, turns: int
) -> Event:
    """An event as providers make them: a key goes with one body, all calls of an id are alike."""
    if isinstance(body, ToolCall):
        key = {"b": "twin", "c": "replace", "d": "amend"}.get(body.call_id, "none")
    if isinstance(body, ToolProgress | Notification):
        key = "none"
    if isinstance(body, TokenUsage):
        stream = SIDE if body.response_id == "a" else MAIN_STREAM
    name = f"{key}{body!r}" if isinstance(body, ToolCall) else f"{key}{body!r}{stream}"
    return event(
        0,
        body,
        stream=stream,
        dedupe=name if key == "twin" else None,
        replaces=name if key == "replace" else None,
        response=response,
        time=_time(body),
        tie=tied(body, key, whole=whole, turns=turns),
    )


EVENTS = st.builds(
    keyed,
    BODIES,
    st.sampled_from([MAIN_STREAM, MAIN_STREAM, SIDE]),
    st.sampled_from(["none", "none", "twin", "replace"]),
    st.none() | IDS,
    st.booleans(),
    st.integers(1, 2),
)


def test_what_an_agent_works_with_is_not_what_its_session_does():
    agent = Stream(StreamKind.SIDECHAIN, "a")
    own = replace(event(0, Message("One")), facts=Facts(model="m-large", cwd="/w"))
    others = replace(event(LENGTH, Message("Two"), stream=agent), facts=Facts(model="m-small"))
    spent = replace(event(2 * LENGTH, tokens("r", 1), stream=agent), facts=Facts(cwd="/x"))
    summary = forward(log([own, others, spent])).summary
    assert (summary.text("model"), summary.text("cwd")) == ("m-large", "/w")


@given(st.lists(EVENTS, max_size=30), st.lists(st.integers(0, 30), max_size=6))
def test_blocks_read_backwards_give_the_rows_of_one_forward_pass(
    events: list[Event], cuts: list[int]
) -> None:
    records = log(events)
    ahead, back = forward(records), backward(records, cuts)
    assert picture(back) == picture(ahead)
    assert facts(back) == facts(ahead)


@pytest.mark.parametrize("cut", [1, 2])
def test_a_container_lets_go_of_a_call_that_one_in_front_of_it_made(cut: int) -> None:
    bodies = (container("k"), container("l"), nested("m"))
    records = log([keyed(body, MAIN_STREAM, "none", None, False, 1) for body in bodies])
    assert picture(backward(records, [cut])) == picture(forward(records))


@pytest.mark.parametrize("cut", [1, 2, 3])
@pytest.mark.parametrize("key", ["replace", "twin"])
def test_a_result_that_gave_way_was_of_the_same_call_in_any_order(cut: int, key: str) -> None:
    bodies = (call("a"), call("a"), result("a"), result("a"))
    events = [keyed(body, MAIN_STREAM, key, None, False, 1) for body in bodies]
    ahead, back = forward(log(events)), backward(log(events), [cut])
    assert picture(back) == picture(ahead)
    assert facts(back) == facts(ahead)


@pytest.mark.slow
@given(st.lists(EVENTS, max_size=30), st.lists(st.integers(0, 30), max_size=6))
def test_appending_piece_by_piece_gives_the_same_as_at_once(
    events: list[Event], cuts: list[int]
) -> None:
    records = log(events)
    pieces = Assembler(has_linked_events=True)
    edges = sorted({0, len(records), *(cut % (len(records) + 1) for cut in cuts)})
    for a, b in pairwise(edges):
        pieces.append(records[a:b])
    assert picture(pieces) == picture(forward(records))
    assert facts(pieces) == facts(forward(records))


def test_feeding_a_log_twice_changes_nothing() -> None:
    records = log([User("go"), call("a"), result("a"), Message("done")])
    assembler = forward(records)
    before = picture(assembler)
    change = assembler.append(records)
    assert change.appended == 0
    assert picture(assembler) == before


def test_a_result_is_joined_with_its_call_whichever_comes_first() -> None:
    for records in (log([call("a"), result("a")]), log([result("a"), call("a")])):
        assembler = forward(records)
        row = assembler.call_row("a")
        assert row is not None
        other = 1 - row
        assert assembler.results(row) == [other]
        assert assembler.absent(other)
        assert not assembler.absent(row)


def test_a_failed_result_makes_the_call_a_problem_once() -> None:
    assembler = forward(log([call("a"), result("a", ok=False)]))
    assert assembler.summary.problems == 1
    assert assembler.summary.count(RowKind.RESULT) == 0


def test_a_result_without_its_call_stands_for_itself() -> None:
    assembler = forward(log([result("lost")]))
    assert not assembler.absent(0)
    assert KINDS[assembler.rows.kind(0)] is RowKind.RESULT


def test_all_earlier_rows_go_when_the_history_is_replaced() -> None:
    assembler = forward(
        log([User("old"), Message("old"), event(200, User("new"), resets=Reset.REPLACED)])
    )
    assert [assembler.absent(row) for row in range(3)] == [True, True, False]


def test_usage_of_a_response_counts_once_with_its_last_record() -> None:
    first, last = Usage(input_uncached=10, output=1), Usage(input_uncached=10, output=50)
    assembler = forward(log([TokenUsage("m", first), TokenUsage("m", last), Message("x")]))
    assert assembler.summary.usage == last
    assert assembler.summary.context == 60


def test_the_context_is_that_of_the_counts_whatever_record_of_a_response_has_them() -> None:
    records = log([tokens("m", 60), Message("x"), tokens("m", 0), tokens("m", 0)])
    for cuts in ([], [1], [2], [3], [1, 3]):
        pieces = Assembler(has_linked_events=True)
        for a, b in pairwise([0, *cuts, len(records)]):
            pieces.append(records[a:b])
        assert (pieces.summary.context, backward(records, cuts).summary.context) == (60, 60), cuts


def test_unknown_tokens_stay_unknown() -> None:
    assembler = forward(log([TokenUsage("m", Usage(output=5))]))
    assert assembler.summary.usage == Usage(output=5)
    assert forward([]).summary.context is None


def test_the_state_follows_the_signs_of_the_log() -> None:
    def state(*bodies: Body) -> SessionState:
        records = [
            reduce_record(i * LENGTH, LENGTH, light_events([event(i * LENGTH, body, time=100.0)]))
            for i, body in enumerate(bodies)
        ]
        return state_of(forward(records))

    assert state() is SessionState.UNKNOWN
    assert state(User("go")) is SessionState.WORKING
    assert state(User("go"), call("a")) is SessionState.WORKING
    assert state(User("go"), call("a"), result("a")) is SessionState.WORKING
    assert state(User("go"), call("a"), result("a"), Message("ok")) is SessionState.YOUR_TURN
    interrupt = Notification(Topic.INTERRUPT, "stopped")
    assert state(User("go"), call("a"), interrupt) is SessionState.INTERRUPTED
    late = (User("go"), call("a"), interrupt, result("a"))
    assert state(*late) is SessionState.INTERRUPTED
    again = event(4 * LENGTH, call("a"), tie=EventLinks(amends=True))
    records = log(
        [User("go"), event(LENGTH, call("a"), tie=EventLinks(amends=True)), interrupt, again]
    )
    assert state_of(forward(records)) is SessionState.INTERRUPTED
    # What was never answered is waited for no longer once the turn is over.
    ended = Notification(Topic.TURN_END, "done")
    assert state(User("go"), call("a"), ended) is SessionState.YOUR_TURN
    assert state(*late, call("b"), result("b")) is SessionState.WORKING
    # A request that failed ends the turn as well, unless it is tried again.
    for level, then in (
        (Level.ERROR, SessionState.FAILED),
        (Level.WARNING, SessionState.WORKING),
    ):
        failed = Notification(Topic.API_ERROR, "no more", level)
        assert state(User("go"), failed, failed) is then
        assert state(User("go"), interrupt, failed) is SessionState.INTERRUPTED
    limited = Notification(Topic.LIMIT, "no more today", Level.ERROR)
    assert state(User("go"), limited) is SessionState.LIMITED
    assert state(User("go"), interrupt, limited) is SessionState.INTERRUPTED
    assert state(User("go"), limited, User("on")) is SessionState.WORKING
    question = tool_call(
        call_id="q", name="ask_user_question", arguments={"questions": []}, spec=None
    )
    assert question.kind is ToolKind.ASK
    assert state(User("go"), question) is SessionState.NEEDS_ANSWER


def test_many_rows_are_found_across_segments() -> None:
    records = log([Message("x")] * (SEGMENT_ROWS * 2 + 5))
    assembler = backward(records, [SEGMENT_ROWS + 3, 17])
    rows = assembler.rows
    assert rows.end - rows.first == len(records)
    for index in (0, 17, SEGMENT_ROWS, len(records) - 1):
        assert rows.offset(rows.first + index) == index * LENGTH
        assert rows.row_at_offset(index * LENGTH + 50) == rows.first + index
    assert rows.row_at_offset(-1) is None


def test_a_call_that_waited_when_the_history_was_replaced_waits_no_longer() -> None:
    asked = [User("go"), call("a"), Compaction("auto")]
    for assembler in (forward(log(asked)), backward(log(asked), [1, 2])):
        row = assembler.call_row("a")
        assert row is not None
        assert assembler.summary.turn_after(row, None)
