"""`agentview config`, and what settings do to the other commands."""

import json
import stat
from pathlib import Path

import jsonschema
import pytest

from tests.cli.conftest import CommandLine
from tests.cli.pseudo_terminal import PseudoTerminal


def config(agentview: CommandLine, text: str) -> Path:
    """A file of settings at the place where it belongs."""
    path = Path(agentview.ok("config", "path").strip())
    assert path.is_relative_to(agentview.home)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_path_names_the_file_and_does_not_make_it(agentview: CommandLine) -> None:
    path = Path(agentview.ok("config", "path").strip())
    assert path.name == "config.toml"
    assert not path.parent.exists()
    assert agentview.ok("config", "path", AGENTVIEW_CONFIG="/x/y.toml") == "/x/y.toml\n"


def test_show_tells_each_value_and_where_it_comes_from(agentview: CommandLine) -> None:
    path = config(agentview, 'theme = "nord"\n[detail.by_tool]\nshell = "full"\n')
    text = agentview.ok(
        "config", "show", "--set", "timeline.time=date", AGENTVIEW_TIMELINE_WRAP="no"
    )
    rows = [line.split() for line in text.splitlines()]
    assert ["theme", "nord", str(path)] in rows
    assert ["detail.by_tool.shell", "full", str(path)] in rows
    assert ["timeline.time", "date", "--set"] in rows
    assert ["timeline.wrap", "false", "AGENTVIEW_TIMELINE_WRAP"] in rows
    assert ["diff.mode", "auto", "default"] in rows


def test_show_as_json(agentview: CommandLine) -> None:
    path = config(agentview, "[timeline]\nwrap = false\n")
    told = json.loads(agentview.ok("config", "--json"))
    assert (told["path"], told["exists"]) == (str(path), True)
    settings = told["settings"]
    assert settings["timeline.wrap"] == {"value": False, "from": "file", "place": str(path)}
    assert settings["detail.default"] == {"value": None, "from": "default", "place": None}


def test_schema_takes_what_is_shown(agentview: CommandLine) -> None:
    schema = json.loads(agentview.ok("config", "schema"))
    jsonschema.validate({"timeline": {"wrap": False}}, schema)


@pytest.mark.slow
def test_keys_tells_every_binding_with_its_keys_in_force(agentview: CommandLine) -> None:
    config(agentview, '[keymap]\n"timeline.search" = "ctrl+s"\n')
    keys = json.loads(agentview.ok("config", "keys", "--json"))
    assert keys["timeline.search"] == {"keys": ["ctrl+s"], "does": "Search for a text"}
    assert keys["timeline.down"]["keys"] == ["j", "down"]
    twice = agentview.ok("config", "keys", "--set", "keymap.timeline.search=f")
    assert twice.endswith("\nf is bound twice: timeline.search and timeline.filter\n")


def test_a_wrong_file_is_an_error_with_line_and_nearest_key(agentview: CommandLine) -> None:
    path = config(agentview, 'theme = "nord"\n\n[timeline]\ndensty = "compact"\n')
    assert agentview.fails(2, "config", "show") == (
        f"agentview: {path}, line 4: Unknown setting: timeline.densty.\n"
        "Did you mean timeline.density?\n"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[timeline]\ntime = "noon"\n', 'line 2: timeline.time cannot be "noon".'),
        ('\ntheme = "no-such"\n', "line 2: Unknown theme: no-such."),
        ('[keymap]\n"timeline.dwon" = "j"\n', "line 2: Unknown binding: timeline.dwon."),
        ('[keymap]\ntimeline.down = "foo"\n', "line 2: foo is not a key."),
    ],
)
def test_the_screen_does_not_start_with_wrong_settings(
    agentview: CommandLine, projects: Path, text: str, said: str
) -> None:
    path = config(agentview, text)
    command = agentview.command("open", "3333")
    with PseudoTerminal(command, agentview.environment, agentview.cwd) as screen:
        assert screen.wait() == 2
        shown = screen.text.replace("\n", "")
    assert f"{path}, {said}".replace(" ", "") in shown.replace(" ", "")


@pytest.mark.slow
def test_the_screen_goes_by_the_settings_and_makes_no_file(
    agentview: CommandLine, projects: Path
) -> None:
    arguments = ("open", "3333", "--set", "timeline.icons=ascii", "--set", "timeline.time=none")
    command = agentview.command(*arguments)
    with PseudoTerminal(command, agentview.environment, agentview.cwd) as screen:
        screen.wait_for(lambda text: "Step 3 is done." in text and "help" in text.splitlines()[-1])
        header, *_, status = screen.text.rstrip().splitlines()
        assert "claude-opus" in header
        assert header.isascii()
        assert status.isascii()
        assert "✓" not in screen.text
        screen.press("q")
        assert screen.wait() == 0
    assert not Path(agentview.ok("config", "path").strip()).exists()


@pytest.mark.slow
def test_a_change_on_the_screen_is_in_the_file(agentview: CommandLine, projects: Path) -> None:
    path = config(agentview, "# mine\n[timeline]\nwrap = true  # fold\n")
    path.chmod(0o600)
    with PseudoTerminal(
        agentview.command("open", "3333"), agentview.environment, agentview.cwd, columns=160
    ) as screen:
        screen.wait_for("Step 3 is done.")
        screen.press(",")
        screen.wait_for("Settings")
        screen.press("jjjjl")
        screen.wait_for("timeline.wrap written to")
        screen.press("\x1b")
        screen.wait_for(lambda text: "Settings" not in text)
        screen.press("q")
        assert screen.wait() == 0
    assert path.read_text() == "# mine\n[timeline]\nwrap = false  # fold\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.slow
def test_cat_goes_by_the_levels_and_signs_of_the_settings(
    agentview: CommandLine, projects: Path
) -> None:
    usual = agentview.ok("cat", "3333")
    titles = agentview.ok("cat", "3333", "--set", "detail.default=title")
    assert len(titles.splitlines()) < len(usual.splitlines())
    assert "✓" in usual
    assert "✓" not in agentview.ok("cat", "3333", AGENTVIEW_TIMELINE_ICONS="ascii")


@pytest.mark.slow
def test_sessions_are_found_in_the_directories_of_the_settings(
    agentview: CommandLine, projects: Path, tmp_path: Path
) -> None:
    name = json.loads(agentview.ok("ls", "--json"))[0]["provider"]
    elsewhere = projects.rename(tmp_path / "elsewhere")
    assert json.loads(agentview.ok("ls", "--json")) == []
    path = config(agentview, f'[sessions.roots]\n{name} = ["{elsewhere}"]\n')
    assert len(json.loads(agentview.ok("ls", "--json"))) == 3
    assert "Step 3 is done." in agentview.ok("cat", "3333")
    path.write_text('[sessions.roots]\nnobody = ["/x"]\n')
    assert f"{path}, line 2: Unknown provider: nobody." in agentview.fails(2, "ls")
