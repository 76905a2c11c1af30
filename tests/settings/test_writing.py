"""A setting is written, and everything else in the file stays as it was."""

import os
import stat
import tomllib
from pathlib import Path

import pytest

from agentview.settings.reading import read_settings
from agentview.settings.values import TimeFormat
from agentview.settings.writing import Unwritable, with_setting, write_setting
from agentview.timeline.view.detail_levels import DetailLevel

MINE = """\
# my settings

[timeline]   # how it is laid out
time = "clock"   # no seconds
wrap = true

[detail.by_tool]
# shells are what I look at
shell = "full"

[keymap]
timeline.down = "n"
"""


def test_a_value_is_replaced_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(MINE)
    write_setting(path, "timeline.time", TimeFormat.DATE)
    assert path.read_text() == MINE.replace('"clock"', '"date"')


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("theme", "nord"),
        ("timeline.wrap", False),
        ("timeline.density", "compact"),
        ("detail.by_tool.read", "full"),
        ("detail.default", "title"),
        ("detail.expanded_by_tool.edit", "full"),
        ("keymap.timeline.down", "m"),
        ("keymap.app.help", "f1"),
        ("debug.raw_by_default", True),
    ],
)
def test_what_is_written_is_read_and_comments_stay(tmp_path: Path, key: str, value: object) -> None:
    path = tmp_path / "config.toml"
    path.write_text(MINE)
    before = read_settings({"AGENTVIEW_CONFIG": str(path)})
    write_setting(path, key, value)
    after = read_settings({"AGENTVIEW_CONFIG": str(path)})
    assert after.settings == before.changed(key, value).settings
    comments = [line for line in MINE.splitlines() if "#" in line]
    kept = path.read_text().splitlines()
    assert [line for line in kept if "#" in line] == comments
    write_setting(path, key, None)
    settings = read_settings({"AGENTVIEW_CONFIG": str(path)}).settings
    assert settings == before.changed(key, None).settings


def test_a_file_is_made_with_its_directory(tmp_path: Path) -> None:
    path = tmp_path / "new" / "config.toml"
    write_setting(path, "detail.by_tool.shell", DetailLevel.FULL)
    assert tomllib.loads(path.read_text()) == {"detail": {"by_tool": {"shell": "full"}}}
    assert [entry.name for entry in path.parent.iterdir()] == ["config.toml"]


def test_mode_and_link_stay(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.toml"
    real.write_text(MINE)
    real.chmod(0o640)
    link = tmp_path / "config.toml"
    link.symlink_to(real)
    write_setting(link, "timeline.wrap", False)
    assert link.is_symlink()
    assert "wrap = false" in real.read_text()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_a_new_file_and_its_directories_are_for_this_user_alone(tmp_path: Path) -> None:
    path = tmp_path / "a" / "agentview" / "config.toml"
    mask = os.umask(0)
    try:
        write_setting(path, "theme", "x")
    finally:
        os.umask(mask)
    modes = [stat.S_IMODE(each.stat().st_mode) for each in (path, path.parent, path.parent.parent)]
    assert modes == [0o600, 0o700, 0o700]


def test_a_read_only_file_is_left_alone_and_told(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(MINE)
    path.chmod(0o444)
    with pytest.raises(Unwritable, match="is read-only"):
        write_setting(path, "theme", "x")
    assert path.read_text() == MINE
    assert [entry.name for entry in tmp_path.iterdir()] == ["config.toml"]


def test_a_file_that_is_no_toml_is_left_alone_and_told(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("a = \n")
    with pytest.raises(Unwritable, match="is not TOML"):
        write_setting(path, "theme", "x")
    path.write_bytes(b"\xff")
    with pytest.raises(Unwritable, match="not UTF-8"):
        write_setting(path, "theme", "x")
    with pytest.raises(Unwritable, match="cannot be written"):
        write_setting(path / "below" / "config.toml", "theme", "x")


def test_line_ends_stay() -> None:
    text = with_setting("[timeline]\r\nwrap = true\r\n", "timeline.wrap", False)
    assert text == "[timeline]\r\nwrap = false\r\n"
