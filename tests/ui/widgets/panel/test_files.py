"""The tab of files: which were touched, what became of each, also while the log grows."""

from pathlib import Path

from agentview.domain.tool_inputs import ShellPayload
from agentview.domain.tools import ToolCall
from agentview.providers import load_provider
from agentview.settings import LaunchOptions, Screen
from agentview.ui.app import AgentViewApp
from tests.facts.edits.clients import Claude, Codex
from tests.timeline.view.memory import MemorySession, prompt
from tests.ui.app_under_test import app_over, session_screen, until
from tests.ui.widgets.panel.panels import lines, open_tab, tab

SIZE = (140, 30)
BEFORE = {"src/a.py": b"one\ntwo\n", "b.txt": b"x\n", "c.txt": b"c\n"}


def over(client: Claude | Codex, path: Path, *, live: bool = False) -> AgentViewApp:
    name = "claude_code" if isinstance(client, Claude) else "codex"
    ref = load_provider(name).discovery.ref(client.written(path / "log.jsonl"))
    return AgentViewApp(LaunchOptions(Screen.SESSION, ref, live=live))


async def test_files_stand_with_their_counts_those_that_changed_first(tmp_path: Path) -> None:
    client = Claude(BEFORE)
    client.read("b.txt")
    client.read("b.txt")
    client.edit("src/a.py", "two", "2\n3")
    client.write("new.txt", "n\n")
    async with over(client, tmp_path).run_test(size=SIZE) as pilot:
        await open_tab(pilot, "Files")
        await until(pilot, lambda: len(lines(pilot)) == 4)
        shown = [line.split() for line in lines(pilot)]
        assert shown == [
            ["3", "files", "2", "changed", "+3", "−1"],
            ["A", "new.txt", "+1"],
            ["M", "src/a.py", "+2", "−1"],
            ["b.txt", "2", "reads"],
        ]
        assert tab(pilot).cursor == 1


async def test_the_name_of_a_file_stays_where_its_folder_does_not_fit(tmp_path: Path) -> None:
    client = Claude(BEFORE)
    client.write("packages/agent/source/components/terminal/theme-selector.ts", "n\n")
    async with over(client, tmp_path).run_test(size=SIZE) as pilot:
        await open_tab(pilot, "Files")
        await until(pilot, lambda: len(lines(pilot)) == 2)
        mark, path, count = lines(pilot)[1].split()
        assert (mark, count) == ("A", "+1")
        assert path.startswith("…")
        assert path.endswith("terminal/theme-selector.ts")


async def test_what_is_not_known_or_not_sure_is_marked(tmp_path: Path) -> None:
    client = Codex(BEFORE, diffs=False)
    client.delete("b.txt")
    client.read("c.txt")
    client.update("c.txt", "d\n")
    client.shell("sed -i s/d/e/ c.txt", "")
    async with over(client, tmp_path).run_test(size=SIZE) as pilot:
        await open_tab(pilot, "Files")
        await until(pilot, lambda: len(lines(pilot)) == 3)
        assert lines(pilot)[0].split()[:6] == ["2", "files", "2", "changed", "1", "not"]
        assert lines(pilot)[1].split() == ["?", "b.txt", "not", "known"]
        assert lines(pilot)[2].split() == ["M", "c.txt", "!", "+1", "−1", "1", "read"]


async def test_commands_that_name_no_files_are_counted_and_shown(tmp_path: Path) -> None:
    client = Claude(BEFORE)
    client.edit("src/a.py", "two", "2")
    client.command("make generate")
    client.read("b.txt")
    async with over(client, tmp_path).run_test(size=SIZE) as pilot:
        await open_tab(pilot, "Files")
        await until(pilot, lambda: len(lines(pilot)) == 4)
        assert lines(pilot)[3] == "! 1 command may have changed others"
        await pilot.press("G", "enter")
        screen = session_screen(pilot)
        await until(pilot, lambda: screen.timeline.selected == tab(pilot).row_of_line(3))
        row = screen.timeline.selected
        assert row is not None
        body = screen.session.store.activity(row).body
        assert isinstance(body, ToolCall)
        assert body.payload == ShellPayload("make generate")


async def test_the_tab_follows_a_log_that_grows(tmp_path: Path) -> None:
    client = Claude(BEFORE)
    client.edit("src/a.py", "two", "2")
    async with over(client, tmp_path, live=True).run_test(size=SIZE) as pilot:
        await open_tab(pilot, "Files")
        await until(pilot, lambda: len(lines(pilot)) == 2)
        written = len(client.records)
        client.edit("src/a.py", "one", "1")
        client.write("b.txt", "y\n")
        with (tmp_path / "log.jsonl").open("ab") as file:
            file.write(b"".join(client.records[written:]))
        await until(pilot, lambda: len(lines(pilot)) == 3)
        assert lines(pilot)[2].split() == ["M", "src/a.py", "+2", "−2"]


async def test_a_session_that_touched_nothing_says_so(tmp_path: Path) -> None:
    async with over(Claude({}), tmp_path).run_test(size=SIZE) as pilot:
        await open_tab(pilot, "Files")
        await until(pilot, lambda: lines(pilot) == ["no file was read or changed"])


async def test_a_session_without_a_log_tells_nothing_of_files() -> None:
    async with app_over(MemorySession([prompt("x")])).run_test(size=SIZE) as pilot:
        await open_tab(pilot, "Files")
        assert lines(pilot) == ["changes of files are not known here"]
