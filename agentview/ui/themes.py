"""Themes: TOML files read into colours by meaning; knows no terminal and no widget.

The first frame waits for one theme, so the files are checked by hand: building a validator for
them would take longer than all the rest of it.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from agentview.domain.value import Value
from agentview.errors import AgentViewError, NotFound, Unreadable, UsageError, choices_hint
from agentview.settings.toml_file import NotToml, parsed_toml, toml_text
from agentview.system.paths import config_dir, themes_dir

DEFAULT_THEME = "agentview-dark"

_HEX = re.compile(r"#[0-9a-fA-F]{6}")
_ANSI_NAMES = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_ANSI = frozenset(
    ["ansi_default"]
    + [f"ansi_{name}" for name in _ANSI_NAMES]
    + [f"ansi_bright_{name}" for name in _ANSI_NAMES]
)


class ThemeColors(Value):
    """Colours by meaning, each `#rrggbb` or the name of a terminal colour such as `ansi_red`."""

    background: str
    text: str
    accent: str
    success: str
    warning: str
    error: str
    surface: str
    """Header, panels and other places next to the timeline."""
    raised: str
    """Background of the row under the cursor."""
    muted: str
    """Text that matters less."""
    border: str
    """Lines and gutters."""
    path: str
    number: str
    running: str
    user: str
    reasoning: str
    link: str
    match: str
    """Background of what a search found."""
    added: str
    removed: str
    added_background: str
    removed_background: str
    added_word: str
    """Background of the words that changed in an added line."""
    removed_word: str
    keyword: str
    string: str
    comment: str
    literal: str
    function: str
    type_name: str
    operator: str


class ThemeSpec(Value):
    """One theme; `dark` says which way it differs from its text."""

    name: str
    label: str
    dark: bool
    colors: ThemeColors


class ThemeFailure(Value):
    """A theme file that could not be used, and the reason in one sentence."""

    path: Path
    reason: str


class Themes(Value):
    """All themes found, by name, and the files that could not be used."""

    loaded: Mapping[str, ThemeSpec]
    failed: tuple[ThemeFailure, ...] = ()


class BadTheme(AgentViewError):  # noqa: N818  (reads as the sentence it stands for)
    """A theme file does not say what a theme must say. Exit code 1."""


_REQUIRED = ("background", "text", "accent", "success", "warning", "error")
_COLOR_NAMES = ThemeColors.__struct_fields__

# What a theme leaves out is made from what it says: a colour it has, or (colour, colour, share).
_DERIVED: Mapping[str, str | tuple[str, str, float]] = {
    "surface": ("background", "text", 0.05),
    "raised": ("background", "text", 0.10),
    "muted": ("text", "background", 0.35),
    "border": ("background", "text", 0.25),
    "path": "text",
    "number": "accent",
    "running": "accent",
    "user": "accent",
    "reasoning": "muted",
    "link": "accent",
    "match": ("background", "warning", 0.35),
    "added": "success",
    "removed": "error",
    "added_background": ("background", "success", 0.12),
    "removed_background": ("background", "error", 0.12),
    "added_word": ("background", "success", 0.30),
    "removed_word": ("background", "error", 0.30),
    "keyword": "accent",
    "string": "success",
    "comment": "muted",
    "literal": "warning",
    "function": "text",
    "type_name": "text",
    "operator": "text",
}


def theme_directories() -> tuple[Path, ...]:
    """Where themes lie: the shipped ones, then those of the person, which win by name."""
    return themes_dir(), config_dir() / "themes"


def load_themes(directories: Iterable[Path]) -> Themes:
    """Read every `*.toml` of the directories; a later one replaces an earlier of the same name."""
    loaded: dict[str, ThemeSpec] = {}
    failed: list[ThemeFailure] = []
    for directory in directories:
        for path in sorted(directory.glob("*.toml")):
            try:
                spec = read_theme(path)
            except AgentViewError as error:
                failed.append(ThemeFailure(path, error.message))
            else:
                loaded[spec.name] = spec
    return Themes(loaded, tuple(failed))


def load_theme(name: str, directories: Iterable[Path]) -> ThemeSpec:
    """The theme of this name: of its own file if it has one, so that only that one is read.

    Raises BadTheme when its file is not usable and NotFound for an unknown name.
    """
    known = tuple(directories)
    if re.fullmatch(r"[\w.-]+", name):
        for directory in reversed(known):
            path = directory / f"{name}.toml"
            if path.is_file():
                spec = read_theme(path)
                if spec.name == name:
                    return spec
    themes = load_themes(known)
    if name in themes.loaded:
        return themes.loaded[name]
    hint = choices_hint(name, sorted(themes.loaded))
    raise NotFound(f"Unknown theme: {name}.", hint)


def check_theme(name: str) -> None:
    """Refuse a name from the command line that no theme has. Raises UsageError."""
    try:
        load_theme(name, theme_directories())
    except NotFound as error:
        raise UsageError(error.message, error.hint) from None


def read_theme(path: Path) -> ThemeSpec:
    """Read one theme file; raises BadTheme with a sentence that says what is wrong."""
    try:
        text = toml_text(path)
    except Unreadable as error:
        raise BadTheme(error.message) from error
    if text is None:
        raise BadTheme(f"{path} is not there.")
    return parse_theme(text, path.stem)


def parse_theme(text: str, name: str) -> ThemeSpec:
    """Make a theme of TOML text; `name` is used when the text has none.

    Required in `[colors]`: background, text, accent, success, warning, error. All other colours
    are made from these when they are not given. Raises BadTheme.
    """
    try:
        data = parsed_toml(text)
    except NotToml as error:
        raise BadTheme(f"{name} is not TOML: {error}.") from error
    table: object = data.get("colors")
    if not isinstance(table, dict):
        raise BadTheme(f"{name} has no [colors].")
    given = {str(key): value for key, value in table.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    colors = _colors(name, given)  # pyright: ignore[reportUnknownArgumentType]
    own_name: object = data.get("name", name)
    label: object = data.get("label", own_name)
    dark: object = data.get("dark", _luminance(colors.background) < 0.2)
    if not (isinstance(own_name, str) and isinstance(label, str) and own_name.isprintable()):
        raise BadTheme(f"{name}: name and label must be text.")
    if not isinstance(dark, bool):
        raise BadTheme(f"{name}: dark must be true or false.")
    return ThemeSpec(own_name, label, dark, colors)


def contrast(first: str, second: str) -> float:
    """Contrast of two `#rrggbb` colours as WCAG 2 defines it, 1 to 21."""
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def selection_background(colors: ThemeColors) -> str | None:
    """Return the background of selected text; None where the terminal's colors are not known."""
    if not colors.background.startswith("#") or not colors.accent.startswith("#"):
        return None
    return mix(colors.background, colors.accent, 0.35)


