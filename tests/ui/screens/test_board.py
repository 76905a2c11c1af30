"""The board over logs that are written while it is looked at."""

import asyncio
import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from agentview.facts.usage.pricing import PriceList
from agentview.facts.usage.reader import measure
from agentview.providers import load_provider
from agentview.sessions.annotations.session_file import SessionFile
from agentview.sessions.annotations.session_marks import set_hidden
from agentview.sessions.library.columns import money
from agentview.settings import LaunchOptions, Screen
from agentview.settings.reading import EffectiveSettings
from agentview.system.paths import sample_sessions_dir
from agentview.timeline.view.format_numbers import tokens
from agentview.ui.app import AgentViewApp
from agentview.ui.screens import live_sessions
from agentview.ui.screens.library.screen import LibraryScreen
from agentview.ui.screens.live_sessions import BoardList, BoardScreen
from agentview.ui.screens.session.screen import SessionScreen
from tests.claude_log import SESSION, ClaudeLog, conversation, write
from tests.sessions.clients.running_client import here, process, started, write_entry
from tests.sessions.clients.running_client import log_of as client_log
from tests.ui.app_under_test import screen_text, until
from tests.ui.screens.homes import all_indexed, header_text, library_over, moved_to

NAME = "claude_code"
SIZE = (140, 20)


def recorded(case: str, records: int) -> list[str]:
    """The first records of a sample, as if the last of them had just been written."""
    path = sample_sessions_dir() / NAME / f"{case}.jsonl"
    return moved_to(path.read_text().splitlines(keepends=True)[:records], time.time() - 2)


def log_of(root: Path, name: str) -> Path:
    path = root / NAME / "-home-dev-ws-shop" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def line_of(pilot: Pilot[None], words: str) -> str:
    return next((line for line in screen_text(pilot).splitlines() if words in line), "")


async def board(pilot: Pilot[None]) -> None:
    await until(pilot, lambda: isinstance(pilot.app.screen, LibraryScreen))
    await pilot.press("w")
    await until(pilot, lambda: isinstance(pilot.app.screen, BoardScreen))


@pytest.mark.slow
async def test_tells_what_each_live_session_does_as_it_is_written(tmp_path: Path) -> None:
    records = recorded("progress", 30)
    log = log_of(tmp_path, "one")
    log.write_text("".join(records[:2]))
    old = log_of(tmp_path, "old")
    old.write_text((sample_sessions_dir() / NAME / "classic.jsonl").read_text())
    async with library_over(tmp_path, NAME).run_test(size=SIZE) as pilot:
        await all_indexed(pilot)
        await board(pilot)
        await until(pilot, lambda: "pytest -q tests/slow" in line_of(pilot, "Run the slow"))
        line = line_of(pilot, "Run the slow")
        # For how long: on a busy machine more than a moment.
        mark, state, _, project, title = line.split()[:5]
        assert [mark, state, project, title] == ["◌", "working?", "shop", "Run"]
        assert "Shell pytest -q tests/slow" in line
        assert "1 live session" in header_text(pilot)
        assert "classic" not in screen_text(pilot)
        with log.open("a") as file:
            file.writelines(records[2:])
        await until(pilot, lambda: "pytest -q" not in line_of(pilot, "Run the slow"))
        assert line_of(pilot, "Run the slow")


async def test_tokens_and_cost_of_a_long_session_are_those_of_its_logs_as_they_are(
    tmp_path: Path,
) -> None:
    began = time.time() - 3000
    log, agent = ClaudeLog(began=began), ClaudeLog(agent="a1", began=began)
    path = write(log_of(tmp_path, SESSION), conversation(log, 300))
    inner = write(path.with_suffix("") / "subagents" / "agent-a1.jsonl", conversation(agent, 40))
    ref = load_provider(NAME).discovery.ref(path)
    seen: set[int | None] = set()
    async with library_over(tmp_path, NAME).run_test(size=SIZE) as pilot:
        await board(pilot)
        for written, by in ((path, log), (inner, agent)):
            with written.open("ab") as file:
                file.write(b"".join(conversation(by, 200)))
            used = measure(ref, PriceList())
            said = [tokens(used.total.tokens), money(used.cost)]
            await until(pilot, lambda said=said: line_of(pilot, "Step 0").split()[-2:] == said)
            seen.add(used.total.tokens)
    assert len(seen) == 2


