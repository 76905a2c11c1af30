import time
from collections.abc import Iterator
from datetime import datetime

import pytest
from msgspec.structs import replace

from agentview.domain.session_state import SessionState
from tests.query.asked import sessions_filter
from tests.sessions.library.listed import NOW, facts, totals

HELD = totals(turns=4, problems=4, tokens=120_000, cost=1.5)


@pytest.fixture(autouse=True)
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Days begin where this machine is, which is here for once."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def verdict(line: str, **more: object) -> bool | None:
    test = sessions_filter(line, NOW)
    assert test is not None
    return test.passes(facts("one", held=HELD, **more))  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("line", "passes"),
    [
        ("shop", True),
        ("SHOP", False),
        ("sho*", True),
        ("*hop", True),
        ("regex:/sh.p/", True),
        ("kind:shell", True),
        ("kind:edit", False),
        ("kind:tool -kind:web", True),
        ('project:"shop"', True),
        ("title one", True),
        ("title two", False),
        ('"title of one"', True),
        ('"of title"', False),
        ("project:shop", True),
        ("project:other", False),
        ("-project:other state:wait", True),
        ("-shop", False),
        ("provider:acme branch:main model:5", True),
        ("branch:dev", False),
        ("model:mini", True),
        ("model:huge", False),
        ("tool:bash", True),
        ("tool:shell", True),
        ("tool:files__l", True),
        ("tool:grep", False),
        ("-tool:grep", True),
        ("file:RETRY.py", True),
        ("file:other.py", False),
        ("state:waiting-input", True),
        ("state:live", True),
        ("state:working", False),
        ("-state:live", False),
        ("problems:", True),
        ("problems", True),
        ("problems:>3", True),
        ("problems:>4", False),
        ("prob:>3", True),
        ("prob:>4", False),
        ("title:one", True),
        ("title:shop", False),
        ("tools:>0", True),
        ("tools:>99", False),
        ("problems:>=4", True),
        ("problems:4", True),
        ("problems:<4", False),
        ("-problems:", False),
        ("cost:>1", True),
        ("cost:>$1.49", True),
        ("cost:<=1.5", True),
        ("cost:>2", False),
        ("tokens:>100k", True),
        ("tokens:>.1M", True),
        ("tokens:>1m", False),
        ("turns:4", True),
        ("turns:>4", False),
        ("unknown:word", False),
        ("project: title", True),
    ],
)
def test_a_line_filters_by_words_and_fields(line: str, passes: bool) -> None:
    assert verdict(line) is passes


@pytest.mark.parametrize("line", ["", "  ", "project:", "-state:", "-", "*"])
def test_a_line_that_asks_for_nothing_filters_nothing(line: str) -> None:
    assert sessions_filter(line, NOW) is None


