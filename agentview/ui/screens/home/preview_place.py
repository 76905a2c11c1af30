"""Where a preview is: right of a list or below it, by the room and by what was asked for."""

from textual.widget import Widget

_BELOW = 32
"""Rows from which a preview is below a list."""
_LEAST = 16
"""Rows from which it is below a list if somebody asks for it."""


class PreviewPlace:
    """Sets the classes `-right` and `-below` of the screen that has the preview."""

    def __init__(self, owner: Widget, right: int, *, shown: bool) -> None:
        """`right` is from how many columns on it is next to the list; `shown` hides it if False."""
        self._owner, self._right = owner, right
        self._asked: bool | None = None if shown else False

    @property
    def visible(self) -> bool:
        return self._owner.has_class("-right") or self._owner.has_class("-below")

    def has_room(self, width: int, height: int) -> bool:
        return width >= self._right or height >= _LEAST

    def fit(self, width: int, height: int) -> None:
        """Place it in a window of this size."""
        asked = self._asked
        right = asked is not False and width >= self._right
        below = asked is not False and not right and height >= (_LEAST if asked else _BELOW)
        self._owner.set_class(right, "-right")
        self._owner.set_class(below, "-below")

    def toggle(self, width: int, height: int) -> bool:
        """Show or hide it; False where the window is too small for it."""
        wanted = self._asked = not self.visible
        self.fit(width, height)
        return self.visible or not wanted
