"""The parent's side of looking up rates."""

import pickle
from collections.abc import Sequence

from agentview.children import child_process
from agentview.store.token_totals import Bracket
from agentview.usage.pricing import Rates

_PROGRAM = "agentview.usage.rates_child"


async def look_up(brackets: Sequence[Bracket]) -> dict[Bracket, Rates | None]:
    """The rates of brackets, in a process that ends with it; none known where it cannot run."""
    async with child_process(_PROGRAM) as child:
        answer = await child.answer(pickle.dumps([*brackets]))
    try:
        found: list[Rates | None] = pickle.loads(answer)  # noqa: S301  (our child's)
    except (EOFError, pickle.UnpicklingError):
        # It ended before it had written all.
        return dict.fromkeys(brackets)
    return dict(zip(brackets, found, strict=True))
