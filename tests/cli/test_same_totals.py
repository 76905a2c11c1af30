"""All commands say the same of a log that changes, first and from what is kept, after any kill."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentview.facts.kept import indexed_log
from agentview.facts.usage.pricing import PriceList
from agentview.facts.usage.reader import measure
from agentview.providers import load_provider
from agentview.system.paths import sample_sessions_dir
from tests.claude_log import SESSION, ClaudeLog, conversation, write
from tests.cli.conftest import CommandLine
from tests.cli.pseudo_terminal import PseudoTerminal
from tests.cli.test_ls import indexed

pytestmark = pytest.mark.slow

Totals = tuple[int, int, int]
"""Prompts, calls, and tokens of output."""

_INDEXING = """
import sys
from pathlib import Path
from tests.cli.test_ls import indexed
print("ready", flush=True)
while True:
    indexed(Path(sys.argv[1]))
    for each in Path(sys.argv[2]).glob("catalogue*"):
        each.unlink(missing_ok=True)
"""


class ChangingLog:
    """A log of Claude Code that grows, shrinks, is replaced and vanishes."""

    def __init__(self, home: Path) -> None:
        self.projects = home / ".claude" / "projects"
        self.path = self.projects / "-home-dev-shop" / f"{SESSION}.jsonl"
        self._log = ClaudeLog()
        self._turns = 0
        self._time = 1e9
        self.begin_again()

    def records(self) -> list[dict[str, Any]]:
        """What the whole lines of the log say, read without the program."""
        found: list[dict[str, Any]] = []
        for line in self.path.read_bytes().splitlines() if self.path.exists() else ():
            try:
                found.append(json.loads(line))
            except ValueError:
                continue
        return found

    def totals(self) -> Totals:
        """An independent count."""
        prompts = calls = output = 0
        for record in self.records():
            message = record["message"]
            if record["type"] == "user":
                prompts += isinstance(message["content"], str)
                continue
            output += message["usage"]["output_tokens"]
            calls += sum(block["type"] == "tool_use" for block in message["content"])
        return prompts, calls, output

    def grow(self, turns: int) -> None:
        records = self.records()
        self._log.last = records[-1]["uuid"] if records else None
        self.path.parent.mkdir(parents=True, exist_ok=True)
        whole = not self.path.exists() or self.path.read_bytes().endswith(b"\n")
        with self.path.open("ab") as file:
            file.write((b"" if whole else b"\n") + self._more(turns))

    def cut(self, turns: int) -> None:
        if self.path.exists():
            size = self.path.stat().st_size
            os.truncate(self.path, max(size // 2, size - 1_000 * turns))

    def replace(self, turns: int) -> None:
        other = self.path.with_suffix(".new")
        self._log.last = None
        other.write_bytes(self._more(turns + 40)) if self.path.parent.is_dir() else None
        other.replace(self.path)

    def rewrite(self, turns: int) -> None:
        self._log.last = None
        write(self.path, [self._more(turns + 60)])

    def vanish(self, _turns: int) -> None:
        self.path.unlink(missing_ok=True)

    def begin_again(self) -> None:
        self._log.last = None
        write(self.path, [self._more(100)])
        self.settle()

    def settle(self) -> None:
        """Let it look as if it was written long ago."""
        self._time += 10
        if self.path.exists():
            os.utime(self.path, (self._time, self._time))

    def _more(self, turns: int) -> bytes:
        self._turns += turns
        begin = self._turns - turns
        return b"".join(conversation(self._log, turns, size=900, begin=begin))


def of_library(log: ChangingLog, cache: Path) -> Totals:
    """What the library counts, with nothing in its catalogue."""
    for each in cache.glob("catalogue*"):
        each.unlink(missing_ok=True)
    totals = indexed(log.projects)[str(log.path)].totals
    return totals.turns, sum(totals.calls.values()), totals.usage.output


def of_usage(log: ChangingLog) -> Totals:
    usage = measure(load_provider("claude_code").discovery.ref(log.path), PriceList())
    calls = sum(tool.calls for tool in usage.tools.values())
    return len(usage.turns), calls, usage.own.usage.output or 0


def of_commands(log: ChangingLog, run: CommandLine) -> set[Totals]:
    """What `ls`, `stats` and `events` say."""
    (row,) = json.loads(run.ok("ls", "--json"))
    totals = row["totals"]
    stats = json.loads(run.ok("stats", "--json", str(log.path)))
    lines = [json.loads(line) for line in run.ok("events", str(log.path)).splitlines()]
    kinds = [line["type"] for line in lines]
    output = sum(x["usage"]["output"] for x in lines if x["type"] == "token_usage")
    return {
        (totals["turns"], sum(totals["calls"].values()), totals["tokens"]["output"]),
        (stats["turns"], totals["calls"]["shell"], stats["own"]["output"]),
        (kinds.count("user"), kinds.count("tool_call"), output),
    }


def killed_while_indexing(log: ChangingLog, cache: Path, after: float) -> None:
    """Index the home in another process, and kill that at some moment."""
    command = [sys.executable, "-c", _INDEXING, str(log.projects), str(cache)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as indexer:
        assert indexer.stdout is not None
        assert indexer.stdout.readline() == b"ready\n"
        time.sleep(after)
        indexer.send_signal(signal.SIGKILL)


CHANGES = st.lists(
    st.tuples(
        st.sampled_from(("grow", "grow", "cut", "replace", "rewrite", "vanish")),
        st.integers(1, 120),
        st.one_of(st.none(), st.floats(0.0, 0.3)),
    ),
    min_size=2,
    max_size=5,
)


@settings(max_examples=5)
@given(changes=CHANGES)
def test_all_say_the_same_of_a_log_that_changes(
    changes: list[tuple[str, int, float | None]], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(indexed_log, "LEAST", 0)
    monkeypatch.setattr(indexed_log, "_LEAST_ADDED", 1)
    with tempfile.TemporaryDirectory() as place:
        home, cache = Path(place) / "home", Path(place) / "cache"
        monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(cache))
        log = ChangingLog(home)
        for change, turns, after in changes:
            getattr(log, change)(turns)
            log.settle()
            if after is not None:
                killed_while_indexing(log, cache, after)
            if not log.path.exists():
                assert not indexed(log.projects) or change == "vanish"
                log.begin_again()
            for _ in range(2):
                assert of_library(log, cache) == log.totals(), changes
                assert of_usage(log) == log.totals(), changes
        run = CommandLine(home, home, {"AGENTVIEW_CACHE_DIR": str(cache)})
        assert of_commands(log, run) == {log.totals()}


class ChangingDocument:
    """A document of Gemini CLI, which is written as a whole each time."""

    def __init__(self, home: Path) -> None:
        self.root = home / ".gemini" / "tmp"
        self.path = self.root / "abc" / "chats" / "session-2026-11-21T00-00-document.json"
        sample = sample_sessions_dir() / "gemini_cli" / "document.json"
        self._document = json.loads(sample.read_bytes())
        self._text = json.dumps(self._document["messages"])
        self._copies = list(range(3))
        self._next, self._time = 3, 1e9
        self._write(self.path)

    def grow(self, copies: int) -> None:
        """Add to the end."""
        self._copies += range(self._next, self._next + copies)
        self._next += copies
        self._write(self.path)

    def cut(self, copies: int) -> None:
        """Drop some of the end, as going back does."""
        del self._copies[max(1, len(self._copies) - copies) :]
        self._write(self.path)

    def replace(self, copies: int) -> None:
        """Put another file in its place, with other messages."""
        self._copies = list(range(self._next, self._next + copies))
        self._next += copies
        self._write(self.path.with_suffix(".new"))
        self.path.with_suffix(".new").replace(self.path)

    def vanish(self, _copies: int) -> None:
        self.path.unlink()

    def totals(self) -> Totals:
        """An independent count."""
        messages = json.loads(self.path.read_bytes())["messages"]
        said = [each["content"] for each in messages if each["type"] == "user"]
        return (
            sum(not text.startswith("[Function Response") for text in said),
            sum(
                call["name"] != "update_topic"
                for each in messages
                for call in each.get("toolCalls", ())
            ),
            sum(each.get("tokens", {}).get("output", 0) for each in messages),
        )

    def _write(self, path: Path) -> None:
        self._document["messages"] = [
            message
            for copy in self._copies
            for message in json.loads(self._text.replace('"id": "', f'"id": "{copy}-'))
        ]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(self._document))
        self._time += 10
        os.utime(path, (self._time, self._time))


def killed_while_open(path: Path, home: Path, cache: Path, after: float) -> None:
    """Open a session on the screen, and kill that at some moment."""
    environment = {**os.environ, "HOME": str(home), "AGENTVIEW_CACHE_DIR": str(cache)}
    command = [sys.executable, "-m", "agentview", "open", str(path)]
    with PseudoTerminal(command, environment, home, screen=False) as terminal:
        terminal.run_for(after)
        os.kill(terminal.pid, signal.SIGKILL)
        terminal.wait()


@settings(max_examples=2)
@given(
    changes=st.lists(
        st.tuples(
            st.sampled_from(("grow", "cut", "replace", "vanish")),
            st.integers(1, 6),
            st.one_of(st.none(), st.floats(0.0, 4.0)),
        ),
        min_size=2,
        max_size=2,
    )
)
def test_all_say_the_same_of_a_document_whose_screen_is_killed(
    changes: list[tuple[str, int, float | None]],
):
    with tempfile.TemporaryDirectory() as place, pytest.MonkeyPatch.context() as monkeypatch:
        home, cache = Path(place) / "home", Path(place) / "cache"
        monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(cache))
        log = ChangingDocument(home)
        for change, copies, after in changes:
            getattr(log, change)(copies)
            if not log.path.exists():
                log.grow(copies)
            if after is not None:
                killed_while_open(log.path, home, cache, after)
            for _ in range(2):
                for each in cache.glob("catalogue*"):
                    each.unlink(missing_ok=True)
                counted = indexed(log.root, "gemini_cli")[str(log.path)].totals
                calls = sum(counted.calls.values())
                assert (counted.turns, calls, counted.usage.output) == log.totals(), changes
                ref = load_provider("gemini_cli").discovery.ref(log.path)
                usage = measure(ref, PriceList())
                calls = sum(tool.calls for tool in usage.tools.values())
                output = usage.own.usage.output
                assert (len(usage.turns), calls, output) == log.totals(), changes
