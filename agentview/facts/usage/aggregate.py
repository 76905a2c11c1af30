"""Responses of models added up by all that they are split by."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, TypeVar

from agentview.domain.session import Stream
from agentview.domain.usage import Usage
from agentview.facts.usage.report import HistogramBucket
from agentview.facts.usage.tally import Price, Pricing, Tally, share

_Key = TypeVar("_Key", int, str | None)

POINTS = 512
"""Stretches at most."""

_FIRST = 15.0
"""Seconds of a stretch at the beginning."""


class TokenHistogram:
    """Tokens and dollars by the time of each response; one without a time does not count."""

    def __init__(self) -> None:
        self.seconds = _FIRST
        self.sums: dict[int, tuple[int, float]] = {}
        """By whole stretches since the epoch."""

    def add(self, time: float | None, tokens: int, cost: float) -> None:
        """Count a response; `time` in epoch seconds."""
        if time is not None:
            self._put(int(time // self.seconds), tokens, cost)

    def merge(self, other: "TokenHistogram") -> None:
        """Count all that another has counted."""
        while self.seconds < other.seconds:
            self._double()
        for at, (tokens, cost) in other.sums.items():
            self._put(int(at * other.seconds // self.seconds), tokens, cost)

    def points(self) -> Iterator[HistogramBucket]:
        if self.sums:
            for at in range(min(self.sums), max(self.sums) + 1):
                tokens, cost = self.sums.get(at, (0, 0.0))
                yield HistogramBucket(at * self.seconds, self.seconds, tokens, cost)

    def _put(self, at: int, tokens: int, cost: float) -> None:
        known = self.sums.get(at, (0, 0.0))
        self.sums[at] = (known[0] + tokens, known[1] + cost)
        if len(self.sums) > 1 and known == (0, 0.0):
            while max(self.sums) - min(self.sums) >= POINTS:
                self._double()

    def _double(self) -> None:
        sums, self.sums = self.sums, {}
        self.seconds *= 2
        for at, (tokens, cost) in sums.items():
            known = self.sums.get(at >> 1, (0, 0.0))
            self.sums[at >> 1] = (known[0] + tokens, known[1] + cost)


class ChargedCall(Protocol):
    """A call, which is charged with a part of the response that made it."""

    tool: str
    """As far as it is known by now."""


@dataclass(slots=True)
class Response:
    """One response of a model, by its newest record."""

    usage: Usage
    model: str | None
    turn: int
    time: float | None
    side: bool
    history: int
    """The history that it is in; a log may begin again."""
    counts: bool
    """False for a correction, and for one that another session is charged with."""
    cost: float | None = None
    """US dollars as the client counted them."""
    part: int = 0
    """Number of the part of the log that it is in, from what a person gave to the next; 0 is what
    came before the first."""
    calls: list[ChargedCall] = field(default_factory=list["ChargedCall"])
    """The calls it made."""
    stream: Stream | None = None
    """Unless it is that of the log itself."""


@dataclass(slots=True)
class UsageGroups:
    """Responses added up by all that they are split by."""

    own: Tally = field(default_factory=Tally)
    agents: Tally = field(default_factory=Tally)
    by_turn: defaultdict[int, Tally] = field(default_factory=lambda: defaultdict(Tally))
    by_part: defaultdict[int, Tally] = field(default_factory=lambda: defaultdict(Tally))
    by_model: defaultdict[str | None, Tally] = field(default_factory=lambda: defaultdict(Tally))
    by_tool: defaultdict[str | None, Tally] = field(default_factory=lambda: defaultdict(Tally))
    by_hour: defaultdict[str | None, Tally] = field(default_factory=lambda: defaultdict(Tally))
    pace: TokenHistogram = field(default_factory=TokenHistogram)

    def add(self, response: Response, pricing: Pricing) -> None:
        """Count a response everywhere."""
        usage, responses = response.usage, int(response.counts)
        price = pricing(response.model, usage, response.time)
        for tally in (
            self.agents if response.side else self.own,
            self.by_turn[response.turn],
            self.by_part[response.part],
            self.by_model[response.model],
            self.by_hour[hour_of(response.time)],
        ):
            tally.add(usage, price, response.cost, responses=responses)
        self.pace.add(response.time, usage.context or 0, 0.0 if price is None else price.cost)
        parts = len(response.calls)
        if not parts:
            self.by_tool[None].add(usage, price, response.cost, responses=responses)
            return
        part_price = None if price is None else Price(price.cost / parts, price.whole)
        part_cost = None if response.cost is None else response.cost / parts
        for at, call in enumerate(response.calls):
            self.by_tool[call.tool].add(
                share(usage, parts, at), part_price, part_cost, responses=0 if at else responses
            )

    def merge(self, other: "UsageGroups") -> None:
        """Count what other sums of the same log have."""
        self.own.merge(other.own)
        self.agents.merge(other.agents)
        _merge(self.by_turn, other.by_turn)
        _merge(self.by_part, other.by_part)
        _merge(self.by_model, other.by_model)
        _merge(self.by_tool, other.by_tool)
        _merge(self.by_hour, other.by_hour)
        self.pace.merge(other.pace)

    def take_agent(self, other: "UsageGroups", turn: int) -> None:
        """Give a turn of this log, and the times, what the log of an agent has."""
        for tally in other.by_turn.values():
            self.by_turn[turn].merge(tally)
        self.pace.merge(other.pace)


def _merge(mine: Mapping[_Key, Tally], more: Mapping[_Key, Tally]) -> None:
    for key, tally in more.items():
        mine[key].merge(tally)


def hour_of(time: float | None) -> str | None:
    """The hour of a moment where this machine is, as 2026-11-21T14:00."""
    if time is None:
        return None
    try:
        return f"{datetime.fromtimestamp(time).isoformat(timespec='hours')}:00"  # noqa: DTZ006
    except (OverflowError, OSError, ValueError):
        return None
