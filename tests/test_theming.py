"""Themes: those that are shipped, those of a person, and files that are no themes."""

from pathlib import Path

import pytest
from msgspec.structs import asdict

from agentview.errors import AgentViewError, NotFound
from agentview.ui.themes import (
    DEFAULT_THEME,
    BadTheme,
    ThemeSpec,
    contrast,
    load_theme,
    load_themes,
    mix,
    parse_theme,
    theme_directories,
)

SHIPPED = load_themes(theme_directories()[:1])
HEX = [spec for spec in SHIPPED.loaded.values() if spec.colors.background.startswith("#")]
SMALL = """
[colors]
background = "#101010"
text = "#eeeeee"
accent = "#66aaff"
success = "#66dd66"
warning = "#ddbb44"
error = "#ff7766"
"""
_SHADES = ("background", "surface", "raised", "added_background", "removed_background")
_MARKS = ("match", "added_word", "removed_word")


def test_all_shipped_themes_load() -> None:
    assert SHIPPED.failed == ()
    assert len(SHIPPED.loaded) >= 6
    assert DEFAULT_THEME in SHIPPED.loaded
    assert {spec.dark for spec in SHIPPED.loaded.values()} == {True, False}
    assert any(spec.colors.background == "ansi_default" for spec in SHIPPED.loaded.values())


@pytest.mark.parametrize("spec", HEX, ids=lambda spec: spec.name)
def test_text_can_be_read_on_every_background(spec: ThemeSpec) -> None:
    colors = asdict(spec.colors)
    inks = set(colors) - {*_SHADES, *_MARKS, "border"}
    for ink in inks:
        for shade in _SHADES:
            assert contrast(colors[ink], colors[shade]) >= 4.5, (ink, shade)
    for shade in _MARKS:
        assert contrast(colors["text"], colors[shade]) >= 4.5, shade


def test_high_contrast_themes_reach_seven_to_one() -> None:
    for spec in HEX:
        if spec.name.startswith("high-contrast"):
            assert contrast(spec.colors.muted, spec.colors.background) >= 7


def test_contrast_is_that_of_wcag() -> None:
    assert round(contrast("#000000", "#ffffff"), 6) == 21
    assert round(contrast("#ffffff", "#777777"), 2) == 4.48


def test_what_a_theme_leaves_out_is_made_from_what_it_says() -> None:
    spec = parse_theme(SMALL, "mine")
    assert (spec.name, spec.label, spec.dark) == ("mine", "mine", True)
    assert spec.colors.running == "#66aaff"
    assert spec.colors.raised == mix("#101010", "#eeeeee", 0.10)
    assert contrast(spec.colors.muted, spec.colors.background) >= 4.5


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("colors = ", "not TOML"),
        ("name = 'x'", "no [colors]"),
        (SMALL.replace('error = "#ff7766"', ""), "missing in [colors]: error"),
        (SMALL + 'sparkle = "#ffffff"', "no such colour: sparkle"),
        (SMALL.replace("#66aaff", "blue"), "accent must be #rrggbb"),
        (SMALL.replace('"#66aaff"', "7"), "accent must be #rrggbb"),
        ("dark = 'yes'\n" + SMALL, "dark must be true or false"),
        ("name = 7\n" + SMALL, "must be text"),
    ],
)
def test_a_file_that_is_no_theme_says_why(text: str, reason: str) -> None:
    with pytest.raises(BadTheme, match=reason.replace("[", r"\[")):
        parse_theme(text, "mine")


def test_a_person_s_theme_wins_and_a_bad_one_hurts_nobody(tmp_path: Path) -> None:
    own = f'name = "{DEFAULT_THEME}"\nlabel = "Mine"\n{SMALL}'
    (tmp_path / "mine.toml").write_text(own, encoding="utf-8")
    (tmp_path / "bad.toml").write_bytes(b"\xff\xfe")
    (tmp_path / "large.toml").write_text("#" * 200_000, encoding="utf-8")
    (tmp_path / "notes.txt").write_text("no theme", encoding="utf-8")
    themes = load_themes((*theme_directories()[:1], tmp_path))
    assert themes.loaded[DEFAULT_THEME].label == "Mine"
    assert len(themes.loaded) == len(SHIPPED.loaded)
    assert {failure.path.name for failure in themes.failed} == {"bad.toml", "large.toml"}
    assert all(failure.reason.isprintable() for failure in themes.failed)


def test_directories_of_the_person_come_last() -> None:
    shipped, own = theme_directories()
    assert (shipped / f"{DEFAULT_THEME}.toml").is_file()
    assert own.parent.name == "agentview"


def test_one_theme_is_found_by_file_or_by_name(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(f'name = "other"\n{SMALL}', encoding="utf-8")
    (tmp_path / "b.toml").write_text(SMALL, encoding="utf-8")
    assert load_theme("b", (tmp_path,)).name == "b"
    assert load_theme("other", (tmp_path,)).name == "other"
    with pytest.raises(NotFound) as caught:
        load_theme("../b", (tmp_path,))
    assert "b, other" in str(caught.value.hint)
    (tmp_path / "c.toml").write_text("", encoding="utf-8")
    with pytest.raises(AgentViewError):
        load_theme("c", (tmp_path,))
    assert load_themes((tmp_path / "nowhere",)).loaded == {}
