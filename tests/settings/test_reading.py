"""Layers of settings, and that whatever is wrong is told with its place."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from agentview.domain.activity import RowKind
from agentview.domain.sort_order import Column, Grouping
from agentview.domain.tools import ToolKind
from agentview.errors import AgentViewError, Unreadable, UsageError
from agentview.settings.checking import WrongSetting
from agentview.settings.reading import Layer, config_file, line_of, read_settings
from agentview.settings.values import Density, Icons, OnEnter, Settings, TimeFormat
from agentview.system.paths import config_dir
from agentview.timeline.view.detail_levels import DetailLevel

ALL = """\
theme = "nord"                       # the theme

[detail]
default = "title"
default_live = "summary"
expanded_default = "full"
on_enter = "open"
by_tool = { shell = "full", user = "summary" }

[detail.expanded_by_tool]
read = "summary"

[timeline]
density = "compact"
time = "date"
wrap = false
icons = "ascii"

[diff]
mode = "split"

[debug]
raw_by_default = true

[sessions.roots]
somebody = ["~/a", "/b"]

[library]
group = "project"
sort = "cost"
reverse = true
preview = false

[library.filters]
"needs me" = "state:waiting -project:old"

[keymap]
timeline.down = "n,down"
"timeline.up" = ["p", "up"]
"""


def settings_file(tmp_path: Path, text: str) -> dict[str, str]:
    path = tmp_path / "config.toml"
    path.write_text(text)
    return {"AGENTVIEW_CONFIG": str(path)}


def error_of(env: Mapping[str, str], *flags: str) -> AgentViewError:
    with pytest.raises(AgentViewError) as raised:
        read_settings(env, flags)
    return raised.value


def test_without_a_file_all_is_as_it_is_by_default(tmp_path: Path) -> None:
    path = tmp_path / "none" / "config.toml"
    in_force = read_settings({"AGENTVIEW_CONFIG": str(path)})
    assert in_force.settings == Settings()
    assert in_force.origins == {}
    assert in_force.path == path
    assert list(tmp_path.iterdir()) == []


def test_the_file_is_in_the_config_directory_unless_a_variable_names_another() -> None:
    assert config_file({}) == config_dir() / "config.toml"
    assert config_file({"AGENTVIEW_CONFIG": "/x/y.toml"}) == Path("/x/y.toml")


def test_a_file_sets_everything(tmp_path: Path) -> None:
    in_force = read_settings(settings_file(tmp_path, ALL))
    settings = in_force.settings
    assert settings.theme == "nord"
    detail = settings.detail
    assert (detail.default, detail.default_live) == (DetailLevel.TITLE, DetailLevel.SUMMARY)
    assert detail.by_tool == {
        ToolKind.SHELL: DetailLevel.FULL,
        RowKind.USER: DetailLevel.SUMMARY,
    }
    assert detail.expanded_default is DetailLevel.FULL
    assert detail.expanded_by_tool == {ToolKind.READ: DetailLevel.SUMMARY}
    assert detail.on_enter is OnEnter.OPEN
    assert settings.timeline.density is Density.COMPACT
    assert settings.timeline.time is TimeFormat.DATE
    assert settings.timeline.icons is Icons.ASCII
    assert settings.timeline.wrap is False
    assert settings.debug.raw_by_default is True
    assert settings.sessions.roots == {"somebody": ("~/a", "/b")}
    library = settings.library
    assert (library.group, library.sort) == (Grouping.PROJECT, Column.COST)
    assert (library.reverse, library.preview) == (True, False)
    assert library.filters == {"needs me": "state:waiting -project:old"}
    assert settings.keymap == {"timeline.down": "n,down", "timeline.up": "p,up"}
    assert {origin.layer for origin in in_force.origins.values()} == {Layer.FILE}


def test_a_later_layer_wins_and_is_named(tmp_path: Path) -> None:
    env = settings_file(
        tmp_path, 'theme = "one"\n[detail]\ndefault = "title"\n[detail.by_tool]\nshell = "title"\n'
    )
    env |= {"AGENTVIEW_THEME": "two", "AGENTVIEW_DETAIL_BY_TOOL": "shell=full; read=full"}
    in_force = read_settings(env, ["theme=three", "timeline.wrap=no"])
    assert in_force.settings.theme == "three"
    assert in_force.settings.detail.default is DetailLevel.TITLE
    assert set(in_force.settings.detail.by_tool.values()) == {DetailLevel.FULL}
    assert in_force.settings.timeline.wrap is False
    places = {key: origin.place for key, origin in in_force.origins.items()}
    assert places == {
        "theme": "--set",
        "detail.default": env["AGENTVIEW_CONFIG"],
        "detail.by_tool.shell": "AGENTVIEW_DETAIL_BY_TOOL",
        "detail.by_tool.read": "AGENTVIEW_DETAIL_BY_TOOL",
        "timeline.wrap": "--set",
    }


def test_an_empty_variable_sets_nothing() -> None:
    env = {"AGENTVIEW_CONFIG": "/nowhere/at/all.toml", "AGENTVIEW_THEME": ""}
    assert read_settings(env).settings == Settings()


@pytest.mark.parametrize(
    ("text", "line", "said", "hint"),
    [
        ('\n\ntheem = "x"\n', 3, "Unknown setting: theem.", "Did you mean theme?"),
        ('[detail]\n# why\ndefualt = "full"', 3, "detail.defualt", "Did you mean detail.default?"),
        ("[timeline]\nwrap = true\n[detial]\n", 3, "Unknown setting: detial.", "detail"),
        ('[detail]\ndefault = "all"\n', 2, 'cannot be "all"', "one of title, summary, full"),
        (
            '[detail.by_tool]\nread = "full"\nreed = "full"',
            3,
            "reed is not a kind of activity or a known tool",
            "read?",
        ),
        ('[detail]\nby_tool = { shell = "much" }', 2, 'cannot be "much"', "title, summary, full"),
        ("[sessions.roots]\nx = [\n 1\n]\n", 2, "cannot be [1]", "directories"),
        ('[timeline]\nwrap = "yes"\n', 2, 'timeline.wrap cannot be "yes"', "true or false"),
        ("theme = 3\n", 1, "theme cannot be 3", "a name"),
        ('detail = "full"\n', 1, "detail is a table", "detail.default"),
        ('[detail]\nby_tool = "full"\n', 2, "table of entries", "kinds of activities"),
        ('[keymap]\ntimeline.down = ""\n', 2, "keymap.timeline.down cannot be", "j,down"),
        ('[sessions.roots]\nx = ["a", 3]\n', 2, "sessions.roots.x cannot be", "directories"),
        ('[library]\nsort = "size"\n', 2, 'library.sort cannot be "size"', "active"),
        ("[library.filters]\nx = 3\n", 2, "library.filters.x cannot be", "filter line"),
    ],
)
def test_what_is_wrong_in_a_file_is_told_with_its_line(
    tmp_path: Path, text: str, line: int, said: str, hint: str
) -> None:
    env = settings_file(tmp_path, text)
    error = error_of(env)
    assert isinstance(error, WrongSetting)
    assert error.exit_code == 2
    assert error.message.startswith(f"{env['AGENTVIEW_CONFIG']}, line {line}: ")
    assert said in error.message
    assert hint in (error.hint or "")


def test_what_is_wrong_elsewhere_is_told_with_its_place() -> None:
    env = {"AGENTVIEW_CONFIG": "/nowhere/at/all.toml"}
    error = error_of(env | {"AGENTVIEW_DETAIL_DEFAULT": "much"})
    assert error.message == 'AGENTVIEW_DETAIL_DEFAULT: detail.default cannot be "much".'
    error = error_of(env | {"AGENTVIEW_DETAIL_BY_TOOL": "shell"})
    assert "NAME=VALUE" in (error.hint or "")
    assert error_of(env, "theem=x").message == "--set: Unknown setting: theem."
    assert isinstance(error_of(env, "theme"), UsageError)


def test_a_file_that_is_no_toml_or_cannot_be_read_is_told(tmp_path: Path) -> None:
    error = error_of(settings_file(tmp_path, "a = \n"))
    assert "is not TOML" in error.message
    assert "line 1" in error.message
    assert error.exit_code == 2
    env = {"AGENTVIEW_CONFIG": str(tmp_path)}
    assert isinstance(error_of(env), Unreadable)
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    assert "not UTF-8" in error_of({"AGENTVIEW_CONFIG": str(tmp_path / "binary")}).message
    env = settings_file(tmp_path, "#" * 200_000)
    assert "larger than" in error_of(env).message


def test_a_named_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "config.toml")
    error = error_of({"AGENTVIEW_CONFIG": str(tmp_path / "config.toml")})
    assert isinstance(error, Unreadable)
    assert "not a regular file" in error.message
    assert read_settings({"AGENTVIEW_CONFIG": os.devnull}).settings == Settings()


@pytest.mark.parametrize(
    "text",
    [
        f"theme = {'[' * 40_000}",
        f"theme = {'[' * 40_000}{']' * 40_000}",
        f"theme = {'{a=' * 20_000}",
        f"keymap{'.a' * 40_000} = 1",
        f"[keymap{'.a' * 40_000}]",
    ],
    ids=["open", "closed", "tables", "dots", "heading"],
)
def test_deep_nesting_is_told(tmp_path: Path, text: str) -> None:
    error = error_of(settings_file(tmp_path, text))
    assert error.exit_code == 2
    assert len(error.message) < 1_000


def test_the_line_of_a_key_is_where_its_statement_begins() -> None:
    text = 'a = """\nb = 1\n"""\n\n# b = 2\nb = [\n 1,\n]\n[c.d]\n"x.y" = 1\r\n[c]\nz.w = 2'
    assert line_of(text, "a") == 1
    assert line_of(text, "b") == 6
    assert line_of(text, "c.d.x.y") == 10
    assert line_of(text, "c.z.w") == 12
    assert line_of(text, "nothing") is None


def test_an_error_found_later_is_told_with_the_place_of_the_setting(tmp_path: Path) -> None:
    env = settings_file(tmp_path, '[keymap]\n"app.help" = "f1"\nno.such = "x"\n')
    in_force = read_settings(env, ["keymap.other=y"])
    error = in_force.blamed(WrongSetting("keymap.no.such", "There is none.", "hint"))
    assert error.message == f"{env['AGENTVIEW_CONFIG']}, line 3: There is none."
    assert error.hint == "hint"
    assert in_force.blamed(WrongSetting("keymap.other", "No.")).message == "--set: No."
    assert in_force.blamed(WrongSetting("theme", "No.")).message == "No."


@pytest.mark.parametrize("name", ["Bash", "run_shell_command", "mcp__docs__find", "websearch", "x"])
def test_a_level_may_be_that_of_a_tool_by_its_name(tmp_path: Path, name: str) -> None:
    env = settings_file(tmp_path, f'[detail.by_tool]\n{name} = "full"\n')
    by_file = read_settings(env).settings
    by_variable = read_settings({"AGENTVIEW_DETAIL_BY_TOOL": f"{name}=full"}).settings
    by_flag = read_settings({}, [f"detail.by_tool.{name}=full"]).settings
    for settings in (by_file, by_variable, by_flag):
        preferences = settings.preferences(live=False)
        assert preferences.by_name == {name: DetailLevel.FULL}
        assert preferences.level(ToolKind.SHELL, ("other", name)) is DetailLevel.FULL
        assert preferences.level(ToolKind.SHELL, ("other",)) is DetailLevel.SUMMARY


def test_the_name_of_a_tool_counts_before_its_kind() -> None:
    flags = ["detail.by_tool=shell=title;Bash=full", "detail.expanded_by_tool=Bash=title"]
    preferences = read_settings({}, flags).settings.preferences(live=False)
    assert preferences.level(ToolKind.SHELL, ("exec_command", "Bash")) is DetailLevel.FULL
    assert preferences.level(ToolKind.SHELL, ("exec_command",)) is DetailLevel.TITLE
    after = preferences.after(DetailLevel.FULL, ToolKind.SHELL, ("Bash",))
    assert after is DetailLevel.TITLE
