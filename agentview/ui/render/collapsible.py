"""Parts of a body that the reader folds away and opens: what is open is said by a value.

How a body takes part: it asks `space.folds.is_open(key, begins)` whether a part is open while it
is built, draws one line for the part whether it is or not (`space.glyphs.folded` or `.unfolded`
before it), and returns by `fold_at(row)` which part the line at a row of it folds. It keeps no
state and is built again when a part is toggled, so building must be cheap. Keys are the body's own;
two bodies of one activity must not use the same ones (begin them with the name of the body).
`Stack`, `Cropped` and `Indented` pass `fold_at` on to what they hold.

A click on such a line toggles its part, in the timeline and on the detail screen; one key opens or
folds all parts of an activity.
"""

from typing import Protocol, runtime_checkable

from agentview.domain.value import Value


class Folds(Value):
    """Which parts of one activity are not as they begin."""

    every: bool | None = None
    """All parts begin open (True) or folded (False); None leaves each part its own."""
    toggled: frozenset[str] = frozenset()
    """Keys of parts that are the other way round."""

    def is_open(self, key: str, begins: bool) -> bool:
        """Return True if the part is open that begins open or folded."""
        return (begins if self.every is None else self.every) != (key in self.toggled)

    def toggle(self, key: str) -> "Folds":
        return Folds(self.every, self.toggled ^ {key})

    def toggle_all(self) -> "Folds":
        """All parts folded; opened when that was asked for last."""
        return Folds(every=self.every is False)


NO_FOLDS = Folds()
"""Every part as it begins."""


@runtime_checkable
class Foldable(Protocol):
    """A body with parts that fold."""

    def fold_at(self, row: int) -> str | None:
        """Key of the part that the line at a row folds and opens; None for any other line."""
        ...


def fold_at(body: object, row: int) -> str | None:
    """Key of the part that the line at a row of a body folds; None where there is none."""
    return body.fold_at(row) if isinstance(body, Foldable) else None
