"""Looks by meaning: the styles that all rendering takes, made from a theme."""

from functools import lru_cache

from msgspec.structs import replace
from rich.style import Style

from agentview.domain.value import Value
from agentview.ui.themes import ThemeColors, ThemeSpec, selection_background


class Palette(Value):
    """Styles by what they mean. All are laid over the background of their row."""

    text: Style
    strong: Style
    """Subject of a row."""
    dim: Style
    """Text that matters less: times, counts, line numbers."""
    border: Style
    """Gutters and rules."""
    accent: Style
    path: Style
    number: Style
    success: Style
    warning: Style
    error: Style
    running: Style
    user: Style
    reasoning: Style
    heading: Style
    emphasis: Style
    link: Style
    inline_code: Style
    quote: Style
    match: Style
    """Match of a search or pattern."""
    selection: Style
    """Text that is selected with the mouse."""
    added: Style
    """Background of an added line."""
    removed: Style
    added_word: Style
    """Words that changed within an added line."""
    removed_word: Style
    added_gutter: Style
    """Sign and line number of an added line."""
    removed_gutter: Style
    keyword: Style
    string: Style
    comment: Style
    literal: Style
    function: Style
    type_name: Style
    operator: Style
    shaded: bool = True
    """False when lines have no background of their own: then colour or sign must show it."""
    colored: bool = True
    """False when the terminal has no colour at all."""


_SWITCHES = ("shaded", "colored")

PLAIN = Palette(
    **{name: Style.null() for name in Palette.__struct_fields__ if name not in _SWITCHES},
    shaded=False,
    colored=False,
)
"""No colour and no attribute anywhere."""


_FADED = ("text", "strong", "accent", "path", "number", "user", "heading", "emphasis", "running")


@lru_cache(maxsize=8)
def faded(palette: Palette) -> Palette:
    """The same with what stands out dimmed: for what counts no more. Outcomes keep their colour."""
    return replace(palette, **dict.fromkeys(_FADED, palette.dim))


def palette_of(spec: ThemeSpec) -> Palette:
    """The styles of a theme."""
    colors = spec.colors
    shaded = colors.added_background != colors.background
    added, removed = _ink(colors.added), _ink(colors.removed)
    words = _words(colors, added, removed)
    found = _shade(colors.match) if colors.match != colors.background else Style(reverse=True)
    muted = _ink(colors.muted)
    return Palette(
        text=_ink(colors.text),
        strong=_ink(colors.text, bold=True),
        dim=muted,
        border=_ink(colors.border),
        accent=_ink(colors.accent),
        path=_ink(colors.path),
        number=_ink(colors.number),
        success=_ink(colors.success),
        warning=_ink(colors.warning),
        error=_ink(colors.error),
        running=_ink(colors.running),
        user=_ink(colors.user),
        reasoning=_ink(colors.reasoning, italic=True),
        heading=_ink(colors.accent, bold=True),
        emphasis=_ink(colors.text, italic=True),
        link=_ink(colors.link, underline=True),
        inline_code=_ink(colors.literal),
        quote=muted,
        match=found if shaded else Style(reverse=True),
        selection=_selection(colors, shaded=shaded),
        added=_shade(colors.added_background) if shaded else added,
        removed=_shade(colors.removed_background) if shaded else removed,
        added_word=words[0],
        removed_word=words[1],
        added_gutter=added,
        removed_gutter=removed,
        keyword=_ink(colors.keyword),
        string=_ink(colors.string),
        comment=_ink(colors.comment, italic=True),
        literal=_ink(colors.literal),
        function=_ink(colors.function),
        type_name=_ink(colors.type_name),
        operator=_ink(colors.operator),
        shaded=shaded,
    )


def _selection(colors: ThemeColors, *, shaded: bool) -> Style:
    """Give text and background of one meaning: what is under them may have any color."""
    background, plain = selection_background(colors), Style(dim=False, reverse=False)
    if background is None or not shaded:
        return _ink("black") + _shade("cyan") + plain
    return _ink(colors.text) + _shade(background) + plain


def _words(colors: ThemeColors, added: Style, removed: Style) -> tuple[Style, Style]:
    """Give the marks on changed words: a shade, else an attribute that lines do not have."""
    if colors.added_background == colors.background:
        return added + Style(reverse=True), removed + Style(reverse=True)
    if colors.added_word == colors.added_background:
        return Style(bold=True, underline=True), Style(bold=True, underline=True)
    return _shade(colors.added_word), _shade(colors.removed_word)


def _ink(
    color: str,
    *,
    bold: bool | None = None,
    italic: bool | None = None,
    underline: bool | None = None,
) -> Style:
    return Style(color=_rich(color), bold=bold, italic=italic, underline=underline)


def _shade(color: str) -> Style:
    return Style(bgcolor=_rich(color))


def _rich(color: str) -> str:
    return color.removeprefix("ansi_")
