"""`agentview cat`: what is printed, how wide, in which colours."""

import json
import re
from pathlib import Path
from unicodedata import category

import pytest
from rich.cells import cell_len

from agentview.providers import recognise
from agentview.providers.base import HEAD_BYTES
from agentview.system.paths import sample_sessions_dir
from tests.claude_log import SESSION, ClaudeLog, conversation, write
from tests.cli.conftest import CommandLine, Printed

SAMPLES = [
    path
    for path in sorted(sample_sessions_dir().rglob("*.jsonl"))
    if recognise(path.read_bytes()[:HEAD_BYTES], path) is not None
]
TOOLS = next(path for path in SAMPLES if path.name == "tools.jsonl")
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return write(tmp_path / "log.jsonl", conversation(ClaudeLog(), 2))


def test_titles_are_one_line_an_activity(agentview: CommandLine, log: Path):
    lines = agentview.ok("cat", str(log), "--detail", "title").splitlines()
    assert len(lines) == 6
    assert "Step 0: please go on" in lines[0]
    assert re.match(r" \d\d:\d\d:\d\d {2}▎you ", lines[0])
    assert re.match(r" \d\d:\d\d:\d\d ✓ Shell +echo 0 .* 1\.0s$", lines[1])
    assert lines[2].endswith("Step 0 is done.")


def test_a_period_has_what_happened_in_it(agentview: CommandLine, log: Path):
    whole = agentview.ok("cat", str(log), "--detail", "title", TZ="UTC").splitlines()
    bound = "2026-11-21T10:00:05Z"
    for level in ("title", "full"):
        view = ("cat", str(log), "--detail", level)
        early = agentview.ok(*view, "--before", bound, TZ="UTC")
        late = agentview.ok(*view, "--after", bound, TZ="UTC")
        assert ("Step 0" in early, "Step 1" in early) == (True, False)
        assert ("Step 0" in late, "Step 1" in late) == (False, True)
        if level == "title":
            assert [*early.splitlines(), *late.splitlines()] == whole
    refused = agentview("cat", str(log), "--after", "soon")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "--after cannot be 'soon'." in refused.stderr


@pytest.mark.slow
def test_a_summary_has_a_body_and_full_has_all_of_it(agentview: CommandLine, log: Path):
    title, summary, full = (
        agentview.ok("cat", str(log), "--detail", level) for level in ("title", "summary", "full")
    )
    assert "│" not in title
    assert "│ línea 0 ✅ xxx" in summary
    assert "│ línea 1 ✅ xxx" in full
    assert len(title.splitlines()) < len(summary.splitlines()) <= len(full.splitlines())


@pytest.mark.slow
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_sample_is_printed_without_anything_that_acts_on_a_terminal(
    printed: Printed, path: Path
):
    text = printed("cat", str(path), "--detail", "full", COLUMNS="90")
    assert text.strip()
    for line in text.splitlines():
        # Characters that Unicode does not name, and spaces, do not act on a terminal.
        assert all(char.isprintable() or category(char) in {"Cn", "Co", "Zs"} for char in line)
        assert cell_len(line) <= 90
        assert line == line.rstrip()


@pytest.mark.parametrize("columns", [10, 40, 79, 200])
@pytest.mark.parametrize("level", ["title", "full"])
def test_it_keeps_to_the_width(printed: Printed, tmp_path: Path, columns: int, level: str):
    records = conversation(ClaudeLog(), 1, size=500)
    records.append(ClaudeLog().prompt("日本語のとても長い文章 🎉 " * 30))
    path = write(tmp_path / "log.jsonl", records)
    text = printed("cat", str(path), "--detail", level, COLUMNS=str(columns))
    widths = [cell_len(line) for line in text.splitlines()]
    assert max(widths) <= max(columns, 24)


def test_only_some_kinds(agentview: CommandLine, log: Path):
    text = agentview.ok("cat", str(log), "--detail", "title", "--only", "shell, user")
    labels = [re.findall(r"\w+", line[10:])[0] for line in text.splitlines()]
    assert labels == ["you", "Shell", "you", "Shell"]


@pytest.mark.slow
def test_a_pipe_gets_no_colour_unless_it_is_forced(agentview: CommandLine, log: Path):
    for level in ("title", "full"):
        arguments = ("cat", str(log), "--detail", level)
        plain = agentview.ok(*arguments)
        assert "\x1b" not in plain
        coloured = agentview.ok(*arguments, FORCE_COLOR="1")
        assert ESCAPE.search(coloured)
        without = [line.rstrip() for line in ESCAPE.sub("", coloured).splitlines()]
        assert without == plain.splitlines()
        assert agentview.ok(*arguments, FORCE_COLOR="1", NO_COLOR="1") == plain
        assert "\x1b" not in agentview.ok(*arguments, "--plain", FORCE_COLOR="1")


