"""Where time went, told from the events of a session."""

from pathlib import Path

from agentview.domain.activity import RowKind
from agentview.domain.index_entry import KIND_CODES, EventFact, Flag, Role, Signal
from agentview.domain.tools import ToolKind
from agentview.facts.usage.reader import measure
from agentview.facts.usage.tally import unpriced
from agentview.facts.usage.time_breakdown import Clock, TimeSplit
from agentview.providers import load_provider
from tests.claude_log import ClaudeLog, conversation, write

SHELL = KIND_CODES[ToolKind.SHELL]
ASK = KIND_CODES[ToolKind.ASK]


def prompt(time: float | None) -> EventFact:
    return EventFact(0, KIND_CODES[RowKind.USER], Flag.TURN, time=time, signal=Signal.AGENT)


def message(time: float | None) -> EventFact:
    return EventFact(0, KIND_CODES[RowKind.MESSAGE], 0, time=time, signal=Signal.PERSON)


def call(key: str, time: float, kind: int = SHELL, signal: int = Signal.AGENT) -> EventFact:
    return EventFact(0, kind, 0, Role.CALL, key, time=time, signal=signal)


def result(key: str, time: float) -> EventFact:
    row = KIND_CODES[RowKind.RESULT]
    return EventFact(0, row, 0, Role.RESULT, key, time=time, signal=Signal.AGENT)


def notice(time: float, signal: int = Signal.NONE) -> EventFact:
    return EventFact(0, KIND_CODES[RowKind.NOTICE], 0, time=time, signal=signal)


def split(*facts: EventFact) -> TimeSplit:
    clock = Clock()
    for fact in facts:
        clock.take(fact)
    return clock.split


def test_a_turn_is_the_model_and_its_tools_and_what_is_between_turns_is_a_person():
    told = split(
        prompt(100), call("a", 103), result("a", 113), message(115), prompt(175), message(176)
    )
    assert told == TimeSplit(model=3 + 2 + 1, tools=10, person=60, unknown=0)
    assert told.total == 76


def test_calls_at_once_count_once():
    told = split(prompt(0), call("a", 1), call("b", 1), result("a", 5), result("b", 7))
    assert (told.model, told.tools) == (1, 6)


def test_a_question_waits_for_a_person():
    told = split(prompt(0), call("a", 1, ASK, Signal.QUESTION), result("a", 61), message(62))
    assert told == TimeSplit(model=2, tools=0, person=60, unknown=0)


def test_notices_end_nothing():
    told = split(prompt(0), message(5), notice(500), prompt(605))
    assert told == TimeSplit(model=5, tools=0, person=600, unknown=0)


def test_an_interruption_ends_what_was_going_on():
    stop = notice(8, Signal.INTERRUPTED)
    told = split(prompt(0), call("a", 2), stop, prompt(20), message(21))
    assert told == TimeSplit(model=3, tools=6, person=12, unknown=0)


def test_work_that_broke_off_and_went_on_the_next_day_is_nobodys_time():
    told = split(prompt(0), call("a", 1), prompt(86_400), message(86_402))
    assert told == TimeSplit(model=3, tools=0, person=0, unknown=86_399)


def test_a_clock_that_goes_back_takes_no_time_away():
    told = split(prompt(100), message(90), message(105))
    assert told.model == 5


def test_without_times_nothing_is_known():
    assert split(prompt(None), message(None)) == TimeSplit()
    assert split(prompt(4)).total is None


def test_sums_leave_out_what_is_not_known():
    assert TimeSplit(1, None, None, 2).plus(TimeSplit(2, 3)) == TimeSplit(3, 3, None, 2)


def test_a_log_is_timed_as_a_whole(tmp_path: Path):
    # A record a second: prompt, call, result, answer.
    path = write(tmp_path / "s.jsonl", conversation(ClaudeLog(), 3))
    ref = load_provider("claude_code").discovery.ref(path)
    usage = measure(ref, unpriced)
    assert usage.time.total == (usage.ended or 0) - (usage.started or 0)
    assert usage.time.person == 2
    assert usage.time.tools == 3
    assert usage.tools[ToolKind.SHELL].seconds == 3
