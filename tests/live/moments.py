"""The moments of a session that a run compares, and the verdict on what agentview shows."""

from dataclasses import dataclass
from enum import StrEnum

from tests.live.script import AGENT_MARK, COMMAND_MARK, PLAN, QUESTION

_PROMPT_GRACE, _GRACE = 1.0, 3.0
"""Seconds after which a prompt, or another moment, must be shown."""


class Verdict(StrEnum):
    """What agentview shows, compared with what the client does."""

    RIGHT = "right"
    HONEST = "honest"
    """Inferred, unknown, not listed, or out of date in a way that is known: nothing is false."""
    WRONG = "wrong"


@dataclass(frozen=True)
class Moment:
    """A moment that a client shows on its screen."""

    name: str
    label: str
    right: tuple[str, ...]
    """The states that are true."""
    about: str = ""
    """What the state must name."""
    is_prompt: bool = False
    """The client waits for the user."""
    not_false: tuple[str, ...] = ()
    """States that are not all of the truth, but not false."""

    @property
    def grace(self) -> float:
        """Seconds after which it must be shown."""
        return _PROMPT_GRACE if self.is_prompt else _GRACE


@dataclass(frozen=True)
class Look:
    """What agentview showed of the session once; without a state it was not listed."""

    after: float
    """Seconds from the moment until the question."""
    state: str | None = None
    certain: bool = True
    evidence: str | None = None
    about: str | None = None
    agent: str | None = None


class Surface(StrEnum):
    """Where agentview shows a state besides `agentview status`."""

    BOARD = "board"
    TAIL = "tail"
    NOTIFICATION = "notification"


@dataclass(frozen=True)
class Shown:
    """What a surface showed of a moment."""

    surface: Surface
    after: float | None
    """Seconds from the moment until it showed a true state with its subject; None if it did not."""
    labels: tuple[str, ...]
    """The states that it had at the end of the looks; of notifications, those that came."""


@dataclass(frozen=True)
class Observation:
    """A moment of a run with what agentview showed, once at least."""

    moment: str
    looks: tuple[Look, ...]
    shown: tuple[Shown, ...] = ()


@dataclass(frozen=True)
class Result:
    """A run of a client, as it is kept."""

    client: str
    label: str
    version: str
    date: str
    observations: tuple[Observation, ...]
    """Of the moments that the client came to."""


_APPROVAL, _ANSWER = ("needs-approval",), ("needs-answer",)
ASKING = (*_APPROVAL, *_ANSWER)
_LAST_TURN = ("your-turn", "interrupted", "failed", "limited")
"""How the last turn ended, which stays true when the client is gone."""
MOMENTS: tuple[Moment, ...] = (
    Moment("started", "started, nothing said yet", ("your-turn", "starting")),
    Moment("command-asked", "permission prompt of a command", _APPROVAL, COMMAND_MARK, True),
    Moment("command-runs", "granted command runs", ("working",), COMMAND_MARK),
    Moment("turn-ended", "turn ended", ("your-turn",)),
    Moment("refusal-asked", "second permission prompt", _APPROVAL, "rm -rf docs", True),
    Moment("refused", "permission refused", ("interrupted", "your-turn")),
    Moment("file-asked", "permission prompt of a new file", _APPROVAL, "new.txt", True),
    Moment("delegation-asked", "permission prompt to start an agent", _APPROVAL, "", True),
    Moment("agent-asked", "permission prompt of an agent", _APPROVAL, AGENT_MARK, True),
    Moment("agent-runs", "command of an agent runs", ("working",)),
    Moment("question", "question", _ANSWER, QUESTION, True),
    Moment("plan", "plan to approve", _APPROVAL, PLAN, True),
    Moment("streams", "answer streams", ("working",)),
    Moment("stopped", "answer stopped", ("interrupted", "your-turn")),
    Moment("failed", "request failed (400)", ("failed",)),
    Moment("limited", "request is tried again, or limit reached (429)", ("working", "limited")),
    Moment("cleared", "new session in the same client", ("your-turn", "starting")),
    Moment("before", "the session before that", ("ended",), not_false=_LAST_TURN),
    Moment("left", "client left by its command", ("ended",), not_false=_LAST_TURN),
    Moment("killed", "client killed at a prompt, or while a command runs", ("ended",)),
    Moment(
        "background-needs",
        "turn of a background session ended with a need",
        _ANSWER,
        QUESTION,
        True,
    ),
    Moment(
        "background-asked",
        "permission prompt of a background session",
        _APPROVAL,
        COMMAND_MARK,
        True,
    ),
)
BY_NAME = {moment.name: moment for moment in MOMENTS}


def _judged(moment: Moment, look: Look) -> Verdict:
    if look.state is None or not look.certain or look.state in ("unknown", *moment.not_false):
        return Verdict.HONEST
    return Verdict.RIGHT if look.state in moment.right else Verdict.WRONG


def verdict(observation: Observation) -> Verdict:
    """The worst of all looks after the grace of the moment, and of other surfaces at their end."""
    moment = BY_NAME[observation.moment]
    late = [look for look in observation.looks if look.after >= moment.grace]
    found = {_judged(moment, look) for look in late or observation.looks[-1:]}
    if any(_is_false(moment, shown) for shown in observation.shown):
        found.add(Verdict.WRONG)
    return next(each for each in (Verdict.WRONG, Verdict.HONEST, Verdict.RIGHT) if each in found)


def _is_false(moment: Moment, shown: Shown) -> bool:
    """True if a surface says, of the only session that it shows, what is false and certain.

    A notification of a request where none is, or a second one of a request, is false in any case.
    """
    if MOMENTS.index(moment) >= MOMENTS.index(BY_NAME["cleared"]):
        # From then on there are several, of which a screen may show another one.
        return False
    if shown.surface is Surface.NOTIFICATION:
        asks = sum(label.rstrip("?") in ASKING for label in shown.labels)
        return asks > moment.is_prompt
    if len(shown.labels) != 1:
        return False
    look = Look(moment.grace, shown.labels[0].rstrip("?"), not shown.labels[0].endswith("?"))
    return _judged(moment, look) is Verdict.WRONG


def shown_after(observation: Observation) -> float | None:
    """Seconds until a question that had a true state with its subject as answer; None without."""
    moment = BY_NAME[observation.moment]
    return next(
        (
            look.after
            for look in observation.looks
            if look.state in moment.right and moment.about in (look.about or "")
        ),
        None,
    )