@pytest.mark.slow
async def test_a_session_that_begins_appears_and_is_opened(tmp_path: Path) -> None:
    log_of(tmp_path, "one").write_text("".join(recorded("progress", 2)))
    async with library_over(tmp_path, NAME).run_test(size=SIZE) as pilot:
        await all_indexed(pilot)
        await board(pilot)
        await until(pilot, lambda: "1 live session" in header_text(pilot))
        log_of(tmp_path, "two").write_text("".join(recorded("classic", 4)))
        await until(pilot, lambda: "2 live sessions" in header_text(pilot))
        log_of(tmp_path, "one").unlink()
        await until(pilot, lambda: "1 live session" in header_text(pilot))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, SessionScreen))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, BoardScreen))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, LibraryScreen))


@pytest.mark.slow
@pytest.mark.parametrize("client", ["claude_code", "cline"])
async def test_what_a_client_says_outside_its_log_shows_at_once(
    client: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Nothing is looked at again without a report.
    monkeypatch.setattr(live_sessions, "until_client_look", asyncio.Event().wait)
    with process() as running:
        begin = _claude if client == "claude_code" else _cline
        root, say = begin(tmp_path, running.pid)
        say("busy")
        app = AgentViewApp(
            LaunchOptions(Screen.LIBRARY, settings=EffectiveSettings()), roots=[(client, root)]
        )
        async with app.run_test(size=SIZE) as pilot:
            await all_indexed(pilot)
            await board(pilot)
            await until(pilot, lambda: "● working" in screen_text(pilot))
            for _ in range(3):
                say("waiting")
                await until(pilot, lambda: "needs-approval" in screen_text(pilot))
                say("busy")
                await until(pilot, lambda: "needs-approval" not in screen_text(pilot))


def _claude(home: Path, pid: int) -> tuple[Path, Callable[[str], None]]:
    log = client_log(home)
    log.parent.mkdir(parents=True)
    log.write_text("".join(recorded("progress", 2)))

    def say(status: str) -> None:
        write_entry(
            home, pid, status=status, waitingFor="permission prompt",
            procStart=started(pid), pidDomain=here(),
        )  # fmt: skip

    return home / ".claude" / "projects", say


def _cline(home: Path, pid: int) -> tuple[Path, Callable[[str], None]]:
    words = {"busy": "running", "waiting": "pending"}
    source = sample_sessions_dir() / "cline/live-mid"
    folder = home / "cline" / next(source.glob("*.messages.json")).name.partition(".")[0]
    shutil.copytree(source, folder)
    state = folder / f"{folder.name}.json"
    known = json.loads(state.read_text()) | {"pid": pid, "interactive": True}
    known = {key: each for key, each in known.items() if key not in ("ended_at", "exit_code")}

    def say(status: str) -> None:
        state.write_text(json.dumps(known | {"status": words[status]}))

    return home / "cline", say


@pytest.mark.slow
async def test_a_key_unfolds_the_idle_sessions_and_folds_them(tmp_path: Path) -> None:
    log_of(tmp_path, "now").write_text("".join(recorded("progress", 2)))
    client = ClaudeLog(session="0b5f3a52-0000-4000-8000-000000000009")
    message = {"role": "user", "content": "Leave this for later"}
    records = [client.record("user", message=message), client.call("c1", "Bash", command="ls")]
    lines = moved_to([record.decode() for record in records], time.time() - 10 * 3600)
    log_of(tmp_path, "idle").write_text("".join(lines))
    async with library_over(tmp_path, NAME).run_test(size=SIZE) as pilot:
        await all_indexed(pilot)
        await board(pilot)
        await until(pilot, lambda: "Run the slow" in screen_text(pilot))
        await until(pilot, lambda: "idle" in screen_text(pilot).lower())
        assert "Leave this" not in screen_text(pilot)
        for shown in (True, False):
            await pilot.press("z")
            await until(pilot, lambda shown=shown: ("Leave this" in screen_text(pilot)) is shown)
            assert "Run the slow" in screen_text(pilot)


@pytest.mark.slow
async def test_says_that_nothing_is_live(tmp_path: Path) -> None:
    log_of(tmp_path, "old").write_text((sample_sessions_dir() / NAME / "classic.jsonl").read_text())
    async with library_over(tmp_path, NAME).run_test(size=SIZE) as pilot:
        await all_indexed(pilot)
        await board(pilot)
        await until(pilot, lambda: "no session is live now" in screen_text(pilot))


@pytest.mark.slow
async def test_nothing_is_done_while_nothing_is_written(tmp_path: Path) -> None:
    log_of(tmp_path, "one").write_text("".join(recorded("progress", 2)))
    async with library_over(tmp_path, NAME).run_test(size=SIZE) as pilot:
        await all_indexed(pilot)
        await board(pilot)
        await until(pilot, lambda: "Run the slow" in screen_text(pilot))
        await pilot.pause(1.0)
        before = time.process_time()
        await pilot.pause(2.0)
        assert time.process_time() - before < 0.2


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (60, 15), (20, 5), (1, 1)])
async def test_stands_in_any_room(tmp_path: Path, size: tuple[int, int]) -> None:
    log_of(tmp_path, "one").write_text("".join(recorded("progress", 2)))
    async with library_over(tmp_path, NAME).run_test(size=size) as pilot:
        await board(pilot)
        rows = pilot.app.screen.query_one(BoardList)
        await until(pilot, lambda: rows.current_row is not None)
        await pilot.press("j", "k", "G", "g", "pagedown", "pageup", "ctrl+d", "ctrl+u")
        strip = rows.render_line(0)
        assert strip.cell_length == max(0, rows.scrollable_content_region.width)


