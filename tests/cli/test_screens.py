"""The commands that show a screen, in a terminal: which session, from where, and how they end."""

import os
import signal
import time
from pathlib import Path

import pytest

from agentview.sessions.following.background_index import SMALL
from benchmarks.terminal import Terminal
from tests.claude_log import SESSION, ClaudeLog, conversation, write
from tests.cli.conftest import FIRST, SECOND, THIRD, CommandLine
from tests.cli.pseudo_terminal import PseudoTerminal
from tests.providers.opencode.store import Store


def terminal(
    agentview: CommandLine,
    *arguments: str,
    columns: int = 100,
    rows: int = 30,
    stdin: int | None = None,
    sized: bool = True,
) -> PseudoTerminal:
    return PseudoTerminal(
        agentview.command(*arguments),
        agentview.environment,
        agentview.cwd,
        columns=columns,
        rows=rows,
        stdin=stdin,
        sized=sized,
    )


def leave(screen: PseudoTerminal) -> None:
    screen.press("q")
    assert screen.wait() == 0, screen.text
    assert b"\x1b[?1049l" in screen.output


@pytest.mark.slow
def test_open_shows_a_session_and_q_leaves(agentview: CommandLine, projects: Path):
    with terminal(agentview, "open", "3333") as screen:
        screen.wait_for("Step 3 is done.")
        leave(screen)


@pytest.mark.slow
def test_the_first_list_of_the_library_has_the_sessions_that_are_known(
    agentview: CommandLine, projects: Path, tmp_path: Path
):
    """Not a frame later, also where putting them in order takes a while."""
    for number in range(60):
        log = ClaudeLog(f"{number:08}-0000-4000-8000-000000000000")
        write(projects / "-many" / f"{log.session}.jsonl", conversation(log, 2))
    with terminal(agentview) as screen:
        screen.wait_for("63 sessions")
        leave(screen)
    variables = agentview.environment | {"TERM": "xterm-256color"}
    alone = ["env", "-i", *(f"{name}={value}" for name, value in variables.items())]
    with Terminal([*alone, *agentview.command()]) as screen:
        screen.wait_for(b"Step 0")
        screen.settle()
        assert b"Step 0" in screen.frames[0].data


@pytest.mark.slow
def test_a_large_log_is_read_to_its_beginning_behind_the_screen(
    agentview: CommandLine, tmp_path: Path
):
    log = write(tmp_path / "large.jsonl", conversation(ClaudeLog(), 400, size=9_000))
    assert log.stat().st_size > 2 * SMALL
    with terminal(agentview, "open", str(log)) as screen:
        screen.wait_for("Step 399 is done.")
        screen.wait_for("400 commands")
        screen.press("g")
        screen.wait_for("Step 0: please go on")
        leave(screen)


@pytest.mark.slow
def test_the_library_lists_what_is_there(agentview: CommandLine, projects: Path):
    with terminal(agentview) as screen:
        text = screen.wait_for(lambda text: text.count("Step 0") == 3)
        assert "shop" in text
        leave(screen)


@pytest.mark.slow
def test_tail_without_target_takes_the_session_of_this_project(
    agentview: CommandLine, tmp_path: Path
):
    here, there = tmp_path / "here", tmp_path / "there"
    for number, (session, place, word) in enumerate(
        [(FIRST, here, "HERE"), (SECOND, there, "ELSEWHERE")]
    ):
        place.mkdir()
        record = ClaudeLog(session).prompt(f"This is {word}")
        record = record.replace(b"/home/dev/shop", str(place).encode())
        record = record.replace(b"T10:00", f"T1{number}:00".encode())
        write(agentview.home / ".claude" / "projects" / f"-{word}" / f"{session}.jsonl", [record])
    agentview.cwd = here
    with terminal(agentview, "tail") as screen:
        screen.wait_for("This is HERE")
        leave(screen)
    agentview.cwd = tmp_path
    with terminal(agentview, "tail", "--project", str(there)) as screen:
        screen.wait_for("This is ELSEWHERE")
        leave(screen)


@pytest.mark.slow
def test_tail_shows_what_is_appended(agentview: CommandLine, tmp_path: Path):
    log = ClaudeLog()
    path = write(tmp_path / "log.jsonl", [log.record("permission-mode", permissionMode="plan")])
    with terminal(agentview, "tail", "--provider=claude_code", str(path)) as screen:
        screen.wait_for("nothing to show yet")
        for words, record in (("First of all", log.prompt), ("Then this came.", log.text)):
            with path.open("ab") as file:
                file.write(record(words))
            screen.wait_for(words)
        leave(screen)


