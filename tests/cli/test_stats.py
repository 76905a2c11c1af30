"""`agentview stats`."""

import json
import math
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from agentview.timeline.view.sparkline import bar, sparkline
from tests.claude_log import ClaudeLog, conversation, write
from tests.cli.conftest import FIRST, SECOND, THIRD, CommandLine

SAMPLES = Path(__file__).parents[2] / "sample_sessions"
DEMO = str(SAMPLES / "claude_code" / "demo.jsonl")


@pytest.fixture
def sessions(projects: Path) -> Path:
    """The sessions of `projects`, each with responses of its own."""
    for path in projects.rglob("*.jsonl"):
        own = b'"msg_' + path.stem[:8].encode()
        path.write_bytes(path.read_bytes().replace(b'"msg_', own))
    return projects


def told(agentview: CommandLine, *arguments: str) -> dict[str, Any]:
    return json.loads(agentview.ok("stats", "--json", *arguments, TZ="UTC"))


def keys(found: dict[str, Any]) -> list[str | None]:
    return [group["key"] for group in found["groups"]]


@pytest.mark.slow
def test_without_sessions_it_says_so_and_is_content(agentview: CommandLine):
    done = agentview("stats")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith("No sessions found.")
    found = json.loads(agentview("stats", "--json").stdout)
    assert (found["sessions"], found["groups"]) == (0, [])
    assert found["total"]["tokens"] is None


@pytest.mark.slow
def test_all_sessions_are_counted_unless_some_are_named(agentview: CommandLine, sessions: Path):
    # Two, three and four turns of two responses; each 5 tokens in, 10 out.
    whole = told(agentview)
    assert (whole["sessions"], whole["turns"], whole["total"]["responses"]) == (3, 9, 18)
    assert whole["compactions"] == 0
    assert (whole["total"]["input_uncached"], whole["total"]["output"]) == (90, 180)
    assert whole["total"]["input_cached"] is None
    assert told(agentview, FIRST, SECOND)["total"]["responses"] == 10
    assert told(agentview, "--project", "blog")["total"]["responses"] == 8
    assert told(agentview, str(sessions / "-home-dev-shop"))["sessions"] == 2
    assert told(agentview, FIRST, FIRST)["sessions"] == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("by", "wanted"),
    [
        ("session", {FIRST, SECOND, THIRD}),
        ("project", {"/home/dev/shop", "/home/dev/blog"}),
        ("provider", {"claude_code"}),
        ("model", {"claude-opus-5-5"}),
        ("tool", {"shell", None}),
        ("day", {"2026-11-21"}),
    ],
)
def test_groups_add_up_to_the_whole(
    agentview: CommandLine, sessions: Path, by: str, wanted: set[str | None]
):
    found = told(agentview, "--by", by)
    assert set(keys(found)) == wanted
    for count in ("responses", "input_uncached", "output"):
        assert sum(group[count] for group in found["groups"]) == found["total"][count]
    cost = sum(group["cost_estimate"] for group in found["groups"])
    assert math.isclose(cost, found["total"]["cost_estimate"])
    # 18 responses: 5 tokens at 4 dollars and 10 at 20 dollars a million.
    assert math.isclose(cost, 18 * (5 * 4 + 10 * 20) / 1_000_000)
    text = agentview.ok("stats", "--by", by, TZ="UTC")
    assert by.upper() in text
    assert "estimated" in text


@pytest.mark.slow
def test_one_session_is_told_in_full(agentview: CommandLine):
    found = told(agentview, DEMO)
    session = found["session"]
    assert session["context_window"] == 1_000_000
    assert [turn["number"] for turn in session["turns"]] == sorted(
        turn["number"] for turn in session["turns"]
    )
    assert sum(turn["responses"] for turn in session["turns"]) == found["total"]["responses"]
    assert (
        found["own"]["responses"] + found["subagents"]["responses"] == (found["total"]["responses"])
    )
    assert found["seconds"]["tools"] > 0
    assert {tool["kind"] for tool in found["tools"]} >= {"shell", "edit", "read"}
    text = agentview.ok("stats", DEMO)
    for part in ("sub-agents", "time ", "context ", "MODEL", "TOOL", "TURN", "~$"):
        assert part in text


