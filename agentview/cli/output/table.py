"""Tables of text that keep to the width of the terminal."""

from collections.abc import Iterable, Mapping, Sequence

from rich.cells import cell_len, set_cell_size

GAP = "  "
_PADDED = 40
"""Cells to which a text is padded at most where no width is given."""


def table_lines(
    columns: Mapping[str, Sequence[str]],
    width: int | None,
    least: Mapping[str, int],
    spare: Sequence[str],
) -> list[str]:
    """Columns, each with its heading first, as lines of at most `width` cells, if any.

    `least` are columns that may become narrower, and how narrow; `spare` those that are left out
    where the width is too small, the first one first.
    """
    sizes = {
        title: {text: cell_len(text) for text in set(cells)} for title, cells in columns.items()
    }
    widths = {title: max(found.values()) for title, found in sizes.items()}
    if width is None:
        # Whole texts, but one long text does not push those below it to the right.
        widths = {title: min(size, _PADDED) for title, size in widths.items()}
    else:
        _fit(widths, width, least, spare)
    shown: list[Iterable[str]] = []
    for title, size in widths.items():
        cells = {
            text: _cell(text, found, size, cut=width is not None)
            for text, found in sizes[title].items()
        }
        shown.append(map(cells.__getitem__, columns[title]))
    lines = [GAP.join(cells).rstrip() for cells in zip(*shown, strict=True)]
    return lines if width is None else [set_cell_size(line, width).rstrip() for line in lines]


def _fit(
    widths: dict[str, int], width: int, least: Mapping[str, int], spare: Sequence[str]
) -> None:
    """Leave out and narrow columns until the table has the width, as far as it goes."""

    def excess() -> int:
        return sum(widths.values()) + len(GAP) * (len(widths) - 1) - width

    def reducible() -> int:
        return sum(max(0, widths[title] - size) for title, size in least.items() if title in widths)

    for title in spare:
        if excess() > reducible():
            del widths[title]
    while excess() > 0 and reducible() > 0:
        widest = max(
            (title for title, size in least.items() if widths.get(title, 0) > size),
            key=widths.__getitem__,
        )
        widths[widest] -= 1


def _cell(text: str, found: int, size: int, *, cut: bool) -> str:
    """The text, of so many cells, in others; with `cut` one that is too long is cut."""
    missing = size - found
    if missing >= 0:
        return text + " " * missing
    return set_cell_size(text, size - 1) + "…" if cut else text
