import pytest

from agentview.domain.session import LiveState, SessionInfo, SessionRef
from agentview.library.filters import library_test
from agentview.library.listing import Listing, project_name
from agentview.library.presence import is_live, state_now

NOW = 1_763_700_000.0


def _info(
    name: str,
    activity: float | None = NOW,
    state: LiveState = LiveState.WAITING_INPUT,
    parent: str | None = None,
    project: str | None = "/home/dev/shop-api",
) -> SessionInfo:
    ref = SessionRef("acme", name, f"/logs/{name}.jsonl", parent_id=parent, modified=activity)
    return SessionInfo(
        ref, f"title of {name}", project, "main", "model-5", None, None, activity, state
    )


def test_lists_newest_activity_first_and_agents_below_their_session() -> None:
    listing = Listing()
    listing.add([_info("old", NOW - 100), _info("agent-1", NOW - 5, parent="old")])
    listing.add([_info("new", NOW - 10), _info("orphan", NOW - 200, parent="gone")])
    names = [(entry.info.ref.session_id, entry.agents) for entry in listing.entries()]
    assert names == [("new", 0), ("old", 1), ("orphan", 0)]
    nested = [(e.info.ref.session_id, e.nested) for e in listing.entries(agents=True)]
    assert nested == [("new", False), ("old", False), ("agent-1", True), ("orphan", False)]


def test_a_session_that_is_found_again_is_replaced() -> None:
    listing = Listing()
    listing.add([_info("one", NOW - 100)])
    listing.add([_info("one", NOW)])
    assert [entry.info.last_activity for entry in listing.entries()] == [NOW]
    listing.clear()
    assert len(listing) == 0


@pytest.mark.parametrize(
    ("state", "silence", "live"),
    [
        (LiveState.WORKING, 60.0, True),
        (LiveState.WORKING, 4_000.0, False),
        (LiveState.WAITING_APPROVAL, 1_000.0, True),
        (LiveState.WAITING_INPUT, 60.0, True),
        (LiveState.WAITING_INPUT, 400.0, False),
        (LiveState.ENDED, 1.0, False),
        (LiveState.STALE, 1.0, False),
    ],
)
def test_live_is_who_works_or_just_did(state: LiveState, silence: float, live: bool) -> None:
    assert is_live(_info("x", NOW - silence, state), NOW) is live


def test_the_state_of_long_ago_is_not_that_of_now() -> None:
    assert state_now(LiveState.WORKING, 90_000) is LiveState.STALE
    assert state_now(LiveState.WAITING_INPUT, 90_000) is LiveState.ENDED
    assert state_now(LiveState.WORKING, 1.0) is LiveState.WORKING
    assert state_now(LiveState.WORKING, None) is LiveState.WORKING


@pytest.mark.parametrize(
    ("line", "passes"),
    [
        ("SHOP", True),
        ("title one", True),
        ("title two", False),
        ("project:shop", True),
        ("project:other", False),
        ("-project:other state:wait", True),
        ("-shop", False),
        ("provider:acme branch:main model:5", True),
        ("unknown:word", False),
    ],
)
def test_a_line_filters_by_words_and_fields(line: str, passes: bool) -> None:
    test = library_test(line)
    assert test is not None
    assert test(_info("one")) is passes


def test_an_empty_line_filters_nothing() -> None:
    assert library_test("  ") is None


def test_a_project_is_named_by_its_directory() -> None:
    assert project_name(_info("x", project="/home/dev/ws")) == "dev/ws"
    assert project_name(_info("x", project="/")) == "/"
    assert project_name(_info("x", project=None)) is None
