"""`agentview ls`."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from agentview.domain.annotations import Bookmark, Note
from agentview.facts.search.fts_index import SearchIndex, index_path
from agentview.facts.search.indexer import build_index, writing_alone
from agentview.facts.usage.pricing import PriceList
from agentview.facts.usage.reader import measure
from agentview.sessions.annotations.notes import set_note
from agentview.sessions.annotations.session_file import SessionFile
from agentview.sessions.annotations.session_marks import set_star, set_title
from agentview.sessions.library.cache_db import SessionCache
from agentview.sessions.library.scan.indexer import index_sessions
from tests.claude_log import SESSION, ClaudeLog, conversation, write
from tests.cli.conftest import FIRST, SECOND, THIRD, CommandLine, Printed
from tests.facts.search.searched import groups, places


@pytest.mark.slow
def test_without_sessions_it_says_so_and_is_content(agentview: CommandLine):
    done = agentview("ls")
    assert (done.returncode, done.stdout) == (0, "")
    assert "No sessions found." in done.stderr
    assert "No sessions of Codex found." in agentview("ls", "--provider", "codex").stderr
    assert json.loads(agentview.ok("ls", "--json")) == []


def test_it_lists_all_sessions_with_what_tells_them_apart(agentview: CommandLine, projects: Path):
    header, *rows = agentview.ok("ls").splitlines()
    assert header.split() == ["STATE", "ID", "PROVIDER", "TITLE", "PROJECT", "BRANCH", "ACTIVITY"]
    assert len(rows) == 3
    assert {row.split("claude_code")[0].split()[-1] for row in rows} == {
        FIRST[:8],
        SECOND[:8],
        THIRD[:8],
    }
    assert all("Step 0: please go on" in row and "main" in row for row in rows)


def test_the_newest_activity_comes_first(agentview: CommandLine, projects: Path):
    times = [row["last_activity"] for row in json.loads(agentview.ok("ls", "--json"))]
    assert times == sorted(times, reverse=True)
    assert len(set(times)) == 3


def test_a_project_narrows_it(agentview: CommandLine, projects: Path):
    rows = json.loads(agentview.ok("ls", "--json", "--project", "blog"))
    assert [row["id"] for row in rows] == [THIRD]
    assert rows[0]["project"] == "/home/dev/blog"
    assert Path(rows[0]["path"]).is_file()


def test_a_period_selects_by_the_last_activity(agentview: CommandLine, projects: Path):
    rows = json.loads(agentview.ok("ls", "--json"))
    bound = rows[1]["last_activity"]
    late = json.loads(agentview.ok("ls", "--json", "--after", bound))
    early = json.loads(agentview.ok("ls", "--json", "--before", bound))
    assert [row["id"] for row in (*late, *early)] == [row["id"] for row in rows]
    assert len(late) == 2
    nothing = agentview("ls", "--before", "2020")
    assert (nothing.returncode, nothing.stdout) == (0, "")
    assert nothing.stderr == "No session has its last activity in this time.\n"
    refused = agentview("ls", "--after", "2026-13")
    assert refused.returncode == 2
    assert "--after cannot be '2026-13'." in refused.stderr


@pytest.mark.parametrize("columns", [20, 40, 60, 80, 120, 300])
def test_it_keeps_to_the_width(printed: Printed, projects: Path, columns: int):
    wide = [ClaudeLog("4" * 36).prompt("日本語の長いタイトル、とても長い 🎉 " * 5)]
    write(projects / "-x" / f"{'4' * 36}.jsonl", wide)
    lines = printed("ls", COLUMNS=str(columns)).splitlines()
    assert len(lines) == 5
    assert all(cell_len(line) <= columns for line in lines)
    assert all("ID" in lines[0] and "TITLE" in lines[0] for _ in lines)


@pytest.mark.slow
def test_a_title_cannot_act_on_the_terminal(agentview: CommandLine, projects: Path):
    evil = "\x1b]0;owned\x07\x1b[31mred\r\n\u202egnirts \ud83d end"
    log = ClaudeLog("5" * 36)
    write(
        projects / "-x" / f"{'5' * 36}.jsonl",
        [
            json.dumps(json.loads(log.prompt("@@"))).replace("@@", json.dumps(evil)[1:-1]).encode()
            + b"\n"
        ],
    )
    output = agentview.ok("ls")
    assert len(output.splitlines()) == 5
    assert not {"\x1b", "\x07", "\r", "\u202e"} & set(output)
    assert len(json.loads(agentview.ok("ls", "--json"))) == 4


def test_agents_of_a_session_are_not_sessions(agentview: CommandLine, projects: Path):
    agent = conversation(ClaudeLog(THIRD, agent="a1"), 1)
    write(projects / "-home-dev-blog" / THIRD / "subagents" / "agent-a1.jsonl", agent)
    assert len(json.loads(agentview.ok("ls", "--json"))) == 3


def test_totals_are_given_once_a_log_is_indexed(printed: Printed, projects: Path):
    """All in one process: others keep nothing for it once a module has changed meanwhile."""
    assert [row["totals"] for row in json.loads(printed("ls", "--json"))] == [None] * 3
    with SessionCache() as catalogue:
        list(index_sessions([("claude_code", projects)], lambda: False, catalogue))
    for row in json.loads(printed("ls", "--json")):
        totals = row["totals"]
        assert totals["calls"] == {"shell": totals["turns"]}
        assert totals["read_until"] == row["size"]
        assert (totals["tools"], totals["files"]) == (["Bash"], [])
        assert totals["tokens"]["output"] > 0
        assert (totals["cost"], totals["client_cost"]) == (totals["cost_estimate"], None)
        assert totals["cost_source"] == (None if totals["cost"] is None else "estimate")
        assert totals["context_window"] is None or totals["context_window"] > 0


@pytest.mark.slow
def test_logs_that_are_as_they_were_are_not_opened(agentview: CommandLine, projects: Path):
    before = agentview.ok("ls", "--json")
    for path in projects.rglob("*.jsonl"):
        status = path.stat()
        path.write_bytes(b"\n" * status.st_size)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert agentview.ok("ls", "--json") == before
    (listed,) = (agentview.home / ".cache" / "agentview").iterdir()
    listed.unlink()
    assert agentview.ok("ls", "--json") != before


@pytest.mark.slow
@pytest.mark.parametrize("place", ["/proc/none", "/dev/null/cache"])
def test_it_needs_no_cache(agentview: CommandLine, projects: Path, place: str):
    for _ in range(2):
        assert len(json.loads(agentview.ok("ls", "--json", AGENTVIEW_CACHE_DIR=place))) == 3
    assert not (agentview.home / ".cache").exists()


@pytest.mark.slow
def test_every_printed_id_names_one_session(agentview: CommandLine):
    """Ids of Codex are alike in their first ten characters for a minute."""
    folder = agentview.home / ".codex" / "sessions" / "2026" / "11" / "23"
    ids = [f"019aa000-0{number:03x}-7000-8000-{number:012x}" for number in (1, 2, 3, 17, 18)]
    ids.append("119aa000-0001-7000-8000-000000000009")
    for each in ids:
        meta = {"id": each, "timestamp": "2026-11-23T10:00:00.000Z", "cwd": "/home/dev/shop"}
        line = {"timestamp": meta["timestamp"], "type": "session_meta", "payload": meta}
        write(folder / f"rollout-2026-11-23T10-00-00-{each}.jsonl", [json.dumps(line).encode()])
    lines = agentview.ok("ls").splitlines()
    at = lines[0].index("ID")
    printed = [line[at:].split()[0] for line in lines[1:]]
    assert sorted(len(each) for each in printed) == [8, 13, 13, 13, 13, 13]
    for each in printed:
        agentview.ok("cat", each)


def settled_home(root: Path, logs: int, turns: int) -> Path:
    """A home whose logs were written long ago."""
    for number in range(logs):
        session = f"0b5f3a52-6c55-4f0e-9a51-{number:012d}"
        path = root / "-home-dev-shop" / f"{session}.jsonl"
        write(path, conversation(ClaudeLog(session), turns + number, size=900))
        os.utime(path, (1e9 + number, 1e9 + number))
    return root


def indexed(root: Path, provider: str = "claude_code") -> dict[str, Any]:
    """What the catalogue knows by path after all of the home was indexed."""
    with SessionCache() as catalogue:
        list(index_sessions([(provider, root)], lambda: False, catalogue))
        return {facts.info.ref.path: facts for facts in catalogue.read()}


def bytes_read() -> int:
    """Bytes that this process has read so far, from the page cache too."""
    lines = Path("/proc/self/io").read_text("ascii").splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("rchar")))


@pytest.mark.slow
def test_a_home_is_read_once_for_totals_words_and_usage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(tmp_path / "cache"))
    # Imports and prices are read here.
    indexed(settled_home(tmp_path / "other", 1, 1))
    root = settled_home(tmp_path / "projects", 3, 600)
    size = sum(path.stat().st_size for path in root.rglob("*.jsonl"))
    before = bytes_read()
    found = indexed(root)
    # Heads and tails are read too, to know what is a log.
    assert size < bytes_read() - before < 1.6 * size
    assert all(facts.totals is not None and facts.is_current for facts in found.values())

    before = bytes_read()
    refs = [facts.info.ref for facts in found.values() if str(root) in facts.info.ref.path]
    list(build_index(index_path(), refs))
    for ref in refs:
        measure(ref, PriceList())
    assert bytes_read() - before < 0.3 * size

    before = bytes_read()
    indexed(root)
    assert bytes_read() - before < 0.1 * size


@pytest.mark.slow
def test_totals_and_words_are_those_of_scans_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    root = settled_home(tmp_path / "projects", 3, 60)
    monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(tmp_path / "cache"))
    found = indexed(root)
    refs = [facts.info.ref for facts in found.values()]
    index = SearchIndex.open(index_path())
    monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(tmp_path / "other"))
    with writing_alone(index_path(), lambda: False):
        # The library cannot write the index now, and counts all the same.
        assert {path: facts.totals for path, facts in indexed(root).items()} == {
            path: facts.totals for path, facts in found.items()
        }
    list(build_index(index_path(), refs))
    other = SearchIndex.open(index_path())
    assert index is not None
    assert other is not None
    assert index.counts() == other.counts() == (549, 549)
    for line in ("step", "echo", '"is done"', "kind:shell"):
        assert places(line, refs, index) == places(line, refs, other) == places(line, refs)
        assert groups(line, refs, index)[1].directly == 0


def test_a_log_that_grew_is_read_on_for_totals_and_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(tmp_path / "cache"))
    root, log = tmp_path / "projects", ClaudeLog()
    os.utime(write(root / "-a" / f"{SESSION}.jsonl", conversation(log, 300, size=900)), (1e9, 1e9))
    ((path, facts),) = indexed(root).items()
    more = [log.prompt("Look for a quokka"), *conversation(log, 20, size=900, begin=500)]
    with Path(path).open("ab") as file:
        file.write(b"".join(more))
    os.utime(path, (1.1e9, 1.1e9))
    index_path().with_name("catalogue.sqlite").unlink()
    grown = indexed(root)[path]
    assert grown.totals.turns == facts.totals.turns + 21
    index = SearchIndex.open(index_path())
    hits, account = groups("quokka", [grown.info.ref], index)
    assert account.directly == 0
    assert len(hits[path].hits) == 1


@pytest.mark.slow
def test_what_the_person_added_is_listed_and_selects(agentview: CommandLine, projects: Path):
    del projects
    folder = agentview.home / "state"
    file = SessionFile("claude_code", SECOND, folder / "sessions")
    set_star(file, starred=True)
    set_title(file, "Retry \x1b[31mhunt")
    set_note(file, Note(Bookmark("e1"), "why?", 1_790_000_000.0))
    state = str(folder)
    _, row = agentview.ok("ls", "--starred", AGENTVIEW_STATE_DIR=state).splitlines()
    assert SECOND[:8] in row
    assert "★ Retry ␛[31mhunt" in row
    rows = {
        row["id"]: row
        for row in json.loads(agentview.ok("ls", "--json", AGENTVIEW_STATE_DIR=state))
    }
    assert [rows[SECOND][key] for key in ("title", "title_is_own", "starred")] == [
        "Retry \x1b[31mhunt",
        True,
        True,
    ]
    assert rows[SECOND]["notes"] == [
        {"event": "e1", "text": "why?", "at": "2026-09-21T14:13:20.000Z"}
    ]
    assert [rows[THIRD][key] for key in ("title_is_own", "starred", "notes")] == [False, False, []]
    assert agentview("ls", "--starred").stderr.startswith("No session has a star")
