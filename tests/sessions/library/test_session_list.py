from itertools import permutations
from random import Random

import pytest

from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.sessions.library.session_list import Entry, Listing, project_name
from agentview.sessions.library.session_record import SessionFacts
from agentview.sessions.library.sort_group import finished
from agentview.sessions.library.subagent_tree import SubagentTree
from tests.sessions.library.listed import NOW, facts, info, totals


def entries(listing: Listing) -> list[Entry]:
    return finished(listing.entries())


def names(found: list[Entry]) -> list[tuple[str, list[str]]]:
    return [
        (entry.info.ref.session_id, [agent.info.ref.session_id for agent in entry.agents])
        for entry in found
    ]


def test_sessions_stand_newest_first_with_their_agents() -> None:
    listing = Listing()
    listing.add([facts("old", NOW - 100), facts("agent-1", NOW - 5, parent="old")])
    listing.add([facts("new", NOW - 10), facts("orphan", NOW - 200, parent="gone")])
    listing.add([facts("agent-2", NOW - 3, parent="old")])
    assert names(entries(listing)) == [
        ("new", []),
        ("old", ["agent-2", "agent-1"]),
        ("orphan", []),
    ]


def test_an_agent_of_an_agent_belongs_to_the_session() -> None:
    listing = Listing()
    listing.add([facts("main"), facts("a", parent="main"), facts("b", NOW - 1, parent="a")])
    assert names(entries(listing)) == [("main", ["a", "b"])]


def test_an_agent_of_an_agent_whose_session_is_gone_belongs_to_that_agent() -> None:
    listing = Listing()
    listing.add([facts("b", NOW - 1, parent="a"), facts("a", parent="gone")])
    assert names(entries(listing)) == [("a", ["b"])]
    listing.add([facts("gone", NOW - 2)])
    assert names(entries(listing)) == [("gone", ["a", "b"])]


def test_of_a_copied_session_the_copy_that_is_nearest_has_the_agents() -> None:
    refs = [
        SessionRef("acme", "main", "/logs/main.jsonl"),
        SessionRef("acme", "main", "/other/main.jsonl"),
        SessionRef("acme", "main", "/logs/sub.jsonl"),
        SessionRef("acme", "main", "/logs/main/a.jsonl", Stream(StreamKind.SUBAGENT, "a"), "main"),
    ]
    for ordered in permutations(refs):
        tree = SubagentTree.of(ordered)
        assert tree.agents_of("/logs/main.jsonl") == ["/logs/main/a.jsonl"]


def test_agents_that_name_each_other_stand_for_themselves() -> None:
    listing = Listing()
    listing.add([facts("a", parent="b"), facts("b", NOW - 1, parent="a")])
    assert names(entries(listing)) == [("a", []), ("b", [])]


def test_a_session_that_is_found_again_is_replaced() -> None:
    listing = Listing()
    listing.add([facts("one", NOW - 100)])
    listing.add([facts("one", NOW)])
    assert [one.info.last_activity for one in entries(listing)] == [NOW]
    listing.forget(["/logs/one.jsonl", "/logs/other.jsonl"])
    assert len(listing) == 0
    assert entries(listing) == []


def test_what_comes_while_they_are_told_apart_is_not_lost() -> None:
    listing = Listing()
    listing.add(facts(str(number), NOW - number) for number in range(3_000))
    work = listing.entries()
    next(work)
    listing.add([facts("late", NOW + 1)])
    assert len(finished(work)) >= 3_000
    assert len(entries(listing)) == 3_001
    assert entries(listing)[0].info.ref.session_id == "late"


def _random_facts(rng: Random) -> SessionFacts:
    name = str(rng.randrange(60))
    parent = str(rng.randrange(60)) if rng.random() < 0.5 else None
    return facts(name, NOW - rng.randrange(1_000), parent=parent)


@pytest.mark.parametrize("few", [0, 5, 128])
def test_what_comes_bit_by_bit_stands_as_what_comes_at_once(
    monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr("agentview.sessions.library.session_list._FEW", few)
    rng = Random(3)  # noqa: S311  (the same sessions each time)
    for _ in range(40):
        listing, known = Listing(), dict[str, SessionFacts]()
        work = listing.entries()
        for _ in range(rng.randrange(12)):
            some = [_random_facts(rng) for _ in range(rng.randrange(1, 20))]
            listing.add(some)
            known.update((one.info.ref.path, one) for one in some)
            if rng.random() < 0.3:
                gone = rng.choice(list(known))
                listing.forget([gone])
                del known[gone]
            # One is given up half-way now and then, and another one overtakes it.
            next(work, None)
            work = listing.entries() if rng.random() < 0.5 else work
            next(work, None)
            entries(listing)
        at_once = Listing()
        at_once.add(known.values())
        assert names(entries(listing)) == names(entries(at_once))


def test_they_are_told_apart_once_until_others_come() -> None:
    listing = Listing()
    listing.add([facts("one")])
    assert entries(listing) is entries(listing)


def test_figures_are_of_the_session_as_it_is_now() -> None:
    listing = Listing()
    before, after = facts("one", held=totals(turns=1)), facts("one", held=totals(turns=2))
    assert [listing.figures(one, ()).turns for one in (before, before, after)] == [1, 1, 2]


def test_a_project_is_named_by_its_directory() -> None:
    assert project_name(info("x", project="/home/dev/ws")) == "dev/ws"
    assert project_name(info("x", project="/")) == "/"
    assert project_name(info("x", project=None)) is None
