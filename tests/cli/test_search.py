"""`agentview search`, run as a process over a home of its own."""

import json
import os
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agentview.cli import main
from agentview.domain.annotations import Bookmark, Note
from agentview.sessions.annotations.notes import set_note
from agentview.sessions.annotations.session_file import SessionFile
from agentview.sessions.annotations.session_marks import set_title
from tests.claude_log import ClaudeLog, conversation, write
from tests.patience import PATIENCE


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with three sessions, the newest first: retries, the shop, an agent of the shop."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    folder = tmp_path / ".claude" / "projects" / "-home-dev-shop"
    one = ClaudeLog("11111111-0000-4000-8000-000000000001")
    write(
        folder / f"{one.session}.jsonl",
        [
            one.prompt("Please fix the exponential backoff"),
            one.call("c1", "Bash", command="pytest -k test_retry_cap"),
            one.result("c1", "1 failed \x1b[31mRetryError\x1b[0m"),
            one.text("The backoff has a cap now"),
        ],
    )
    two = ClaudeLog("22222222-0000-4000-8000-000000000002")
    path = write(folder / f"{two.session}.jsonl", conversation(two, 30))
    os.utime(path, (1e9, 1e9))
    return tmp_path


def run(*arguments: str) -> int:
    return main(["search", *arguments])


