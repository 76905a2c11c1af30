"""The machines that do not answer, in a sentence each."""

from collections.abc import Mapping

from textual.widgets import Static

from agentview.timeline.view.sanitize import one_line

WAITING = "waiting for hosts"
"""Says of an empty list that what these have is not known."""

_MOST = 3
"""Machines that have a row of their own."""


class HostFailures(Static):
    """Rows above the status line; there are none while all machines answer."""

    DEFAULT_CSS = """
    HostFailures {
        height: auto;
        padding: 0 1;
        color: $text-warning;
        text-wrap: nowrap;
        text-overflow: ellipsis;
    }
    HostFailures.-none { display: none; }
    """

    def __init__(self) -> None:
        super().__init__(markup=False, classes="-none")
        self._said: dict[str, str] = {}

    def show(self, silent: Mapping[str, str]) -> None:
        """Show why machines do not answer, by their names."""
        if silent == self._said:
            return
        self._said = dict(silent)
        lines = [one_line(sentence) for _, sentence in sorted(silent.items())]
        if len(lines) > _MOST:
            lines[_MOST - 1 :] = [f"{len(lines) - _MOST + 1} more hosts have not answered."]
        self.update("\n".join(lines))
        self.set_class(not lines, "-none")
