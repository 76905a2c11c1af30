"""How many lines a list has, set without a layout of the screen for each new line."""

from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.widget import Widget


class VirtualScrollView(ScrollView):
    """Scrolls over lines of which more come."""

    def take_length(self, lines: int) -> None:
        """Take over how many there are; the screen is laid out again only where it needs to be."""
        room = self.scrollable_content_region
        size, before = Size(room.width, lines), self.virtual_size
        if (size.width, size.height > room.height) != (before.width, before.height > room.height):
            self.virtual_size = size
        elif size != before:
            self.set_reactive(Widget.virtual_size, size)  # pyright: ignore[reportArgumentType]
            self._scroll_update(size)
