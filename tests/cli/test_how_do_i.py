"""docs/how-do-i.md: the keys and commands of its tasks do what each task says."""

import base64
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT
from tests.claude_log import SESSION as PAINTS
from tests.cli.conftest import FIRST, SECOND, CommandLine, RunHere
from tests.cli.how_do_i_home import NEWEST, TOKEN, make_home
from tests.cli.pseudo_terminal import PseudoTerminal
from tests.cli.test_attention import Live
from tests.cli.test_notifications import BLUR, Paint
from tests.cli.test_remote_log import fake_ssh

SESSION, LIBRARY, SHELL, ELSEWHERE = (
    "In a session",
    "In the list of sessions",
    "In a shell",
    "Elsewhere",
)
KEYS = {"⏎": "\r", "esc": "\x1b", "space": " ", "tab": "\t", "ctrl+f": "\x06"}
DRAG = "drag"


def tasks() -> Mapping[str, dict[str, str]]:
    """The tasks of each section of the page, each with the cell that says how."""
    page = (ROOT / "docs" / "how-do-i.md").read_text()
    found: dict[str, dict[str, str]] = {}
    for section in page.split("\n## ")[1:]:
        title, _, text = section.partition("\n")
        rows = [re.split(r"(?<!\\)\|", line) for line in text.splitlines() if line[:1] == "|"]
        cells = [[cell.strip().replace("\\|", "|") for cell in row] for row in rows[2:]]
        found[title] = {task: how for _, task, how, *_ in cells}
        assert len(found[title]) == len(cells), "a task is there twice"
    return found


TASKS = tasks()


@dataclass
class Play:
    """What must be seen of the keys of a task, which was not there before."""

    shows: str
    hides: str = "\0"
    """Text that is gone then."""
    copies: str = ""
    """What the clipboard of the terminal has then."""
    before: str = ""
    """Keys that lead to where the task begins."""
    after: str = ""
    """Keys that lead back."""


