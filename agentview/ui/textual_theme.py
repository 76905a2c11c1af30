"""The themes of the application, in the form that the screen takes."""

from collections.abc import Callable, Sequence

from textual.app import App
from textual.filter import LineFilter
from textual.theme import Theme

from agentview.ui.render.style.color_depth import Depth, DepthFilter, spec_for
from agentview.ui.render.style.palette import Palette, palette_of
from agentview.ui.themes import (
    ThemeColors,
    ThemeFailure,
    ThemeSpec,
    load_themes,
    selection_background,
    theme_directories,
)


class ThemeRegistry:
    """Themes by name: one for the first frame, then all, then each again when its file changes."""

    def __init__(self, app: App[None], depth: Depth | None) -> None:
        """`depth` is that of the terminal, None for one with all colours."""
        self._app = app
        self._depth = depth
        self._specs: dict[str, ThemeSpec] = {}
        self._failed: tuple[ThemeFailure, ...] = ()
        self._filters: dict[str, list[LineFilter]] = {}

    def begin(self, spec: ThemeSpec) -> None:
        """Show one theme; no other can be chosen until the rest is read."""
        self._take(spec)
        self._app.theme = spec.name
        for other in [name for name in self._app.available_themes if name != spec.name]:
            self._app.unregister_theme(other)

    def names(self) -> list[str]:
        return sorted(self._specs)

    def palette(self, name: str) -> Palette:
        """Give the styles of a theme. Raises KeyError when there is none of that name."""
        return palette_of(self._fitted(self._specs[name]))

    def filters(self) -> list[LineFilter]:
        """Give what fits painted colours to the terminal, for the theme that is shown."""
        name = self._app.theme
        if name not in self._filters:
            spec = self._specs[name]
            fits = self._depth is None and spec.colors.background.startswith("#")
            self._filters[name] = [] if fits else [DepthFilter(self._depth, spec)]
        return self._filters[name]

    def _fitted(self, spec: ThemeSpec) -> ThemeSpec:
        return spec if self._depth is None else spec_for(spec, self._depth)

    def _read(self) -> tuple[ThemeFailure, ...]:
        """Read all themes; gives the files that cannot be used and were not known to be so."""
        themes = load_themes(theme_directories())
        for spec in themes.loaded.values():
            if spec != self._specs.get(spec.name):
                self._take(spec)
                if spec.name == self._app.theme:
                    self._app.mutate_reactive(App.theme)
        known, self._failed = self._failed, themes.failed
        return tuple(failure for failure in themes.failed if failure not in known)

    async def follow(self, say: Callable[[str], None]) -> None:
        """Read themes, and again whenever one of the person's own changes; `say` what is wrong."""
        # Not wanted for the first frame.
        from agentview.sources.watch.watcher import Watcher

        with Watcher() as watcher:
            watcher.add_tree(theme_directories()[-1])
            self._read()
            async for _ in watcher:
                for failure in self._read():
                    say(f"theme: {failure.reason}")

    def _take(self, spec: ThemeSpec) -> None:
        self._specs[spec.name] = spec
        self._filters.pop(spec.name, None)
        self._app.register_theme(textual_theme(self._fitted(spec)))


def textual_theme(spec: ThemeSpec) -> Theme:
    """The theme as Textual's own, under the same name."""
    colors = spec.colors
    ansi = colors.background.startswith("ansi_")
    variables = {
        "border": colors.border,
        "border-blurred": colors.border,
        "text-muted": colors.muted,
        "foreground-muted": colors.muted,
        "block-cursor-background": colors.raised,
        "block-cursor-foreground": colors.text,
        "block-cursor-text-style": "bold",
        "block-cursor-blurred-background": colors.raised,
        "block-cursor-blurred-foreground": colors.text,
        "block-hover-background": colors.raised,
        "footer-key-foreground": colors.accent,
        "footer-description-foreground": colors.muted,
        "footer-background": colors.surface,
        "scrollbar": colors.border,
        "scrollbar-hover": colors.muted,
        "scrollbar-active": colors.accent,
        "scrollbar-background": colors.background,
        "scrollbar-background-hover": colors.background,
        "scrollbar-background-active": colors.background,
        "scrollbar-corner-color": colors.background,
        "row-selected": colors.raised,
        "row-running": colors.running,
        **{f"client-{number}": color for number, color in enumerate(_client_colors(colors))},
    }
    if ansi:
        variables |= {
            "ansi-background": "ansi_black" if spec.dark else "ansi_white",
            "ansi-foreground": "ansi_white" if spec.dark else "ansi_black",
        }
    elif (selection := selection_background(colors)) is not None:
        variables |= {
            "input-selection-background": selection,
            "screen-selection-background": selection,
            # Textual's default is transparent, which it renders as the background.
            "screen-selection-foreground": colors.text,
        }
    return Theme(
        name=spec.name,
        primary=colors.accent,
        secondary=colors.user,
        warning=colors.warning,
        error=colors.error,
        success=colors.success,
        accent=colors.accent,
        foreground=colors.text,
        background=colors.background,
        surface=colors.surface,
        panel=colors.raised,
        boost=colors.raised if ansi else None,
        dark=spec.dark,
        variables=variables,
        ansi=ansi,
    )


def _client_colors(colors: ThemeColors) -> Sequence[str]:
    """Colours by which clients differ, of parts of code: none of them says how something went."""
    return (
        colors.keyword, colors.string, colors.literal, colors.link, colors.user, colors.type_name,
    )  # fmt: skip
