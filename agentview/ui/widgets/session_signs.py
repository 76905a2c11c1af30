"""The signs of lists of sessions, in Unicode and in ASCII."""

from agentview.domain.value import Value


class Signs(Value):
    """One-cell signs of the list."""

    working: str = "●"
    approval: str = "◌"
    waiting: str = "○"
    interrupted: str = "⊘"
    child: str = "└"
    down: str = "▾"
    up: str = "▴"
    group: str = "▪"


UNICODE_SIGNS = Signs()
ASCII_SIGNS = Signs("*", "~", "o", "-", "`", "v", "^", "#")