FIRST_PROMPT = "▎Shares of a split bill"
IN_A_SESSION = {
    "see what it did in the last five minutes": Play(
        "filter after:5m", hides=FIRST_PROMPT, after="\x1b"
    ),
    "go to what it did five minutes before the end": Play(
        "also mention it in the changelog  queued"
    ),
    "jump to the failing test": Play(
        "✗ test_shares_add_up  tests/test_invoice.py:13  assert 999.99 == 1000"
    ),
    "open the failing test in my editor": Play("EDIT +13 test_invoice.py", after="\n"),
    "see only what went wrong": Play("denied by you", hides="thinking", after="\x1b"),
    "see only what it changed": Play("± Edit", hides="Todos", after="\x1b"),
    "see only what it did to a file": Play("till/money.py", hides=FIRST_PROMPT, after="\x1b"),
    "see only the commands it ran": Play("$ Shell", hides="Agent", after="\x1b"),
    "find a word": Play("/ROUND_HALF_UP  1 of 2", after="\x1b"),
    "go to my next prompt": Play("also mention it in the changelog  queued"),
    "go to my second prompt": Play("also mention it in the changelog  queued"),
    "open what it looked at": Play("◦ Grep", before="0gjjj", after="z"),
    "see everything in full": Play("│ it, and at the tests before I decide", after="0"),
    "return to the usual detail": Play("usual detail", before="1"),
    "see the raw bytes of an activity": Play("record 1 of 1", after="r"),
    "see all records, hidden ones included": Play("hidden records are shown", after="R"),
    "follow what a sub-agent did": Play(
        "Searching for floats and roundings.", before="0gjjjjjjj", after="q"
    ),
    "list the changed files": Play("6 files  5 changed", after="[s"),
    "see how far its todo list is": Play("Todos  4/4 done", after="[[s"),
    "see what runs in the background": Play("nothing has run in the background", after="[[[[s"),
    "see the cost and tokens of the session": Play("cost over time", after="[[[[[s"),
    "copy a command": Play("copied command", copies="python -m pytest --color=yes"),
    "copy what a command printed": Play("copied", copies="collected 6 items"),
    "copy half a command by mouse": Play("copied selection", copies="python -m pytest"),
    "mark a place": Play("»"),
    "return to a marked place": Play("»", before="G"),
    "write a note at an activity": Play("✎ ask about rounding"),
    "give the session my own title": Play("◆  Split bills"),
    "mask secrets while others look on": Play("secrets are masked", after="x"),
    "continue the session in its client": Play("copied: cd", copies=f"claude --resume {NEWEST}"),
    "return to the newest activity and follow it": Play("▼ following", hides=FIRST_PROMPT),
    "hand the session to a colleague": Play("exported"),
}
IN_THE_LIST = {
    "find yesterday's session in which `retry.py` changed": Play(
        "1 match", hides="Fix rounding", after="\x1b"
    ),
    "find the sessions that cost most": Play("1 match", hides="Cap the", after="\x1b"),
    "find sessions with many problems": Play("1 match", hides="Cap the", after="\x1b"),
    "search in all sessions": Play("2 matches in 1 session", after="\x1b"),
    "narrow a search to messages": Play("1 match in 1 session", after="\x1b"),
    "group the sessions by project": Play("by project", after="bb"),
    "list the sub-agents of sessions": Play("└ Find money as float", after="a"),
    "mark a session with a star": Play("★ Fix rounding"),
    "find starred sessions": Play("1 match", hides="Cap the", after="\x1b"),
    "tag a session": Play("#retry"),
    "find sessions by tag": Play("1 match", hides="Cap the", after="\x1b"),
    "compare two sessions": Play("files changed ", after="q"),
    "see the cost of this month by day": Play("project  model  client", after="2"),
    "see what happened while I was away": Play("away report  since you looked: ", after="qq"),
    "see which session needs me": Play("DONE, NOT READ", after="q"),
}
IN_A_SHELL = {
    "see the cost of this week by project": r"PROJECT .*\n\S+ .* ~\$0\.\d\d",
    "see what one session cost": r"total .*\$0\.\d\d",
    "search in all sessions": r"message +The backoff has a cap now\.",
    "print my second prompt and what followed it": r"^[^\n]*you +also mention it in the changelog",
    "print only the commands it ran": r"(?s)\A(?!.*Edit).*Shell +git push --force",
    "read a session with a screen reader": r"Write: src/retry.py, new, 5 lines, 63 B, done",
    "get what a session changed as a patch": r"\+def pause\(attempt\):",
    "see which session wrote each line of a file": r"9c8d7e61 turn 1 Cap the .* │ CAP = 30",
    "see which prompt is behind each change of a commit": r"1 9c8d7e61 turn 1  Cap the exponential",
    "tag a session": r"\Abackoff\n\Z",
    "compare two sessions": r"prompts +2 +1 +-1",
    "put a session into a pull request": r"till/money.py",
    "check what an export would mask": r"token: ghp_",
    "find secrets in all logs": r"9c8d7e61.*tool_call: token: ghp_",
    "keep a session before its client deletes it": r"Archived and verified 1 session",
    "wait until a session needs me": r"\Ayour-turn\n\Z",
    "see what happened while I was away": r"(?s)\Asince you looked: 1 session .*\n  said ",
    "send somebody what my sessions did today": r"(?s)\A# Away report\n.*\n- files: ",
    "show in a prompt how many sessions need me": r"\A0 need you\n\Z",
    "use a session in a script": r'(?m)^\{"v":2.*"kind":"shell"',
    "see whether everything in a log was understood": r"shown +\d+ .*in the timeline",
}
ON_SEVERAL_MACHINES = "see what agents do on several machines"
ON_ANOTHER_MACHINE = "follow a session on another machine"
ON_MY_PHONE = "be notified on my phone"


def test_each_task_of_the_page_is_played():
    assert list(TASKS) == [SESSION, LIBRARY, SHELL, ELSEWHERE]
    assert TASKS[SESSION].keys() == IN_A_SESSION.keys()
    assert TASKS[LIBRARY].keys() == IN_THE_LIST.keys()
    assert TASKS[SHELL].keys() == IN_A_SHELL.keys()
    assert [*TASKS[ELSEWHERE]] == [ON_SEVERAL_MACHINES, ON_ANOTHER_MACHINE, ON_MY_PHONE]
    assert sum(map(len, TASKS.values())) >= 38