@pytest.mark.slow
async def test_projects_of_the_same_name_are_told_apart_and_titles_use_the_width(
    tmp_path: Path,
) -> None:
    prompt = "Rewrite the importer so that it reads new"
    for number in range(6):
        log = tmp_path / NAME / f"-ws-{number}-repo" / f"{number}.jsonl"
        log.parent.mkdir(parents=True)
        client = ClaudeLog(session=f"0b5f3a52-0000-4000-8000-00000000000{number}")
        message = {"role": "user", "content": prompt}
        record = client.record("user", cwd=f"/ws/team-{number}/repo", message=message)
        records = [record.decode(), client.call("c1", "Bash", command="ls").decode()]
        log.write_text("".join(moved_to(records, time.time() - 2)))
    async with library_over(tmp_path, NAME).run_test(size=(120, 20)) as pilot:
        await all_indexed(pilot)
        await board(pilot)
        await until(pilot, lambda: "6 live sessions" in header_text(pilot))
        await until(pilot, lambda: screen_text(pilot).count("Shell") == 6)
        for number in range(6):
            named = f"team-{number}/repo"
            assert prompt in line_of(pilot, named), screen_text(pilot)


async def test_a_session_that_is_done_says_what_it_changed_and_its_last_words(
    tmp_path: Path,
) -> None:
    log = ClaudeLog(began=time.time() - 60)
    records = [log.prompt("Cap the backoff")]
    for number, name in enumerate(("retry.py", "backoff.py", "retry.py")):
        edit = {"file_path": f"/home/dev/shop/{name}", "old_string": "a", "new_string": "b"}
        records += [log.call(f"c{number}", "Edit", **edit), log.result(f"c{number}", "done")]
    records.append(log.assistant({"type": "text", "text": "Both have a cap."}, stop="end_turn"))
    write(log_of(tmp_path, SESSION), records)
    async with library_over(tmp_path, NAME).run_test(size=(120, 20)) as pilot:
        await all_indexed(pilot)
        await board(pilot)
        await until(pilot, lambda: "2 files  Both have a cap." in line_of(pilot, "Cap the"))
        assert "DONE, NOT READ" in screen_text(pilot)
        await pilot.resize_terminal(70, 20)
        await until(pilot, lambda: "Both have a cap." in screen_text(pilot))