@pytest.mark.slow
def test_subagents_can_be_left_out(agentview: CommandLine):
    whole, own = told(agentview, DEMO), told(agentview, DEMO, "--no-subagents")
    assert whole["subagents"]["responses"] > 0
    assert own["total"] == whole["own"]
    assert (own["agents"], own["subagents"]["tokens"]) == (0, None)


@pytest.mark.slow
def test_the_clients_own_figure_comes_before_the_estimate(agentview: CommandLine):
    path = str(SAMPLES / "claude_code" / "compaction.jsonl")
    found = told(agentview, path)
    assert found["client_cost"] == found["cost"] == 2.05862
    assert found["client_cost"] != found["total"]["cost_estimate"]
    assert (found["cost_source"], found["cost_whole"]) == ("client", True)
    text = agentview.ok("stats", path)
    assert text.splitlines()[3].endswith("  $2.06")
    assert "at list prices: ~$1.05" in text
    assert told(agentview, str(SAMPLES / "codex" / "demo.jsonl"))["client_cost"] is None


@pytest.mark.slow
def test_a_total_is_the_sum_of_its_parts_also_where_a_client_reports_its_cost(
    agentview: CommandLine,
):
    reported = str(SAMPLES / "claude_code" / "compaction.jsonl")
    lines = agentview.ok("stats", DEMO, reported).splitlines()
    heads = ("total", "sessions", "sub-agents")
    costs = [next(line for line in lines if line.startswith(head)).split()[-1] for head in heads]
    assert all(cost.startswith("~$") for cost in costs)
    total, sessions, agents = (float(cost.strip("~$+")) for cost in costs)
    # Each is rounded on its own.
    assert math.isclose(total, sessions + agents, abs_tol=0.011)
    assert any(line.startswith("with costs reported by clients: ~$") for line in lines)


@pytest.mark.slow
def test_what_is_not_known_is_a_dash_and_never_a_zero(agentview: CommandLine, tmp_path: Path):
    log = ClaudeLog()
    records = [log.prompt("go"), log.text("yes")]
    silent = [record.replace(b'"usage"', b'"used"') for record in records]
    text = agentview.ok("stats", str(write(tmp_path / "a.jsonl", silent)))
    total = next(line for line in text.splitlines() if line.startswith("total"))
    assert total.split() == ["total", *"–––––"]
    unknown = [record.replace(b"claude-opus-5-5", b"mock-model") for record in records]
    path = str(write(tmp_path / "b.jsonl", unknown))
    total = next(line for line in agentview.ok("stats", path).splitlines() if "total" in line)
    assert total.split() == ["total", "5", "–", "–", "10+", "–"]
    assert told(agentview, path)["unpriced_models"] == ["mock-model"]
    assert told(agentview, path)["total"]["cost_estimate_complete"] is None
    both = agentview.ok("stats", path, DEMO)
    assert "$0.33+" in both
    assert "at least" in both


@pytest.mark.slow
@pytest.mark.parametrize("columns", [20, 80])
def test_it_keeps_to_the_width(agentview: CommandLine, projects: Path, columns: int):
    wide = ClaudeLog("4" * 36).prompt("日本語の長いタイトル、とても長い 🎉 " * 5)
    write(projects / "-x" / f"{'4' * 36}.jsonl", [wide])
    for arguments in ((), ("--by", "session"), ("4444",)):
        lines = agentview.ok("stats", *arguments, COLUMNS=str(columns)).splitlines()
        assert lines
        assert all(cell_len(line) <= columns for line in lines)


@pytest.mark.slow
def test_a_prompt_cannot_act_on_the_terminal(agentview: CommandLine, tmp_path: Path):
    record = json.loads(ClaudeLog().prompt("x"))
    record["message"]["content"] = "\x1b]0;owned\x07\x1b[31mred\r\n\u202egnirts"
    path = write(tmp_path / "s.jsonl", [json.dumps(record).encode() + b"\n"])
    output = agentview.ok("stats", str(path))
    assert not {"\x1b", "\x07", "\r", "\u202e"} & set(output)


@pytest.mark.slow
def test_it_reads_a_pipe(agentview: CommandLine):
    data = b"".join(conversation(ClaudeLog(), 2))
    found = json.loads(agentview.ok("stats", "-", "--json", stdin=data))
    assert (found["sessions"], found["total"]["responses"]) == (1, 4)
    assert "is empty" in agentview.fails(1, "stats", "-")


