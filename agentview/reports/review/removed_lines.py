"""The calls that removed lines of a file."""

from collections.abc import Sequence

from msgspec.structs import replace

from agentview.reports.blame.file_past import PastChange
from agentview.reports.blame.lines import BlamedLine, blamed_lines


def remover_lines(
    texts: Sequence[str], past: Sequence[PastChange], since: float | None
) -> list[BlamedLine]:
    """The lines of a text, each with the first call that removed it after the text was so.

    `since` is the time of the commit that has the text. It counts where no call found exactly this
    text.
    """
    # A call that removed a line has added it to the text before, seen backwards.
    return blamed_lines(texts, [_reversed(one) for one in reversed(_since(texts, past, since))])


def _since(
    texts: Sequence[str], past: Sequence[PastChange], since: float | None
) -> Sequence[PastChange]:
    text = [line.removesuffix("\r") for line in texts]
    for at in range(len(past) - 1, -1, -1):
        before = past[at].change.before
        if len(before) == len(text) and all(
            isinstance(item, str) and item.removesuffix("\r") == line
            for item, line in zip(before, text, strict=True)
        ):
            return past[at:]
    times = ((one, one.change.step.time) for one in past)
    return [one for one, time in times if since is None or time is None or time > since]


def _reversed(one: PastChange) -> PastChange:
    change = one.change
    return replace(
        one, change=replace(change, before=change.after, after=change.before, added=None)
    )
