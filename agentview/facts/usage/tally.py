"""Sums of tokens and money in which what nobody stated stays unknown."""

from collections.abc import Callable
from operator import add, attrgetter

from msgspec import Struct, field
from msgspec.structs import replace

from agentview.domain.usage import Usage
from agentview.domain.value import Value
from agentview.timeline.view.cost import Cost

_counts_of = attrgetter(*Usage.__struct_fields__)
_FIELDS = len(Usage.__struct_fields__)


class Price(Value):
    """Price of tokens by a list of prices, in US dollars; always an estimate."""

    cost: float
    whole: bool = True
    """False where the log left out tokens that cost something: it was at least this."""


Pricing = Callable[[str | None, Usage, float | None], Price | None]
"""The price of the tokens of one response of a model at a time, epoch seconds.

None where the model has no known price, or no count is known.
"""


def unpriced(_model: str | None, _usage: Usage, _time: float | None) -> Price | None:
    """Return no price, for callers that want tokens only."""
    return None


def _zeros() -> list[int]:
    return [0] * _FIELDS


class Tally(Struct, array_like=True, gc=False):
    """Responses added up. A count is None as long as no response stated it, never 0.

    It changes while it adds up; msgspec writes it as the array of its fields.
    """

    responses: int = 0
    sums: list[int] = field(default_factory=_zeros)
    known: list[int] = field(default_factory=_zeros)
    """How many responses stated each count."""
    dollars: float = 0.0
    priced: int = 0
    partly: int = 0
    """Responses of which a price is known for a part, or for nothing."""
    paid: float = 0.0
    """US dollars by the client's own figures."""
    without_cost: int = 0
    """Responses that used something and have no such figure."""

    def add(
        self, usage: Usage, price: Price | None, cost: float | None = None, *, responses: int = 1
    ) -> None:
        """Count a response, or a part of one (`responses=0`); `cost` is the client's own figure."""
        counts: tuple[int | None, ...] = _counts_of(usage)
        for at, count in enumerate(counts):
            if count is not None:
                self.sums[at] += count
                self.known[at] += 1
        self.responses += responses
        if price is not None:
            self.dollars += price.cost
            self.priced += 1
        if any(counts) and (price is None or not price.whole):
            self.partly += 1
        if cost is not None:
            self.paid += cost
        elif any(counts):
            self.without_cost += 1

    def merge(self, other: "Tally") -> None:
        """Count all that another has counted."""
        if not other.is_used:
            return
        self.sums = list(map(add, self.sums, other.sums))
        self.known = list(map(add, self.known, other.known))
        self.responses += other.responses
        self.dollars += other.dollars
        self.priced += other.priced
        self.partly += other.partly
        self.paid += other.paid
        self.without_cost += other.without_cost

    @property
    def is_used(self) -> bool:
        return bool(self.responses or self.paid) or any(self.known)

    @property
    def usage(self) -> Usage:
        """Tokens, each count None where no response stated it."""
        values = (
            total if known else None for total, known in zip(self.sums, self.known, strict=True)
        )
        usage = Usage(*values)
        return usage if usage.unfinished else replace(usage, unfinished=None)

    @property
    def tokens(self) -> int | None:
        """All input and output, None where nothing was stated."""
        return self.usage.context

    @property
    def cost(self) -> float | None:
        """Return an estimate in US dollars of all with a known price; None without a price."""
        return self.dollars if self.priced else None

    @property
    def cost_is_whole(self) -> bool:
        """False when tokens have no known price or were not counted: it was at least `cost`."""
        return self.partly == 0 and not self.usage.unfinished

    @property
    def client_cost(self) -> float | None:
        """Return the client's own figure in US dollars, where it reported each response."""
        return self.paid if self.paid and not self.without_cost else None

    def worth(self, client: float | None = None) -> Cost:
        """Return the cost of all; `client` is the client's own figure of it, where it has one."""
        return Cost(self.client_cost if client is None else client, self.cost, self.cost_is_whole)


def share(usage: Usage, parts: int, at: int) -> Usage:
    """Part number `at` of `parts` as equal as whole numbers allow; all of them are the usage."""
    counts: tuple[int | None, ...] = _counts_of(usage)
    return Usage(*(None if count is None else _part(count, parts, at) for count in counts))


def _part(count: int, parts: int, at: int) -> int:
    quotient, rest = divmod(count, parts)
    return quotient + (at < rest)


def negative(usage: Usage) -> bool:
    return any(count is not None and count < 0 for count in _counts_of(usage))