def steps(how: str) -> Iterator[str]:
    """What is pressed or done, one after the other."""
    for found in re.finditer(rf"`[^`]+`|\b{DRAG}\b", how):
        step = found[0].strip("`")
        yield KEYS.get(step, step)


def drag_over(screen: PseudoTerminal, text: str) -> None:
    """Press the left button on the first character of a text, and release it on the last."""
    rows = screen.wait_for(text).splitlines()
    row = next(number for number, line in enumerate(rows, 1) if text in line)
    begin = rows[row - 1].index(text) + 1
    end = begin + len(text) - 1
    screen.press(f"\x1b[<0;{begin};{row}M\x1b[<32;{end};{row}M\x1b[<0;{end};{row}m")


def clipboard(output: bytes) -> str:
    """What was given to the terminal's clipboard last."""
    given = re.findall(rb"\x1b\]52;c;([A-Za-z0-9+/=]*)(?:\x07|\x1b\\)", output)
    return base64.b64decode(given[-1]).decode() if given else ""


def play(screen: PseudoTerminal, how: str, wanted: Play, base: str) -> None:
    """Press the keys of a task where nothing of it is seen, see it, and go back."""
    screen.press(wanted.before)
    screen.wait_for(lambda text: wanted.shows not in text)
    begin = len(screen.output)
    for step in steps(how):
        if step == DRAG:
            drag_over(screen, wanted.copies)
        else:
            screen.press(step)
    screen.wait_for(lambda text: wanted.shows in text and wanted.hides not in text)
    if wanted.copies:
        screen.wait_for(lambda _: wanted.copies in clipboard(bytes(screen.output[begin:])))
    screen.press(wanted.after)
    if wanted.after[-1:] == "\x1b":
        # What comes at once behind an escape is taken for a part of it.
        typed = max(steps(how), key=len)
        screen.wait_for(lambda text: base in text and typed not in _last_line(text))


def _last_line(text: str) -> str:
    """The last line of a screen, without what it counts in all of the session."""
    return text.splitlines()[-1].partition("in all: ")[0]


@pytest.mark.slow
def test_tasks_in_a_session(agentview: CommandLine):
    make_home(agentview)
    editor = agentview.home / "vim"
    editor.write_text('#!/bin/sh\necho EDIT "$1" "${2##*/}"\nread answer\n')
    editor.chmod(0o755)
    agentview.env["EDITOR"] = str(editor)
    with screen_of(agentview, "open", "3f2a") as screen:
        screen.wait_for("▼ following")
        for task, how in TASKS[SESSION].items():
            screen.press("g")
            screen.wait_for(FIRST_PROMPT)
            play(screen, how, IN_A_SESSION[task], "? help")
        screen.press("q")
        assert screen.wait() == 0
    (page,) = agentview.cwd.glob("*.html")
    assert "also mention it in the changelog" in page.read_text()


@pytest.mark.slow
def test_tasks_in_the_list_of_sessions(agentview: CommandLine):
    make_home(agentview)
    with screen_of(agentview) as screen:
        for task, how in TASKS[LIBRARY].items():
            # The last row of a view that one types into has no help.
            screen.wait_for(lambda text: "2 sessions" in text and "~$" in text and "? help" in text)
            screen.press("g")
            play(screen, how, IN_THE_LIST[task], "2 sessions")
        screen.press("q")
        assert screen.wait() == 0


def screen_of(agentview: CommandLine, *arguments: str) -> PseudoTerminal:
    command = agentview.command(*arguments)
    return PseudoTerminal(command, agentview.environment, agentview.cwd, columns=120, rows=24)


