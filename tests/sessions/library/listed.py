"""Facts of sessions in memory, for what is worked out of them."""

from agentview.domain.session import SessionInfo, SessionRef, Stream, StreamKind
from agentview.domain.session_state import SessionState, SessionStatus, StateEvidence
from agentview.domain.tools import ToolKind
from agentview.domain.usage import Usage
from agentview.sessions.library.session_record import SessionFacts, SessionTotals
from agentview.timeline.view.cost import Cost

NOW = 1_763_700_000.0


def info(
    name: str,
    activity: float | None = NOW,
    state: SessionState = SessionState.YOUR_TURN,
    parent: str | None = None,
    project: str | None = "/home/dev/shop-api",
    **more: object,
) -> SessionInfo:
    """What head and tail of a log say; `more` are other fields of `SessionInfo`."""
    stream = Stream(StreamKind.SUBAGENT, name) if parent else Stream()
    ref = SessionRef(
        "acme", name, f"/logs/{name}.jsonl", stream, parent_id=parent, modified=activity
    )
    known: dict[str, object] = {
        "title": f"Title of {name}",
        "project": project,
        "branch": "main",
        "model": "model-5",
        "last_activity": activity,
        "status": SessionStatus(state, activity, StateEvidence.LOG),
    }
    return SessionInfo(ref, **(known | more))  # pyright: ignore[reportArgumentType]


def totals(
    *,
    turns: int = 2,
    calls: int = 3,
    problems: int = 0,
    tokens: int | None = 1_000,
    cost: float | None = 0.5,
    client: float | None = None,
    **more: object,
) -> SessionTotals:
    """What a log was found to hold; `more` are other fields of `SessionTotals`."""
    known: dict[str, object] = {
        "tools": ("Bash", "mcp__files__list"),
        "files": ("/home/dev/shop-api/src/retry.py",),
        "models": ("model-5", "model-mini"),
        "usage": Usage(input_uncached=tokens),
    }
    return SessionTotals(
        size=100,
        modified=NOW,
        turns=turns,
        calls={ToolKind.SHELL: calls},
        problems=problems,
        cost=Cost(client, cost),
        **(known | more),  # pyright: ignore[reportArgumentType]
    )


def facts(
    name: str,
    activity: float | None = NOW,
    *,
    held: SessionTotals | None = None,
    parent: str | None = None,
    **more: object,
) -> SessionFacts:
    """A session of the library; `more` as in `info`."""
    return SessionFacts(info(name, activity, parent=parent, **more), held)  # pyright: ignore[reportArgumentType]
