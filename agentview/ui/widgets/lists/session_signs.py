"""The signs of lists of sessions, in Unicode and in ASCII."""

from agentview.domain.annotations import STAR
from agentview.domain.value import Value


class Signs(Value):
    """One-cell signs of the list."""

    ascii: bool = False
    """True if marks of states are in ASCII too."""
    child: str = "└"
    down: str = "▾"
    up: str = "▴"
    group: str = "▪"
    folded: str = "▸"
    rule: str = "─"
    star: str = STAR


UNICODE_SIGNS = Signs()
ASCII_SIGNS = Signs(
    ascii=True, child="`", down="v", up="^", group="#", folded=">", rule="-", star="*"
)