def test_tasks_in_a_shell(agentview: CommandLine, run_here: RunHere):
    make_home(agentview)
    install(agentview)
    for task, how in TASKS[SHELL].items():
        command = how.strip("`")
        words = shlex.split(command)
        # All commands that run here share one archive.
        if {">", "|", "archive"} & set(words):
            done = in_shell(agentview, command)
        else:
            done = run_here(*words[1:], COLUMNS="120")
        assert done.returncode == (1 if "--check" in words or "secrets" in words else 0), done
        written = re.search(r"(?:> |-o )(\S+)", command)
        shown = (agentview.cwd / written[1]).read_text() if written else done.stdout + done.stderr
        assert re.search(IN_A_SHELL[task], shown), (task, shown)
        assert TOKEN not in shown or "--linear" in words
    subprocess.run(["git", "apply", "--check", "-R", "retry.patch"], cwd=agentview.cwd, check=True)


def install(agentview: CommandLine) -> None:
    """Put the command on the search path."""
    folder = agentview.home / "installed"
    folder.mkdir()
    program = folder / "agentview"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m agentview "$@"\n')
    program.chmod(0o755)
    agentview.env["PATH"] = f"{folder}:{agentview.environment['PATH']}"


def in_shell(agentview: CommandLine, command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", command],
        capture_output=True,
        text=True,
        check=False,
        cwd=agentview.cwd,
        env=agentview.environment,
    )


@pytest.mark.slow
def test_a_session_on_another_machine_is_followed(agentview: CommandLine):
    log = make_home(agentview)
    remote = 'while [ "$1" != -- ]; do shift; done; shift 2; cd; exec sh -c "$*"'
    fake_ssh(agentview, agentview.home / "ssh", remote)
    install(agentview)
    command = TASKS[ELSEWHERE][ON_ANOTHER_MACHINE].strip("`")
    *earlier, last = log.read_bytes().splitlines(keepends=True)
    there = agentview.home / command.partition("/~/")[2]
    there.write_bytes(b"".join(earlier))
    with screen_in_shell(agentview, command) as screen:
        screen.wait_for("Cap the exponential backoff")
        assert "The backoff has a cap now." not in screen.text
        with there.open("ab") as file:
            file.write(last)
        screen.wait_for("The backoff has a cap now.")
        screen.press("q")
        assert screen.wait() == 0


@pytest.mark.slow
def test_agents_on_several_machines_are_seen(agentview: CommandLine, tmp_path: Path):
    there = tmp_path / "there"
    Live(CommandLine(there, there), FIRST, "/home/dev/away").ask()
    Live(agentview, SECOND, "/home/dev/here").ask()
    text = f'while [ "$1" != -- ]; do shift; done; HOME={there} exec sh -c "$3"'
    fake_ssh(agentview, tmp_path / "bin", text)
    install(agentview)
    with screen_in_shell(agentview, TASKS[ELSEWHERE][ON_SEVERAL_MACHINES].strip("`")) as screen:
        screen.wait_for(lambda text: "HOST:away" in text and " here " in text)
        screen.press("q")
        assert screen.wait() == 0


@pytest.mark.slow
def test_a_program_that_notifies_a_phone_is_run(agentview: CommandLine):
    install(agentview)
    program = agentview.home / "bin" / "to-phone"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nexec cat > "$0.told"\n')
    program.chmod(0o755)
    told = program.with_suffix(".told")
    paint = Paint(agentview.home / ".claude" / "projects" / "-p" / f"{PAINTS}.jsonl")
    with screen_in_shell(agentview, TASKS[ELSEWHERE][ON_MY_PHONE].strip("`")) as screen:
        # The focus is gone long before the session has been read.
        screen.wait_for("1 Board")
        screen.press(BLUR)
        screen.wait_for(lambda text: "Paint it" in text and "working" in text)
        paint.ask()
        screen.wait_for(lambda _: told.exists() and told.read_text().endswith("\n"))
        screen.press("q")
        assert screen.wait() == 0
    assert json.loads(told.read_text())["text"].startswith("asks you: Paint it")


def screen_in_shell(agentview: CommandLine, command: str) -> PseudoTerminal:
    return PseudoTerminal(["sh", "-c", command], agentview.environment, agentview.cwd, columns=120)
