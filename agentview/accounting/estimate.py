"""What tokens cost that are added up by what their price depends on."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from agentview.accounting.tally import Price
from agentview.domain.usage import Usage
from agentview.store.spending import Spent

SizedPricing = Callable[[str | None, Usage, float | None, int], Price | None]
"""Like `Pricing`, of responses added up, to each of which so many tokens of input were given."""


class _Worth(NamedTuple):
    dollars: float
    priced: bool
    """Whether any price is known."""
    whole: bool


class Estimate:
    """The price of what sessions spent; what was priced last is not priced again."""

    def __init__(self, pricing: SizedPricing) -> None:
        self._pricing = pricing
        self._known: dict[int, tuple[Spent, _Worth]] = {}

    def __call__(self, parts: Sequence[Spent]) -> Price | None:
        """The price of all parts together; None where nothing has a known price."""
        # A part is kept as long as what it is worth, so that no other can have its identity.
        self._known = {
            id(part): self._known.get(id(part)) or (part, self._worth(part)) for part in parts
        }
        found = [worth for _, worth in self._known.values()]
        if not any(worth.priced for worth in found):
            return None
        dollars = sum(worth.dollars for worth in found)
        return Price(dollars, whole=all(worth.whole for worth in found))

    def _worth(self, part: Spent) -> _Worth:
        dollars, priced, whole = 0.0, False, True
        for bracket, usage in part:
            price = self._pricing(bracket.model, usage, bracket.time, bracket.tokens_in)
            if price is not None:
                dollars += price.cost
                priced = True
            if usage.context and (price is None or not price.whole):
                whole = False
        return _Worth(dollars, priced, whole)