@pytest.mark.slow
def test_ascii_is_enough(agentview: CommandLine):
    text = agentview.ok("stats", DEMO, PYTHONIOENCODING="ascii")
    assert text.isascii()
    assert "####" in text


@pytest.mark.slow
def test_what_is_wrong_is_said(agentview: CommandLine, tmp_path: Path):
    assert "no such file" in agentview.fails(1, "stats", "nothing")
    agentview.fails(2, "stats", "--by", "colour")
    (tmp_path / "a.txt").write_text("hello")
    assert "not a session log" in agentview.fails(1, "stats", str(tmp_path / "a.txt"))


def test_bars_and_lines():
    assert bar(1, 2, 4) == "██"
    assert bar(1, 1_000, 4) == "▏"
    assert (bar(0, 5, 4), bar(5, 0, 4)) == ("", "")
    assert bar(1, 2, 4, unicode=False) == "##"
    assert sparkline([0, 7], 40) == "▁█"
    assert sparkline([1, 2, 3, 8], 2) == "▂█"
    assert sparkline([], 40) == ""
    assert sparkline([0, 0], 40, unicode=False) == "__"


@pytest.mark.slow
def test_compactions_are_counted_over_all_sessions(agentview: CommandLine):
    found = told(agentview, str(SAMPLES / "claude_code" / "compaction.jsonl"))
    assert found["compactions"] == found["session"]["compactions"] > 0


@pytest.mark.slow
def test_tools_without_a_known_kind_have_their_names(agentview: CommandLine, tmp_path: Path):
    log = ClaudeLog(FIRST)
    records = [log.call("a", "Frobnicate", x=1), log.result("a", "done")]
    records += [log.call("b", "Quux\x1b[2J", x=1), log.call("c", "Bash", command="ls")]
    path = str(write(tmp_path / f"{FIRST}.jsonl", records))
    found = told(agentview, path)["tools"]
    named = {(tool["kind"], tool["name"]): tool["calls"] for tool in found if tool.get("calls")}
    assert named.pop(("shell", None)) == 1
    assert named.pop(("unknown", "Frobnicate")) == 1
    ((kind, name),) = named
    assert kind == "unknown"
    assert name.startswith("Quux")
    text = agentview.ok("stats", path)
    assert "Frobnicate" in text
    assert "\x1b" not in text
    assert {"Frobnicate", "shell"} <= set(keys(told(agentview, path, "--by", "tool")))


@pytest.mark.slow
def test_of_a_client_that_counts_no_tokens_it_says_so(agentview: CommandLine):
    text = agentview.ok("stats", str(SAMPLES / "vscode_copilot" / "demo.json"))
    assert "VS Code Copilot logs no token counts." in text
    assert "no token counts" not in agentview.ok("stats", DEMO)


def test_what_statistics_have_read_a_list_has_and_nothing_is_read_again(
    agentview: CommandLine,
):
    folder = agentview.home / ".claude" / "projects" / "-home-dev-shop"
    folder.mkdir(parents=True, exist_ok=True)
    for number, name in enumerate(("classic", "tools")):
        log = folder / f"01a1fb6e-f759-4ab3-a297-30453800000{number}.jsonl"
        log.write_bytes((SAMPLES / "claude_code" / f"{name}.jsonl").read_bytes())
    # Logs of agents name their session in their first records.
    shutil.copytree(SAMPLES / "claude_code" / "agents", folder, dirs_exist_ok=True)
    day = agentview.home / ".codex" / "sessions" / "2026" / "11" / "21"
    shutil.copytree(SAMPLES / "codex" / "agents", day)
    chats = agentview.home / ".gemini" / "tmp" / "shop" / "chats"
    shutil.copytree(SAMPLES / "gemini_cli" / "agents", chats)
    # One of an older version is next to its session.
    agent = (SAMPLES / "claude_code" / "sidechain.jsonl").read_text()
    session = json.loads(agent.splitlines()[0])["sessionId"]
    (folder / "agent-a0000001.jsonl").write_text(
        agent.replace(session, "01a1fb6e-f759-4ab3-a297-304538000000")
    )
    shutil.copytree(SAMPLES / "cline" / "tools", agentview.home / ".cline" / "data" / "sessions")
    for each in agentview.home.rglob("*.json*"):
        os.utime(each, (1_790_000_000, 1_790_000_000))
    first, opened = _stats_and_opened(agentview)
    assert len({*opened}) > 20
    listed = json.loads(agentview.ok("ls", "--json"))
    assert {each["provider"] for each in listed} == {"claude_code", "cline", "codex", "gemini_cli"}
    assert all(each["totals"] for each in listed)
    assert _stats_and_opened(agentview) == (first, [])


