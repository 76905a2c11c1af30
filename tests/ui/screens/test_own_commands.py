"""The person's own programs on keys of a session: what they get, where they are shown."""

import json
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from agentview.errors import UsageError
from agentview.providers import load_provider
from agentview.settings import LaunchOptions, Screen
from agentview.settings.checking import WrongSetting, checked
from agentview.settings.reading import EffectiveSettings
from agentview.settings.values import Settings
from agentview.ui.app import AgentViewApp
from tests.claude_log import SESSION, ClaudeLog, write
from tests.ui.app_under_test import screen_text, until

PROGRAM = "import sys, json; open(sys.argv[1], 'a').write(json.dumps([sys.argv[2:], sys.stdin.read()]) + chr(10))"  # noqa: E501


def app_with(folder: Path, commands: dict[str, tuple[str, ...]]) -> AgentViewApp:
    log = ClaudeLog()
    records = [
        log.prompt("Fix it"),
        log.call("c1", "Bash", command="echo '; touch x' $(id)"),
        log.result("c1", "done"),
        log.call("c2", "Read", file_path="/home/dev/shop/-rf a.py"),
        log.result("c2", "1\ta = 1"),
    ]
    path = write(folder / "-shop" / f"{log.session}.jsonl", records)
    ref = load_provider("claude_code").discovery.ref(path)
    settings = EffectiveSettings(replace(Settings(), commands=commands))
    return AgentViewApp(LaunchOptions(Screen.SESSION, ref, settings=settings))


async def test_a_program_gets_the_activity_as_words_and_as_json(tmp_path: Path) -> None:
    said = tmp_path / "said"
    begin = (sys.executable, "-c", PROGRAM, str(said))
    commands = {
        "f6": (*begin, "{command}", "{session}", "{project}"),
        "ctrl+g": (*begin, "{path}:{line}", "{other}"),
    }
    async with app_with(tmp_path, commands).run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: "touch x" in screen_text(pilot))
        await pilot.press("g", "0", "j", "f6")
        await until(pilot, said.exists)
        await until(pilot, lambda: f"ran {sys.executable}"[:40] in screen_text(pilot))
        words, facts = json.loads(said.read_text().splitlines()[0])
        # No shell reads them.
        assert words == ["echo '; touch x' $(id)", SESSION, "/home/dev/shop"]
        found = json.loads(facts)
        assert (found["session"], found["kind"]) == (SESSION, "shell")
        assert found["payload"]["command"] == "echo '; touch x' $(id)"
        await pilot.press("ctrl+g")
        await until(pilot, lambda: "this activity has no path" in screen_text(pilot))
        assert len(said.read_text().splitlines()) == 1
        await pilot.press("j", "ctrl+g")
        await until(pilot, lambda: len(said.read_text().splitlines()) == 2)
        words, _ = json.loads(said.read_text().splitlines()[1])
        assert words == ["/home/dev/shop/-rf a.py:1", "{other}"]
        await pilot.resize_terminal(100, 100)
        await pilot.press("question_mark")
        await until(pilot, lambda: "Own commands" in screen_text(pilot))
        assert "f6" in screen_text(pilot)
        await pilot.press("escape", "ctrl+p")
        await until(pilot, lambda: "Search for commands" in screen_text(pilot))
        await pilot.press(*"Run/")
        await until(pilot, lambda: "ctrl+g" in screen_text(pilot))
        assert "Next activity" not in screen_text(pilot)


async def test_a_program_that_fails_is_reported(tmp_path: Path) -> None:
    commands = {"f6": ("/nowhere/program", "{session}")}
    async with app_with(tmp_path, commands).run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: "touch x" in screen_text(pilot))
        await pilot.press("f6")
        await until(pilot, lambda: "/nowhere/program could not be started" in screen_text(pilot))


@pytest.mark.parametrize(
    ("key", "message"),
    [("nokey", "nokey is not a key"), ("j", "j is bound to timeline."), ("x", "x is bound to")],
)
def test_keys_that_are_none_or_taken_are_refused(tmp_path: Path, key: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        app_with(tmp_path, {key: ("true",)})


def test_a_misspelt_field_and_what_is_no_program_are_refused() -> None:
    assert checked("commands.f6", ["awk", "{print}", "{path}"]) == ("awk", "{print}", "{path}")
    with pytest.raises(WrongSetting, match=r"unknown field: \{pth\}") as error:
        checked("commands.f6", ["code", "{pth}"])
    assert "path" in (error.value.hint or "")
    for value in ([], "code {path}", [1]):
        with pytest.raises(WrongSetting, match=r"commands\.f6 cannot be"):
            checked("commands.f6", value)