@pytest.mark.slow
def test_tail_of_a_directory_follows_what_is_newest_in_it(agentview: CommandLine, projects: Path):
    newest = projects / "-home-dev-shop" / f"{FIRST}.jsonl"
    record = ClaudeLog(FIRST).text("The newest line").replace(b"T10:00", b"T12:00")
    with newest.open("ab") as file:
        file.write(record)
    with terminal(agentview, "tail", str(projects)) as screen:
        screen.wait_for("The newest line")
        leave(screen)


@pytest.mark.slow
def test_tail_waits_for_the_first_session_and_says_so(agentview: CommandLine):
    with terminal(agentview, "tail") as screen:
        screen.wait_for("Waiting for a session to begin")
        path = agentview.home / ".claude" / "projects" / "-p" / f"{SESSION}.jsonl"
        write(path, [ClaudeLog().prompt("Here I am")])
        screen.wait_for("Here I am")
        leave(screen)


@pytest.mark.slow
def test_tail_can_wait_for_the_next_session(agentview: CommandLine, projects: Path):
    with terminal(agentview, "tail", "--wait") as screen:
        screen.wait_for("Waiting for a session to begin")
        write(projects / "-p" / f"{SESSION}.jsonl", [ClaudeLog().prompt("The next one")])
        screen.wait_for("The next one")
        leave(screen)


@pytest.mark.slow
def test_tail_can_wait_for_a_file(agentview: CommandLine, tmp_path: Path):
    path = tmp_path / "soon" / "log.jsonl"
    record = ClaudeLog().prompt("Now it is there")
    with terminal(agentview, "tail", "--wait", str(path)) as screen:
        screen.wait_for("Waiting for")
        write(path, [record[:40]])
        time.sleep(0.2)
        write(path, [record])
        screen.wait_for("Now it is there")
        leave(screen)


@pytest.mark.slow
def test_a_terminal_that_does_not_tell_its_size_comes_to_rest(
    agentview: CommandLine, projects: Path
):
    with terminal(agentview, columns=80, rows=24, sized=False) as screen:
        screen.wait_for("3 sessions")
        painted: list[int] = [-1, len(screen.output)]
        while painted[-1] > painted[-2] and len(painted) < 20:
            screen.run_for(0.5)
            painted.append(len(screen.output))
        assert painted[-1] == painted[-2]
        leave(screen)


@pytest.mark.slow
def test_a_terminal_that_goes_while_it_takes_nothing_leaves_no_process_behind(
    agentview: CommandLine, projects: Path
):
    with terminal(agentview, "open", THIRD, columns=200, rows=60) as screen:
        screen.wait_for("? help")
        # Nothing reads the frames, until the program waits for the terminal.
        for _ in range(60):
            screen.press("?")
            time.sleep(0.02)
            screen.press("q")
            time.sleep(0.02)
        assert screen.hang_up() == 129


@pytest.mark.slow
@pytest.mark.parametrize("command", [(), ("board",), ("open", THIRD)])
def test_a_terminal_that_is_closed_ends_the_program_with_the_code_of_the_signal(
    agentview: CommandLine, projects: Path, command: tuple[str, ...]
):
    with terminal(agentview, *command) as screen:
        screen.wait_for(lambda text: b"\x1b[?1049h" in screen.output and bool(text.strip()))
        assert screen.hang_up() == 129


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("pause", [0.0, 0.02, 0.1])
def test_a_terminal_that_goes_after_a_signal_leaves_no_process_behind(
    agentview: CommandLine, projects: Path, sent: signal.Signals, pause: float
):
    with terminal(agentview, "open", THIRD) as screen:
        screen.wait_for("? help")
        os.kill(screen.pid, sent)
        time.sleep(pause)
        assert screen.hang_up() in (128 + sent, 129)


@pytest.mark.slow
def test_waiting_ends_with_ctrl_c(agentview: CommandLine):
    with terminal(agentview, "tail") as screen:
        screen.wait_for("Waiting for a session to begin")
        screen.press("\x03")
        assert screen.wait() == 130
        assert b"Traceback" not in screen.output


def test_a_file_that_is_no_session_ends_the_wait(agentview: CommandLine, tmp_path: Path):
    path = tmp_path / "log.jsonl"
    with terminal(agentview, "tail", "--wait", str(path), columns=250) as screen:
        screen.wait_for("Waiting for")
        path.write_bytes(b"hello\n")
        screen.wait_for("known format")
        assert screen.wait() == 1


@pytest.mark.slow
def test_a_session_comes_through_a_pipe_while_keys_come_from_the_terminal(
    agentview: CommandLine,
):
    log = ClaudeLog()
    reading, writing = os.pipe()
    try:
        with terminal(agentview, "tail", "-", stdin=reading) as screen:
            os.write(writing, log.prompt("Through the pipe"))
            screen.wait_for("Through the pipe")
            os.write(writing, log.text("And more of it"))
            screen.wait_for("And more of it")
            leave(screen)
    finally:
        os.close(reading)
        os.close(writing)


