from agentview.domain.tools import ToolKind
from agentview.domain.usage import Usage
from agentview.sessions.library.session_card import session_card_lines
from agentview.sessions.library.session_list import Entry
from tests.sessions.library.listed import facts, totals


def test_tells_what_the_log_holds_with_that_of_agents() -> None:
    main = facts(
        "one",
        client_version="2.1",
        held=totals(
            calls=3,
            problems=1,
            files=tuple(f"/ws/src/f{number}.py" for number in range(8)),
            context_tokens=50_000,
            context_window=200_000,
        ),
    )
    agent = facts("kid", parent="one", held=totals(calls=2, models=("other",), files=("/ws/a",)))
    lines = dict(session_card_lines(Entry(main, (agent,)), "Acme"))
    assert lines["log"].startswith("/logs/one.jsonl")
    assert lines["id"] == "one · Acme 2.1 · model-5, model-mini, other"
    assert lines["where"] == "/home/dev/shop-api · main"
    assert lines["calls"] == f"{ToolKind.SHELL} 5  ✗ 1 problem"
    assert lines["files"] == "9 changed: f0.py, f1.py, f2.py, f3.py, f4.py, f5.py and 3 more"
    assert lines["agents"] == "1: agent"
    assert lines["used"] == "2.0k in, – out · ~$1.00 · context 25% of 200k · over –"


def test_what_is_not_known_is_a_dash() -> None:
    unknown = facts("one", project=None, branch=None, model=None)
    lines = dict(session_card_lines(Entry(unknown), "Acme"))
    assert lines["where"] == "–"
    assert lines["id"] == "one · Acme · model –"
    assert lines["calls"] == "not indexed yet"
    assert "used" not in lines


def test_a_little_is_more_than_nothing() -> None:
    held = totals(usage=Usage(), context_tokens=5, context_window=1_000_000)
    lines = dict(session_card_lines(Entry(facts("one", held=held)), "Acme"))
    assert "context <1% of 1.0M" in lines["used"]
