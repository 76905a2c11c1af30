"""A part of a screen that is imported, made and mounted when it is first asked for."""

from collections.abc import Awaitable, Callable
from typing import ClassVar, Generic, TypeVar

from textual.containers import Vertical
from textual.widget import Widget

Part = TypeVar("Part", bound=Widget)


class LatePart(Vertical, Generic[Part]):
    """The place of the part; until then it is not arranged, which every key would pay for."""

    DEFAULT_CSS: ClassVar[str] = """
    LatePart { height: auto; display: none; }
    """

    def __init__(self, make: Callable[[], Part]) -> None:
        """`make` imports the part and makes it."""
        super().__init__()
        self._make = make
        self._mounted: Awaitable[object] | None = None
        self.part: Part | None = None
        """None until it is asked for."""

    async def ask(self) -> Part:
        """The part, mounted."""
        if self.part is None:
            self.part = self._make()
            self._mounted = self.mount(self.part)
            self.display = True
        if self._mounted is not None:
            await self._mounted
            self._mounted = None
        return self.part