@pytest.mark.slow
def test_plain_is_ascii_where_the_log_is(agentview: CommandLine, tmp_path: Path):
    log = ClaudeLog()
    write(
        tmp_path / "log.jsonl",
        [
            log.prompt("Please"),
            log.call(
                "a", "Edit", file_path="/home/dev/shop/a.py", old_string="a\nb", new_string="a"
            ),
            log.result("a", "done", {"filePath": "/home/dev/shop/a.py"}),
            log.call("b", "TodoWrite", todos=[{"content": "One", "status": "completed"}]),
            log.result("b", "ok"),
        ],
    )
    for level in ("title", "summary", "full"):
        text = agentview.ok("cat", str(tmp_path / "log.jsonl"), "--plain", "--detail", level)
        assert text.isascii(), text
        assert "1/1 done" in text


def test_a_terminal_without_unicode_gets_ascii_marks(agentview: CommandLine, log: Path):
    done = agentview(
        "cat", str(log), "--detail", "title", LANG="C", PYTHONUTF8="0", PYTHONIOENCODING="ascii"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.isascii()
    assert " v Shell" in done.stdout


@pytest.mark.slow
def test_a_theme_is_taken_and_an_unknown_one_named(agentview: CommandLine, log: Path):
    arguments = ("cat", str(log), "--detail", "full")
    ansi = agentview.ok(*arguments, FORCE_COLOR="1", COLORTERM="truecolor", TERM="xterm")
    themed = agentview.ok(
        *arguments, "--theme", "gruvbox", FORCE_COLOR="1", COLORTERM="truecolor", TERM="xterm"
    )
    assert "\x1b[38;2;" in themed
    assert "38;2;" not in ansi
    assert "Unknown theme: nonsense" in agentview.fails(2, *arguments, "--theme", "nonsense")


def test_raw_shows_the_records_with_their_places(agentview: CommandLine, log: Path):
    text = agentview.ok("cat", str(log), "--raw", "--only", "shell")
    lines = [line.strip() for line in text.splitlines()]
    records = log.read_bytes().splitlines()
    offset = len(records[0]) + 1
    assert f"{log} @{offset} +{len(records[1])}" in lines
    assert records[1].decode() in lines
    assert records[2].decode() in lines


@pytest.mark.slow
def test_hostile_text_cannot_act_on_the_terminal(agentview: CommandLine, tmp_path: Path):
    log = ClaudeLog()
    evil = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202eevil\r\n[bold]not markup[/] \ud83d"
    records = [
        json.dumps(json.loads(record), ensure_ascii=True).replace("@@", json.dumps(evil)[1:-1])
        for record in (
            log.prompt("@@"),
            log.text("# @@\n\n`@@`"),
            log.call("@@", "@@", **{"@@": "@@"}),
            log.call("b", "Bash", command="@@", description="@@"),
            log.result("b", "@@", {"stdout": "@@", "stderr": "@@"}),
        )
    ]
    path = tmp_path / "log.jsonl"
    path.write_text("".join(f"{record}\n" for record in records))
    for options in (
        ("--detail", "title"),
        ("--detail", "summary"),
        ("--detail", "full"),
        ("--raw",),
    ):
        for colour in ("", "1"):
            text = agentview.ok("cat", str(path), *options, FORCE_COLOR=colour)
            rest = ESCAPE.sub("", text).replace("\n", "")
            assert rest.isprintable()
            assert "[bold]not markup[/]" in rest


@pytest.mark.slow
def test_agents_show_on_the_card_of_the_call_that_started_them(
    agentview: CommandLine, tmp_path: Path
):
    log = ClaudeLog()
    prompt = "Look for the cause in all files"
    records = [
        log.prompt("Go"),
        log.call("t", "Task", description="Look", prompt=prompt, subagent_type="explorer"),
        log.result("t", "It is in a.py", {"status": "completed", "agentId": "a1"}),
    ]
    path = write(tmp_path / f"{SESSION}.jsonl", records)
    agent = ClaudeLog(agent="a1")
    write(
        tmp_path / SESSION / "subagents" / "agent-a1.jsonl",
        [agent.prompt(prompt), *conversation(agent, 3)],
    )
    text = agentview.ok("cat", str(path), "--detail", "title", "--only", "subagent_task")
    assert "explorer" in text
    assert "3 calls" in text
