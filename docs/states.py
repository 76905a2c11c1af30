"""Writes the measured part of docs/states.md out of the kept results of `python -m tests.live`."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.live.clients import CLIENTS
from tests.live.kept import kept
from tests.live.moments import (
    BY_NAME,
    MOMENTS,
    Observation,
    Result,
    Surface,
    Verdict,
    shown_after,
    verdict,
)

TARGET = Path(__file__).parent / "states.md"

_BEGIN, _END = "<!-- begin: python -m docs.states -->\n", "<!-- end -->\n"


def page() -> str:
    """All of docs/states.md, with the part between the marks as the results have it."""
    before, _, rest = TARGET.read_text().partition(_BEGIN)
    return f"{before}{_BEGIN}{measured(_in_order(kept()))}{_END}{rest.partition(_END)[2]}"


def main() -> None:
    """Write the page."""
    TARGET.write_text(page())


def measured(results: Iterable[Result]) -> str:
    """The table of moments by client, and a table for each client."""
    found = list(results)
    return "\n".join([*_matrix(found), "", *(line for each in found for line in _section(each))])


def _in_order(results: Iterable[Result]) -> list[Result]:
    order = {client.name: index for index, client in enumerate(CLIENTS)}
    return sorted(results, key=lambda each: order[each.client])


def _matrix(results: list[Result]) -> Iterator[str]:
    yield _row("moment", *(result.label for result in results))
    yield _row(*(["---"] * (1 + len(results))))
    yield _row("version", *(result.version for result in results))
    yield _row("date", *(result.date for result in results))
    for moment in MOMENTS:
        yield _row(moment.label, *(_cell(result, moment.name) for result in results))


def _cell(result: Result, moment: str) -> str:
    seen = next((each for each in result.observations if each.moment == moment), None)
    if seen is None:
        return "–"
    found = verdict(seen)
    return f"**{found}**" if found is Verdict.WRONG else str(found)


def _section(result: Result) -> Iterator[str]:
    yield f"### {result.label} {result.version}"
    yield ""
    yield _row("moment", "state", "evidence", "about", "status", *Surface)
    yield _row(*(["---"] * (5 + len(Surface))))
    for observation in result.observations:
        yield _row(BY_NAME[observation.moment].label, *_shown(observation))
    yield ""


def _shown(observation: Observation) -> Iterator[str]:
    """State, evidence, subject, and the seconds until each surface had them."""
    look = observation.looks[-1]
    yield "not listed" if look.state is None else f"`{look.state}{'' if look.certain else '?'}`"
    yield look.evidence or ""
    yield f"`{look.about}`" if look.about else ""
    yield _seconds(shown_after(observation))
    shown = {each.surface: each.after for each in observation.shown}
    yield from (_seconds(shown.get(surface)) for surface in Surface)


def _seconds(after: float | None) -> str:
    return "" if after is None else f"{after} s"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


if __name__ == "__main__":
    main()
