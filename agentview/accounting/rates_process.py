"""The parent's side of looking up rates."""

import asyncio
import pickle
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Sequence

from agentview.accounting.rates import Rates
from agentview.store.spending import Bracket

_PROGRAM = "agentview.accounting.rates_child"


async def look_up(brackets: Sequence[Bracket]) -> dict[Bracket, Rates | None]:
    """The rates of brackets, in a process that ends with it; none known where it cannot run."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", _PROGRAM, stdin=PIPE, stdout=PIPE, stderr=DEVNULL
    )
    try:
        answer, _ = await child.communicate(pickle.dumps([*brackets]))
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    if child.returncode or not answer:
        return dict.fromkeys(brackets)
    found: list[Rates | None] = pickle.loads(answer)  # noqa: S301  (our child's)
    return dict(zip(brackets, found, strict=True))
