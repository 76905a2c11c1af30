"""Which sessions their client deletes soon, and in which words a header says so."""

from agentview.domain.session import SessionInfo, SessionRef
from agentview.sessions.library.expiry import expiring, expiry_words
from agentview.sessions.library.search_roots import DeletionRule
from agentview.sessions.library.session_record import SessionFacts

DAY = 86_400.0
NOW = 100 * DAY
RULE = DeletionRule("claude_code", "Claude Code", "/logs", 30.0, "cleanupPeriodDays", "/settings")


def session(name: str, days: float) -> SessionFacts:
    ref = SessionRef("claude_code", name, f"/logs/{name}.jsonl", modified=NOW - days * DAY)
    return SessionFacts(SessionInfo(ref=ref))


def words(*ages: float) -> str:
    found = [session(f"s{number}", days) for number, days in enumerate(ages)]
    texts = expiry_words(expiring(found, [RULE], NOW))
    return texts[2] if texts else ""


def test_what_goes_first_is_said():
    assert words(3, 22.9) == ""
    assert words(3, 23.5, 28) == "2 sessions deleted within a week"
    assert words(3, 23.5, 29.5) == "1 session deleted by tomorrow"
    # The client deletes it the next time that it starts.
    assert words(40, 29.5) == "2 sessions deleted by tomorrow"
