"""A theme in the form that the screen takes."""

from textual.theme import Theme

from agentview.theming import ThemeSpec, mix


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
    }
    if ansi:
        variables |= {
            "ansi-background": "ansi_black" if spec.dark else "ansi_white",
            "ansi-foreground": "ansi_white" if spec.dark else "ansi_black",
        }
    else:
        variables |= {
            "input-selection-background": mix(colors.background, colors.accent, 0.35),
            "screen-selection-background": mix(colors.background, colors.accent, 0.35),
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