async def test_lines_that_a_session_changed_follow_its_log(tmp_path: Path) -> None:
    log = ClaudeLog(began=time.time() - 60)
    path = "/home/dev/shop/retry.py"
    text = "one\ntwo\nthree\n"
    made = {"type": "create", "filePath": path, "content": text}
    records = [log.prompt("Cap the backoff"), log.call("c1", "Write", file_path=path, content=text)]
    records.append(log.result("c1", "done", made))
    place = write(log_of(tmp_path, SESSION), records)
    async with library_over(tmp_path, NAME).run_test(size=(140, 20)) as pilot:
        await all_indexed(pilot)
        await board(pilot)
        await until(pilot, lambda: "+3" in line_of(pilot, "Cap the"))
        assert line_of(pilot, "about").split()[-1] == "lines"
        edit = {"file_path": path, "old_string": "two\n", "new_string": "2\nand\n"}
        with place.open("ab") as file:
            file.write(log.call("c2", "Edit", **edit) + log.result("c2", "done"))
        await until(pilot, lambda: "+4" in line_of(pilot, "Cap the"))
        await pilot.resize_terminal(100, 20)
        await until(pilot, lambda: "+4" not in screen_text(pilot))


async def test_a_session_that_was_hidden_is_shown_while_it_needs_its_person(tmp_path: Path) -> None:
    idle, asking = (ClaudeLog(f"{n}1111111-0000-4000-8000-000000000001") for n in (1, 2))
    now = time.time()
    for log, title in ((idle, "Cap the backoff"), (asking, "Choose a cap")):
        path = log_of(tmp_path, log.session)
        asked = {"question": "Which?", "header": "Cap"}
        records = [log.prompt(title)]
        if log is asking:
            records.append(log.call("q1", "AskUserQuestion", questions=[asked]))
        path.write_text("".join(moved_to([each.decode() for each in records], now - 2)))
        set_hidden(SessionFile(NAME, log.session), hidden=True)
    async with library_over(tmp_path, NAME).run_test(size=(140, 20)) as pilot:
        await board(pilot)
        await until(pilot, lambda: "Choose a cap" in screen_text(pilot))
        assert "Cap the backoff" not in screen_text(pilot)


async def test_a_session_that_is_done_is_compared_with_its_last_words(tmp_path: Path) -> None:
    log = ClaudeLog(began=time.time() - 60)
    failed = "FAILED tests/test_a.py::test_delay - assert 1 == 2\n1 failed, 12 passed in 0.1s\n"
    records = [log.prompt("Cap the backoff"), log.call("c1", "Bash", command="pytest -q")]
    records += [log.result("c1", failed, is_error=True), log.text("All tests pass.", "end_turn")]
    write(log_of(tmp_path, SESSION), records)
    async with library_over(tmp_path, NAME).run_test(size=(140, 20)) as pilot:
        await all_indexed(pilot)
        await board(pilot)
        said = "says tests pass? last run: 1 failed: test_delay"
        await until(pilot, lambda: said in line_of(pilot, "Cap the"))


async def test_the_lines_of_many_sessions_are_made_in_steps(tmp_path: Path) -> None:
    for number in range(40):
        log = ClaudeLog(f"{number:08d}-aaaa-4aaa-8aaa-000000000001", began=time.time() - 60)
        write(log_of(tmp_path, log.session), [log.prompt(f"Task {number}"), log.text("Done")])
    async with library_over(tmp_path, NAME).run_test(size=(140, 60)) as pilot:
        await board(pilot)
        await until(pilot, lambda: "40 live sessions" in header_text(pilot))
        screen = pilot.app.screen
        assert isinstance(screen, BoardScreen)
        # Keys and frames get their turn between two of them.
        steps = sum(1 for _ in screen._live.lines())  # pyright: ignore[reportPrivateUsage]
        assert steps == 40
        await until(pilot, lambda: "Task 39" in screen_text(pilot))
