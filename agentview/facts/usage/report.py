"""Usage of one session, as far as its log shows."""

from collections.abc import Sequence

from msgspec.structs import replace

from agentview.domain.session import SessionRef, Stream
from agentview.domain.usage import Usage
from agentview.domain.value import Value
from agentview.facts.usage.tally import Price, Tally
from agentview.facts.usage.time_breakdown import TimeSplit, add_seconds
from agentview.providers import load_provider
from agentview.timeline.view.cost import NO_COST, Cost


class TurnUsage(Value):
    """Usage of one turn: from a prompt to the next."""

    number: int
    """Among the turns that stand, from 1. One that stands no more has that of the one before it,
    and 0 is what came before the first."""
    prompt: str
    """Beginning of the prompt."""
    started: float | None
    """Epoch seconds UTC."""
    tally: Tally
    place: tuple[int, int] | None = None
    """Byte offset of the prompt's record, and number of the event in it."""
    abandoned: bool = False
    """The conversation went back to before it."""
    at: int = 0
    """Among all turns, those that stand no more included, from 1; 0 is before the first."""


class CountedResponse(Value):
    """One response of a model, as it is counted."""

    id: str
    is_correction: bool
    """It is what the client counted beyond its responses; the id is a number."""
    log: SessionRef
    """The log that has it: the session's own, or that of an agent."""
    stream: Stream
    is_agent: bool
    """It belongs to `SessionUsage.agents`, else to `own`."""
    turn: int
    """The `TurnUsage.at` of its turn."""
    model: str | None
    time: float | None
    """Epoch seconds UTC."""
    usage: Usage
    counts: bool
    """False where it adds tokens and is not counted as a response."""
    price: Price | None
    client_cost: float | None
    """US dollars as the client counted them."""


def largest(turns: Sequence[TurnUsage], count: int) -> list[TurnUsage]:
    """As many of the turns, those that used most, in their order."""
    used = sorted(turns, key=lambda turn: -(turn.tally.tokens or 0))[:count]
    return sorted(used, key=lambda turn: turn.number)


class ToolUsage(Value):
    """Calls and time of one tool."""

    calls: int
    problems: int
    seconds: float | None
    """All of them one after another, also where they ran at once; None without times."""

    def plus(self, other: "ToolUsage") -> "ToolUsage":
        """The sum; a side without times does not count for the seconds."""
        return ToolUsage(
            self.calls + other.calls,
            self.problems + other.problems,
            add_seconds(self.seconds, other.seconds),
        )


class ContextPoint(Value):
    """Tokens in the model's context after a response of the main stream."""

    time: float | None
    tokens: int
    compacted: bool = False
    """True if the history was compacted since the point before."""


class HistogramBucket(Value):
    """Usage of the session and its agents in a stretch of time."""

    time: float
    """When it begins, epoch seconds UTC."""
    seconds: float
    """How long it is."""
    tokens: int
    cost: float
    """Estimate in US dollars, of all whose price is known."""


class UsageSums(Value):
    """Usage of a session, from its own log and those of its agents, as `stats` adds it up.

    Do not add to a `Tally`. `by_tool` shares out the tokens of each response among the calls that
    it made; responses without calls are under None.
    """

    ref: SessionRef
    own: Tally
    """Of the session itself."""
    agents: Tally
    """Of the agents that it started, in its log and in logs of their own."""
    abandoned: Tally
    """Use of both on abandoned branches of the conversation: it was paid for too."""
    by_model: dict[str | None, Tally]
    """Agents included, as in the splits that follow."""
    by_tool: dict[str | None, Tally]
    """A tool is named by its kind; where that is unknown, by its canonical name."""
    by_hour: dict[str | None, Tally]
    """By hour in the time zone of this machine, as 2026-11-21T14:00."""
    tools: dict[str, ToolUsage]
    time: TimeSplit
    """Of the main stream: while an agent of its own works, it waits for a tool."""
    standing: int
    """Turns that stand."""
    compactions: int
    client_cost: float | None
    """US dollars as the client counted them, where that is of all that is counted here."""
    agent_paths: tuple[str, ...]
    """Logs of the agents that have one of their own."""
    started: float | None
    ended: float | None
    """Times of the first and the last event, epoch seconds UTC; with a period of those in it."""
    agent_logs: int
    """How many of the agents with a log of their own did something, in the period."""
    is_inside: bool
    """False if nothing happened in the period that was asked for."""
    has_untimed: bool
    """Responses, prompts or calls have no time: no period has them."""

    @property
    def total(self) -> Tally:
        """The session and its agents."""
        if not self.agents.is_used:
            return self.own
        both = Tally()
        both.merge(self.own)
        both.merge(self.agents)
        return both

    @property
    def cost(self) -> Cost:
        return self.total.worth(self.client_cost)


class SessionUsage(UsageSums):
    """Everything that a session used."""

    turns: tuple[TurnUsage, ...]
    pace: tuple[HistogramBucket, ...] = ()
    """Stretches of equal length, those in which nothing was used too, in order."""
    context: tuple[ContextPoint, ...] = ()
    window: int | None = None
    """Tokens that the newest model of the session holds."""
    trouble: tuple[str, ...] = ()
    """Why logs of agents could not be read."""

    @property
    def no_counts(self) -> str | None:
        """Why no tokens are known, where logs of this client never have them; else None."""
        provider = load_provider(self.ref.provider)
        if "usage" in provider.capabilities or self.total.tokens is not None:
            return None
        return f"{provider.label} logs no token counts."


SHOWN_TURNS = 100
"""Turns that are reported one by one."""


class Counted(Value):
    """Usage of a session, as far as its log has been read."""

    usage: SessionUsage
    """Of its turns only those that used most."""
    turns: int
    """How many turns there are."""
    fraction: float = 1.0
    """Part of the log that was read, 0 to 1; 1 is the end of an answer."""
    trouble: str | None = None
    """Why it could not be read on."""


class SessionCount(Value):
    """Tokens and cost of a session with its agents, as far as they are known."""

    path: str
    """The log of the session."""
    tokens: int | None = None
    cost: Cost = NO_COST


def counted(usage: SessionUsage, fraction: float = 1.0, trouble: str | None = None) -> Counted:
    """Return the part of a usage that is reported: so little that it is taken in at once."""
    turns = tuple(largest(usage.turns, SHOWN_TURNS))
    return Counted(replace(usage, turns=turns), len(usage.turns), fraction, trouble)