def _stats_and_opened(agentview: CommandLine) -> tuple[str, list[str]]:
    """What `stats` prints, and the files of the home that it opens."""
    program = (
        "import os, sys\n"
        "from agentview.cli import main\n"
        "home = os.environ['HOME']\n"
        "def hook(event, args):\n"
        "    if event == 'open' and str(args[0]).startswith(home) and 'json' in str(args[0]):\n"
        "        print(args[0], file=sys.stderr)\n"
        "sys.addaudithook(hook)\n"
        "sys.exit(main(['stats', '--json']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=agentview.environment,
        cwd=agentview.cwd,
        capture_output=True,
        check=True,
        text=True,
    )
    return done.stdout, [path for path in done.stderr.splitlines() if "crush" not in path]


@pytest.mark.slow
def test_a_period_is_counted_alone_and_named(agentview: CommandLine, sessions: Path):
    whole = told(agentview)
    parts = [
        told(agentview, "--before", "2026-11-21T10:00:05Z"),
        told(agentview, "--after", "2026-11-21T10:00:05Z"),
    ]
    for count in ("responses", "tokens", "output"):
        assert sum(part["total"][count] or 0 for part in parts) == whole["total"][count]
    assert all(part["total"]["responses"] for part in parts)
    assert [part["after"] for part in parts] == [None, "2026-11-21T10:00:05.000Z"]
    text = agentview.ok("stats", "--after", "2026-11-21", "--by", "week", TZ="UTC")
    assert text.splitlines()[0] == "from 2026-11-21 00:00"
    assert "2026-W47" in text
    nothing = agentview("stats", "--before", "2026-11-21", TZ="UTC")
    assert (nothing.returncode, nothing.stdout) == (0, "")
    assert nothing.stderr == "No session has anything before 2026-11-21 00:00.\n"
    one = told(agentview, FIRST, "--after", "2026-11-21T10:00:05Z")
    assert one["session"]["turns"][-1]["number"] == 2
    assert 0 < one["total"]["responses"] < told(agentview, FIRST)["total"]["responses"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--after", "soon"), ("--after cannot be 'soon'.", "Give a time, such as today")),
        (("--after", "today", "--before", "3d"), ("no time between", "later than --after")),
    ],
)
def test_a_time_that_is_none_is_an_error(
    agentview: CommandLine, arguments: tuple[str, ...], words: tuple[str, ...]
):
    done = agentview("stats", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert all(word in done.stderr for word in words)


@pytest.mark.slow
def test_budgets_have_an_exit_code(agentview: CommandLine, projects: Path):
    log = ClaudeLog(FIRST, began=time.time() - 60)
    records = [
        log.prompt("go"),
        *(log.assistant(tokens=1_000_000, stop="end_turn") for _ in range(2)),
    ]
    for old in projects.rglob("*.jsonl"):
        old.unlink()
    write(projects / "-home-dev-shop" / f"{FIRST}.jsonl", records)
    # Two million tokens at 20 dollars a million.
    for day, code, used in (("400", 0, "10%"), ("48", 10, "83%"), ("$40", 11, "100%")):
        done = agentview("stats", "--budget", AGENTVIEW_BUDGET_DAY=day)
        assert (done.returncode, done.stderr) == (code, "")
        assert done.stdout.startswith("today  ~$40.00 of")
        assert used in done.stdout
    done = agentview("stats", "--budget", "--json", AGENTVIEW_BUDGET_PROJECTS="shop=10;blog=1")
    shop, blog = json.loads(done.stdout)
    assert (shop["kind"], shop["name"], shop["level"], done.returncode) == (
        "project",
        "shop",
        1,
        11,
    )
    assert (blog["cost"], blog["used"], blog["level"]) == (None, 0, None)


@pytest.mark.slow
def test_budgets_that_are_not_set_are_a_mistake(agentview: CommandLine, sessions: Path):
    assert "No budget is set." in agentview.fails(2, "stats", "--budget")
    assert "--budget is about all" in agentview.fails(2, "stats", "--budget", "--by", "day")
