"""What holds other widgets and has nothing of its own to show."""

from textual.containers import Container


class Blank(Container):
    """A container whose lines are not made and kept for each frame: others lie over nearly all."""

    BLANK = True