def mix(first: str, second: str, share: float) -> str:
    """`first` with a share (0..1) of `second`; a terminal colour cannot be mixed and stays."""
    if not (_HEX.fullmatch(first) and _HEX.fullmatch(second)):
        return first
    pairs = zip(_channels(first), _channels(second), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def _colors(name: str, given: Mapping[str, object]) -> ThemeColors:
    unknown = sorted(set(given) - set(_COLOR_NAMES))
    if unknown:
        raise BadTheme(f"{name}: no such colour: {', '.join(unknown)}.")
    missing = [key for key in _REQUIRED if key not in given]
    if missing:
        raise BadTheme(f"{name}: missing in [colors]: {', '.join(missing)}.")
    colors: dict[str, str] = {}
    for key, value in given.items():
        if not (isinstance(value, str) and (_HEX.fullmatch(value) or value in _ANSI)):
            raise BadTheme(f"{name}: {key} must be #rrggbb or a terminal colour as ansi_red.")
        colors[key] = value.lower()
    for key, recipe in _DERIVED.items():
        if key not in colors:
            colors[key] = (
                colors[recipe]
                if isinstance(recipe, str)
                else mix(colors[recipe[0]], colors[recipe[1]], recipe[2])
            )
    return ThemeColors(**colors)


def _channels(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def _luminance(color: str) -> float:
    if not _HEX.fullmatch(color):
        return 0.0
    red, green, blue = (
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (channel / 255 for channel in _channels(color))
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
