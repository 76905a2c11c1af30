"""Bodies that take longer to lay out than a frame may: shown as far as they are, then whole."""

from typing import Protocol

from agentview.ui.render.containers import Stack
from agentview.ui.render.lazy_lines import LazyLines


class LayoutWork(Protocol):
    """Laying out that continues between keys and frames."""

    def continue_for(self, seconds: float) -> bool:
        """Lay out more, for about so long; true when that was all."""
        ...


class IncrementalBody(Stack):
    """A body as far as it is laid out. Made again when its `work` is done, it is whole."""

    def __init__(self, bodies: list[LazyLines], work: LayoutWork) -> None:
        super().__init__(bodies)
        self.work = work


def work_of(body: object) -> LayoutWork | None:
    """Return the remaining work of a body; None for one that is whole."""
    return body.work if isinstance(body, IncrementalBody) else None