@pytest.mark.slow
def test_tail_of_a_directory_moves_on_to_a_session_that_begins_later(
    agentview: CommandLine, projects: Path
):
    directory = projects / "-home-dev-shop"
    with terminal(agentview, "tail", str(directory)) as screen:
        screen.wait_for("Step 0: please go on")
        later = "44444444-dddd-4ddd-8ddd-000000000004"
        write(directory / f"{later}.jsonl", [ClaudeLog(later).prompt("Something newer")])
        # The notice goes after a while: it is waited for first.
        screen.wait_for("a newer session began; q returns to the one before")
        screen.wait_for("Something newer")
        screen.press("q")
        screen.wait_for("Step 0: please go on")
        leave(screen)


def test_standard_input_that_is_the_terminal_is_no_session(agentview: CommandLine):
    with terminal(agentview, "tail", "-") as screen:
        screen.wait_for("Standard input is the terminal.")
        assert screen.wait() == 2


@pytest.mark.parametrize("command", ["open", "tail"])
def test_of_several_matches_one_is_chosen_in_the_library(
    agentview: CommandLine, projects: Path, command: str
):
    with terminal(agentview, command, "claude_code:1111", columns=160) as screen:
        screen.wait_for("filter provider:claude_code id:1111")
        screen.wait_for("2 match")
        screen.press("\r")
        screen.wait_for("Step 1 is done.")
        screen.press("q")
        screen.wait_for("2 match")
        leave(screen)


def test_of_several_sessions_in_a_database_one_is_chosen_in_the_library(
    agentview: CommandLine, projects: Path, tmp_path: Path
):
    store = Store(tmp_path / "elsewhere" / "opencode.db")
    for number, title in ((1, "Sort the cart"), (2, "Round the prices")):
        session = f"ses_{number}"
        store.session(session, None, title)
        store.message(f"msg_{number}", "user", session)
        store.part(f"prt_{number}", f"msg_{number}", session, type="text", text=title)
    store.close()
    path = str(store.path)
    with terminal(agentview, "open", path, columns=160) as screen:
        screen.wait_for("2 sessions")
        titles = ("Round the prices", "Sort the cart")
        shown = screen.wait_for(lambda text: all(title in text for title in titles))
        assert "Step 0" not in shown
        leave(screen)
    assert "2 sessions are in" in agentview.fails(1, "open", path)


def test_several_matches_are_listed_where_no_library_is_wanted(
    agentview: CommandLine, projects: Path
):
    with terminal(agentview, "open", "1111", "--linear", columns=160) as screen:
        screen.wait_for("2 sessions match 1111.")
        screen.wait_for("claude_code:11111111")
        assert screen.wait() == 1
        assert b"\x1b[?1049h" not in screen.output


@pytest.mark.slow
def test_the_demo_plays_and_leaves_nothing_behind(agentview: CommandLine, tmp_path: Path):
    agentview.env["TMPDIR"] = str(tmp_path / "tmp")
    (tmp_path / "tmp").mkdir()
    with terminal(agentview, "demo", "--speed", "20", rows=40) as screen:
        first = screen.wait_for(lambda text: text.count("\n ") > 5)
        screen.wait_for(lambda text: text != first)
        leave(screen)
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "rows"), [(20, 5), (60, 15), (200, 60)])
def test_any_size_of_terminal_will_do(
    agentview: CommandLine, projects: Path, columns: int, rows: int
):
    for arguments in ((), ("open", THIRD)):
        with terminal(agentview, *arguments, columns=columns, rows=rows) as screen:
            screen.wait_for(lambda text: "Step" in text or "done" in text)
            leave(screen)


@pytest.mark.slow
def test_cat_pages_in_a_terminal(agentview: CommandLine, projects: Path):
    write(projects / "-p" / f"{SESSION}.jsonl", conversation(ClaudeLog(), 30))
    agentview.env["PAGER"] = "sh -c 'sed s/Step/PAGED/; echo END'"
    with terminal(agentview, "cat", SESSION, "--detail", "title") as screen:
        screen.wait_for("END")
        assert screen.wait() == 0
        assert "PAGED 29 is done." in screen.text
    with terminal(agentview, "cat", SESSION, "--detail", "title", "--no-pager") as screen:
        assert screen.wait() == 0
        assert "Step 29 is done." in screen.text
        assert b"\x1b[" in screen.output


@pytest.mark.slow
def test_a_pager_that_is_left_early_is_no_error(agentview: CommandLine, projects: Path):
    write(projects / "-p" / f"{SESSION}.jsonl", conversation(ClaudeLog(), 3000))
    agentview.env["PAGER"] = "head -1"
    with terminal(agentview, "cat", SESSION, "--detail", "title") as screen:
        assert screen.wait() == 0
        assert screen.output.count(b"\n") == 1