def test_hits_stand_below_their_session(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("backoff") == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[0].startswith("claude_code:11111111-0000-4000-8000-000000000001  Please fix")
    assert [line.split()[2:5] for line in lines[1:]] == [
        ["message", "The", "backoff"],
        ["user", "Please", "fix"],
    ]
    assert err == ""


def test_nothing_found_is_said(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("quokka") == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("Nothing found in 2 sessions.\n")
    assert "'*word' searches inside words" in err


@pytest.mark.slow
def test_the_index_finds_the_same(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for line in ("step 7", "backoff", "kind:shell", "retry project:shop", "regex:/x{40}/"):
        texts: list[str] = []
        for flag in ("--no-index", "--index", "--limit=0"):
            assert run(line, flag) == 0
            texts.append(capsys.readouterr().out)
        assert len(set(texts)) == 1, line
    assert list((home / "cache").glob("search-*.sqlite"))


def test_what_is_left_out_is_counted(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("step", "--limit", "3", "--per-session", "2") == 0
    assert "… 58 more in this session" in capsys.readouterr().out
    assert run("step", "--limit", "3") == 0
    out, err = capsys.readouterr()
    assert len([line for line in out.splitlines() if "tep" in line and "more" not in line]) >= 3
    assert err == "Stopped at 3 matches; --limit 0 shows all.\n"


def test_json(home: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run("--json", "RetryError") == 0
    (row,) = json.loads(capfdbinary.readouterr().out)
    assert row["id"] == "11111111-0000-4000-8000-000000000001"
    assert (row["kind"], row["in"], row["event"]) == ("shell", "result", 0)
    log = Path(row["path"]).read_bytes()
    assert b"pytest -k" in log[row["offset"] :].splitlines()[0]
    assert [row["text"][start:end] for start, end in row["ranges"]] == ["RetryError"]
    assert "\x1b" not in row["text"]
    assert row["project"] == "/home/dev/shop"
    assert run("--json", "quokka") == 1
    assert json.loads(capfdbinary.readouterr().out) == []


def test_a_secret_is_masked_before_its_text_is_cut(
    home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    log = ClaudeLog("44444444-0000-4000-8000-000000000004")
    secret = "a1B2" * 30
    folder = home / ".claude" / "projects" / "-home-dev-shop"
    write(folder / f"{log.session}.jsonl", [log.prompt(f"sk-ant-api03-{secret} needle")])
    for arguments in (["--json"], []):
        assert run("--mask", "--no-index", *arguments, "needle") == 0
        out, _ = capfd.readouterr()
        assert "needle" in out
        assert "a1B2" not in out
    assert run("--no-index", "needle") == 0
    assert "a1B2" in capfd.readouterr().out


def test_hits_on_an_abandoned_branch_are_marked(
    home: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    log = ClaudeLog("33333333-0000-4000-8000-000000000003")
    records = [log.prompt("Look for a walrus"), log.text("No walrus here")]
    fork = log.last
    records += [log.prompt("Is it a tame walrus"), log.text("A tame walrus")]
    path = home / ".claude" / "projects" / "-home-dev-shop" / f"{log.session}.jsonl"
    write(path, records)

    def abandoned() -> dict[str, bool | None]:
        assert run("--json", "walrus") == 0
        rows = json.loads(capfdbinary.readouterr().out)
        return {row["text"]: row["abandoned"] for row in rows}

    assert set(abandoned().values()) == {False}
    log.last = fork
    write(path, [*records, log.prompt("Is it a wild walrus"), log.text("A wild walrus")])
    assert {text for text, left in abandoned().items() if left} == {
        "Is it a tame walrus",
        "A tame walrus",
    }
    assert run("walrus") == 0
    lines = capfdbinary.readouterr().out.decode().splitlines()
    assert [line.split()[3:] for line in lines if "abandoned" in line] == [
        ["abandoned", "A", "tame", "walrus"],
        ["abandoned", "Is", "it", "a", "tame", "walrus"],
    ]


@pytest.mark.parametrize(
    ("arguments", "count"),
    [
        (["fix", "exponential backoff"], 1),
        (["exponential fix"], 1),
        (["fix", "backoff exponential"], 0),
        (["backoff -fix"], 1),
        (["--", "backoff", "-fix"], 1),
        (["backoff", "--provider", "codex"], 0),
        (["backoff", "--project", "shop"], 2),
        (["backoff", "--project", "other"], 0),
        (["backoff project:other"], 0),
        (["in:command", "retry"], 1),
        (["step", "after:2020-01-01"], 60),
        (["step", "before:2020-01-01"], 0),
    ],
)
def test_queries(
    home: Path, arguments: list[str], count: int, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert run("--json", "--per-session=0", *arguments) == (0 if count else 1)
    assert len(json.loads(capfdbinary.readouterr().out)) == count


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("* -", "There is nothing to search for."),
        ("regex:/(/", "invalid regular expression: (: missing ) at position 1"),
        ("kind:shxl", 'unknown kind "shxl"; valid kinds: read, write'),
        ("cost:much retry", "invalid filter: cost:much"),
        ("stream:main", "invalid filter: stream:main: it selects activities of one session"),
        ("x" * 100_000, "query too long: at most 4,096 characters"),
    ],
)
def test_what_cannot_be_looked_for(
    home: Path, line: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(line) == 2
    assert capsys.readouterr().err.startswith(f"agentview: {said}")


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("tag:retry", ["11111111"]),
        ("client:claude_code", ["22222222", "11111111"]),
        ("-tag:retry project:shop", ["22222222"]),
        ("tag:shop", []),
    ],
)
def test_filters_of_sessions_alone_list_the_sessions(
    home: Path, line: str, found: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tag", "11111111", "retry"]) == 0
    capsys.readouterr()
    assert run(line) == (0 if found else 1)
    out, err = capsys.readouterr()
    assert [each.split(":")[1][:8] for each in out.splitlines()] == found
    said = "No session matches; 'agentview help query' describes filters.\n"
    assert err == ("" if found else said)
    run("--json", line)
    rows = json.loads(capsys.readouterr().out)
    assert [(row["id"][:8], row["kind"]) for row in rows] == [(each, "title") for each in found]


def test_bold_type_is_for_terminals(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert run("RetryError") == 0
    assert "\x1b[1mRetryError\x1b[0m" in capsys.readouterr().out
    monkeypatch.setenv("NO_COLOR", "1")
    assert run("RetryError") == 0
    assert "\x1b" not in capsys.readouterr().out


def test_an_index_that_cannot_be_written_is_done_without(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "file").write_text("no directory")
    monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(home / "file"))
    assert run("--index", "backoff") == 0
    out, err = capsys.readouterr()
    assert "backoff" in out
    assert err.startswith("agentview: the index cannot be brought up to date: ")


@pytest.mark.slow
def test_it_ends_when_it_is_interrupted(home: Path) -> None:
    folder = home / ".claude" / "projects" / "-home-dev-shop"
    log = ClaudeLog("33333333-0000-4000-8000-000000000003")
    older = [record.replace(b"2026-", b"2025-") for record in conversation(log, 13_500)]
    write(folder / f"{log.session}.jsonl", older)
    process = subprocess.Popen(
        [sys.executable, "-m", "agentview", "search", "--no-index", "exponential kind:user"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    # The newest session is told of before the long one is read.
    assert b"11111111" in process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (130, b"")


@pytest.mark.parametrize("index", [[], ["--index"], ["--no-index"]])
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("okapi", True), ("*kap", True), ("title:okapi", True), ("okapi project:shop", True),
        ("okapi project:other", False), ("okapi is:titled", True), ("okapi kind:user", False),
        ("okapi state:error", False), ("title:okapi zebra", False),
    ],
)  # fmt: skip
def test_a_title_that_its_person_gave_is_found(
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    query: str,
    found: bool,
    index: list[str],
) -> None:
    monkeypatch.setenv("AGENTVIEW_STATE_DIR", str(home / "state"))
    session = "22222222-0000-4000-8000-000000000002"
    set_title(SessionFile("claude_code", session), "Feed the okapi")
    assert run("--json", *index, query) == (0 if found else 1)
    rows = json.loads(capsys.readouterr().out or "[]")
    assert [row["id"] for row in rows] == ([session] if found else [])
    for row in rows:
        assert (row["kind"], row["in"], row["abandoned"]) == ("title", "title", False)
        assert (row["offset"], row["event"], row["time"]) == (None, None, None)
        assert row["text"] == row["title"] == "Feed the okapi"
        assert [row["text"][a:b] in ("okapi", "kap") for a, b in row["ranges"]] == [True]


def note(home: Path, text: str, at: int = 1) -> None:
    """Write a note of the person at a record of the first session."""
    session = "11111111-0000-4000-8000-000000000001"
    log = home / ".claude" / "projects" / "-home-dev-shop" / f"{session}.jsonl"
    offset = sum(map(len, log.read_bytes().splitlines(keepends=True)[:at]))
    file = SessionFile("claude_code", session)
    set_note(file, Note(Bookmark(f"event{at}", "", offset, 0), text, 1_795_000_000.0))


@pytest.fixture
def noted(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same home, where the person wrote notes at two records of the first session."""
    monkeypatch.setenv("AGENTVIEW_STATE_DIR", str(home / "state"))
    note(home, "ask Ada about the quagga first")
    note(home, "wrong: see \x1b[31mthe cap", 3)
    return home


@pytest.mark.parametrize("query", ["quagga", "note:quagga", "Ada quagga", "regex:/quag+a/"])
@pytest.mark.parametrize("index", [[], ["--index"], ["--no-index"]])
def test_notes_are_found(
    noted: Path, capsys: pytest.CaptureFixture[str], query: str, index: list[str]
) -> None:
    assert run("--json", *index, query) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["kind"], row["in"]) == ("note", "note")
    assert row["text"] == "ask Ada about the quagga first"
    (span,) = [span for span in row["ranges"] if row["text"][span[0] : span[1]] == "quagga"]
    log = Path(row["path"]).read_bytes()
    assert b"test_retry_cap" in log[row["offset"] :].partition(b"\n")[0]
    assert span[0] > 0
    assert row["time"].startswith("2026-11-18T")


def test_notes_stand_among_the_other_hits(noted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A word in a message and in a note; a note is cleaned like everything else."""
    assert run("cap") == 0
    out = capsys.readouterr().out
    kinds = [line[15:].split()[0] for line in out.splitlines()[1:]]
    assert sorted(kinds) == ["message", "note", "shell"]
    assert "\x1b" not in out
    assert "wrong: see the cap" in out


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("in:message quagga", 1), ("kind:shell quagga", 1), ("note:zebra", 1), ("-quagga cap", 0),
        ("note:quagga backoff", 0), ("note:quagga zebra", 1), ("note:", 2),
    ],
)  # fmt: skip
def test_what_asks_for_an_activity_finds_no_note(
    noted: Path, capsys: pytest.CaptureFixture[str], query: str, found: int
) -> None:
    assert run("--json", query) == found
    out = capsys.readouterr().out
    rows: list[dict[str, str]] = json.loads(out or "[]")
    assert not any("quagga" in row["text"] for row in rows)


def _times(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[tuple[str, str]]:
    """Kinds and times of the matches of a search as JSON."""
    run("--json", "--limit", "0", "--per-session", "0", *arguments)
    rows = json.loads(capsys.readouterr().out)
    return [(row["kind"], row["time"]) for row in rows if row["id"].startswith("1111")]


@pytest.mark.parametrize("index", ["--index", "--no-index"])
@pytest.mark.parametrize("rank", [(), ("--sort", "rank")])
def test_only_matches_of_a_time_are_found(
    home: Path, capsys: pytest.CaptureFixture[str], index: str, rank: tuple[str, ...]
) -> None:
    asked = (index, *rank, "backoff")
    (message, said), (user, asked_at) = _times(capsys, *asked)
    assert (message, user) == ("message", "user")
    assert _times(capsys, *asked, "--after", said) == [("message", said)]
    assert _times(capsys, *asked, "--before", said) == [("user", asked_at)]
    assert _times(capsys, *asked, "--after", asked_at, "--before", said) == [("user", asked_at)]
    assert _times(capsys, *asked, "--before", asked_at) == []
    # What is not shown counts only if it is of that time.
    assert run("--per-session", "1", *asked, "--after", asked_at, "--before", said) == 0
    assert "more in this session" not in capsys.readouterr().out


def test_notes_and_titles_are_of_a_time_too(
    noted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = datetime.fromtimestamp(1_795_000_000, UTC)
    later = (made + timedelta(seconds=1)).isoformat()
    assert _times(capsys, "quagga", "--before", later) == [("note", "2026-11-18T11:06:40.000Z")]
    assert _times(capsys, "quagga", "--after", later) == []
    found = [kind for kind, _ in _times(capsys, "title:backoff")]
    assert found == ["title"]
    assert _times(capsys, "title:backoff", "--after", "2026-11-22") == []


def test_times_of_a_search_are_checked(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("backoff", "--after", "soon") == 2
    assert "--after cannot be 'soon'" in capsys.readouterr().err