def at(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


@pytest.mark.parametrize(
    ("line", "activity", "passes"),
    [
        ("after:today", "2025-11-21T00:00", True),
        ("after:today", "2025-11-20T23:59", False),
        ("before:today", "2025-11-20T23:59", True),
        ("after:yesterday before:today", "2025-11-20T00:00", True),
        ("after:yesterday before:today", "2025-11-19T23:59", False),
        ("after:2025-11-19", "2025-11-19T00:00", True),
        ("before:2025-11-19", "2025-11-19T00:00", False),
        ("after:2025-11", "2025-11-01T00:00", True),
        ("before:2025-11", "2025-10-31T23:59", True),
        ("after:2025-11-19t12:30", "2025-11-19T12:29", False),
        ("after:3d", "2025-11-19T00:00", True),
        ("after:3d", "2025-11-17T00:00", False),
        ("before:2w", "2025-11-01T00:00", True),
        ("after:12h", "2025-11-20T12:00", False),
        ("before:1y", "2024-11-01T00:00", True),
        ("active:yesterday", "2025-11-20T12:00", True),
        ("active:yesterday", "2025-11-19T12:00", False),
        ("active:2025-11-01..2025-11-08", "2025-11-08T00:00", False),
    ],
)
def test_times_are_those_of_this_machine(line: str, activity: str, passes: bool) -> None:
    # NOW is 2025-11-21, 05:40 in this zone.
    test = sessions_filter(line, NOW)
    assert test is not None
    assert test.passes(facts("one", at(activity))) is passes


def test_a_session_was_active_until_its_last_record() -> None:
    one = facts("one", at("2025-11-20T12:00"))
    one = replace(one, info=replace(one.info, started=at("2025-11-18T12:00")))
    for value, passes in (
        ("2025-11-17", False), ("2025-11-18", True), ("2025-11-19", True), ("2025-11-20", True),
        ("2025-11-21", False), ("2025-W47", True), ("2025-11-20T12:00..2025-11-21", True),
    ):  # fmt: skip
        test = sessions_filter(f"active:{value}", NOW)
        assert test is not None
        assert test.passes(one) is passes, value


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("active:soon", "invalid filter: active:soon"),
        ("before:tomorow", "invalid filter: before:tomorow"),
        ("after:2025-99-99", "invalid filter: after:2025-99-99"),
        ("cost:much", "invalid filter: cost:much"),
        ("turns:>x", "invalid filter: turns:>x"),
        ("prb:>3", 'unknown field "prb"'),
        ("state:error", 'unknown state "error"; valid states: starting, '),
        ("in:prompt", "invalid filter: in:prompt: it selects activities, not sessions"),
        ("kind:user", "invalid filter: kind:user: it selects activities, not sessions"),
    ],
)
def test_a_term_that_is_not_valid_is_named_and_left_out(line: str, message: str) -> None:
    test = sessions_filter(line, NOW)
    assert test is not None
    assert test.error is not None
    assert test.error.message.startswith(message)
    assert test.passes(facts("one")) is True


@pytest.mark.parametrize(
    "line",
    [
        "tool:bash",
        "-tool:bash",
        "file:x",
        "problems:",
        "-problems:",
        "cost:>1",
        "tokens:5",
        "turns:1",
    ],
)
def test_what_only_contents_tell_is_open_until_they_are_indexed(line: str) -> None:
    test = sessions_filter(line, NOW)
    assert test is not None
    assert test.passes(facts("one")) is None


def test_a_session_is_out_as_soon_as_one_term_says_so() -> None:
    test = sessions_filter("tool:bash unicorn", NOW)
    assert test is not None
    assert test.passes(facts("one")) is False


def test_a_model_of_the_head_needs_no_index_another_one_does() -> None:
    assert verdict("model:model-5") is True
    test = sessions_filter("model:model-5", NOW)
    other = sessions_filter("model:huge", NOW)
    assert test is not None
    assert other is not None
    assert test.passes(facts("one")) is True
    assert other.passes(facts("one")) is None


def test_what_the_log_does_not_tell_is_neither_more_nor_less() -> None:
    for line in ("cost:>1", "cost:<1", "tokens:0"):
        test = sessions_filter(line, NOW)
        assert test is not None
        assert test.passes(facts("one", held=totals(cost=None, tokens=None))) is False


def test_agents_count_with_their_session() -> None:
    agent = facts("a", parent="one", held=totals(tools=("WebFetch",), problems=5, cost=2.0))
    main = facts("one", held=totals(cost=0.5))
    for line in ("tool:webfetch", "problems:5", "cost:2.5"):
        test = sessions_filter(line, NOW)
        assert test is not None
        assert test.passes(main, [agent]) is True
        assert test.passes(main) is False
        assert test.passes(main, [facts("a", parent="one")]) is None


def test_a_state_is_that_of_now() -> None:
    test = sessions_filter("state:stale", NOW)
    assert test is not None
    assert test.passes(facts("one", NOW - 90_000, state=SessionState.WORKING)) is True
