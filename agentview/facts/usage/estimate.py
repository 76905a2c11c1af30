"""Cost of tokens that are added up by the conditions of their price."""

from collections.abc import Mapping, Sequence

from agentview.domain.value import Value
from agentview.facts.usage.rates import Rates
from agentview.facts.usage.tally import Price
from agentview.timeline.rows.token_totals import PriceTier, Spent


def listed(spent: Spent) -> tuple[float, bool] | None:
    """Cost of tokens by the list of prices, and whether that is all; None where none is known."""
    # The list takes long to load, and hardly any session asks for it here.
    from agentview.facts.usage.pricing import PriceList

    prices = PriceList()
    price = Estimate({bracket: prices.rates(bracket) for bracket, _ in spent})((spent,))
    return None if price is None else (price.cost, price.whole)


class _CostSum(Value):
    dollars: float
    priced: bool
    """True if any price is known."""
    whole: bool


class Estimate:
    """The price of what sessions spent, by rates that may become more; None is of no known price.

    What was priced last is not priced again.
    """

    def __init__(self, rates: Mapping[PriceTier, Rates | None]) -> None:
        self._rates = rates
        self._known: dict[int, tuple[Spent, _CostSum]] = {}

    def missing(self, parts: Sequence[Spent]) -> list[PriceTier]:
        """Brackets whose rates have not been looked up."""
        unknown = (part for part in parts if id(part) not in self._known)
        found = (bracket for part in unknown for bracket, _ in part if bracket not in self._rates)
        return list(dict.fromkeys(found))

    def __call__(self, parts: Sequence[Spent]) -> Price | None:
        """The price of all parts together; None where nothing has a known price."""
        worths = [self._kept(part) for part in parts]
        if not any(worth.priced for worth in worths):
            return None
        dollars = sum(worth.dollars for worth in worths)
        # A part is kept as long as what it is worth, so that no other can have its identity.
        alive = {id(part) for part in parts}
        self._known = {key: kept for key, kept in self._known.items() if key in alive}
        return Price(dollars, whole=all(worth.whole for worth in worths))

    def _kept(self, part: Spent) -> _CostSum:
        kept = self._known.get(id(part))
        if kept is not None:
            return kept[1]
        worth = self._worth(part)
        if all(bracket in self._rates for bracket, _ in part):
            self._known[id(part)] = (part, worth)
        return worth

    def _worth(self, part: Spent) -> _CostSum:
        dollars, priced, whole = 0.0, False, True
        for bracket, usage in part:
            rates = self._rates.get(bracket)
            price = None if rates is None else rates.price(usage)
            if price is not None:
                dollars += price.cost
                priced = True
            if usage.context and (price is None or not price.whole or usage.unfinished):
                whole = False
        return _CostSum(dollars, priced, whole)
