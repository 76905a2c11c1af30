"""All commands say the same of a session in a database or a directory that changes."""

import json
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Protocol

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentview.facts.usage.pricing import PriceList
from agentview.facts.usage.reader import measure
from agentview.providers import load_provider
from agentview.system.paths import sample_sessions_dir
from tests.cli.conftest import CommandLine
from tests.cli.test_ls import indexed
from tests.cli.test_same_totals import killed_while_open
from tests.providers.opencode.store import Store, completed, running

pytestmark = pytest.mark.slow

Totals = tuple[int, int, int | None]
"""Prompts, calls, and tokens of output; None where no record has any."""

Change = tuple[str, int, float | None]
"""The name of a change, its number, and seconds until a screen is killed after it, if at all."""


class ChangingSession(Protocol):
    """A session that a client writes; each change is a method with a number."""

    provider: str
    root: Path
    path: Path

    def totals(self) -> Totals:
        """An independent count."""
        ...


class ChangingDatabase:
    """A database of OpenCode, whose rows are added, written again and removed."""

    provider = "opencode"

    def __init__(self, home: Path) -> None:
        self.root = home / ".local" / "share" / "opencode"
        self._turns = 0
        self._store = Store(self.root / "opencode.db", wal=False)
        self._begin(self._store.path)
        self.path = self._store.log()

    def grow(self, turns: int) -> None:
        """Add turns whose calls run."""
        for _ in range(turns):
            self._turns += 1
            turn = f"{self._turns:05}"
            self._store.message(f"msg_{turn}a", "user")
            self._store.part(f"prt_{turn}a", f"msg_{turn}a", type="text", text=f"Prompt {turn}")
            self._store.message(f"msg_{turn}b", "assistant", modelID="model-1")
            self._store.part(
                f"prt_{turn}b",
                f"msg_{turn}b",
                type="tool",
                tool="bash",
                callID=f"call{turn}",
                state=running("1\n"),
            )

    def end(self, turns: int) -> None:
        """Write the last rows again: calls that have ended, and the tokens of their messages."""
        for number in range(max(1, self._turns - turns), self._turns + 1):
            turn = f"{number:05}"
            tokens = {"input": 7, "output": number, "cache": {"read": 0, "write": 0}}
            data = json.dumps({"role": "assistant", "modelID": "model-1", "tokens": tokens})
            self._store.now += 5
            self._store.run(
                "UPDATE message SET data = ?, time_updated = ? WHERE id = ?",
                data,
                self._store.now,
                f"msg_{turn}b",
            )
            self._store.change(
                f"prt_{turn}b",
                type="tool",
                tool="bash",
                callID=f"call{turn}",
                state=completed("1\n2\n"),
            )

    def cut(self, turns: int) -> None:
        """Remove the rows of the last turns, as going back does."""
        kept = max(1, self._turns - turns)
        self._store.run("DELETE FROM part WHERE id > ?", f"prt_{kept:05}z")
        self._store.run("DELETE FROM message WHERE id > ?", f"msg_{kept:05}z")
        self._turns = kept

    def replace(self, turns: int) -> None:
        """Put another database in its place, with other turns."""
        self._store.close()
        path, other = self._store.path, self._store.path.with_suffix(".new")
        self._begin(other, turns)
        self._store.close()
        other.replace(path)
        self._open(path)

    def vanish(self, turns: int) -> None:
        """Remove the database, and write another one."""
        self._store.close()
        shutil.rmtree(self.root)
        self._begin(self.root / "opencode.db", turns)

    def totals(self) -> Totals:
        """An independent count."""
        with closing(sqlite3.connect(self._store.path)) as database:
            messages = [
                json.loads(data) for (data,) in database.execute("SELECT data FROM message")
            ]
            parts = [json.loads(data) for (data,) in database.execute("SELECT data FROM part")]
        tokens = [each["tokens"]["output"] for each in messages if "tokens" in each]
        return (
            sum(each["role"] == "user" for each in messages),
            sum(each["type"] == "tool" for each in parts),
            sum(tokens) if tokens else None,
        )

    def _open(self, path: Path) -> None:
        now = self._store.now
        self._store = Store(path, wal=False)
        self._store.now = now

    def _begin(self, path: Path, turns: int = 3) -> None:
        self._open(path)
        self._store.session()
        self.grow(turns)
        self.end(turns)


class ChangingDirectory:
    """A conversation of OpenHands: a file for each event, and a state that is written again."""

    provider = "openhands"

    def __init__(self, home: Path) -> None:
        self.root = home / ".openhands" / "conversations"
        self.path = self.root / "0123456789abcdef0123456789abcdef"
        sample = sample_sessions_dir() / "openhands" / "demo.jsonl"
        records = [json.loads(line) for line in sample.read_text("utf-8").splitlines()]
        self._events = json.dumps([each for each in records if "kind" in each])
        (self._state,) = (each for each in records if "kind" not in each)
        self._copies: list[int] = []
        self._next = 0
        self.grow(2)

    def grow(self, copies: int) -> None:
        """Add events, and write the state again."""
        (self.path / "events").mkdir(parents=True, exist_ok=True)
        for copy in range(self._next, self._next + copies):
            text = re.sub(
                r'("(?:id|tool_call_id|action_id)": ")', rf"\g<1>{copy:03}-", self._events
            )
            for number, event in enumerate(json.loads(text)):
                place = f"event-{copy:03}{number:03}-{event['id']}.json"
                (self.path / "events" / place).write_text(json.dumps(event), "utf-8")
        self._copies += range(self._next, self._next + copies)
        self._next += copies
        self._write_state()

    def cut(self, copies: int) -> None:
        """Remove the last events."""
        kept = self._copies[: max(1, len(self._copies) - copies)]
        for copy in self._copies[len(kept) :]:
            for file in (self.path / "events").glob(f"event-{copy:03}*.json"):
                file.unlink()
        self._copies = kept
        self._write_state()

    def vanish(self, copies: int) -> None:
        """Remove the directory, and write another one."""
        shutil.rmtree(self.path)
        self._copies = []
        self.grow(copies)

    def totals(self) -> Totals:
        """An independent count."""
        files = sorted((self.path / "events").iterdir())
        events = [json.loads(file.read_text("utf-8")) for file in files]
        state = json.loads((self.path / "base_state.json").read_text("utf-8"))
        # Those of agents are counted in their own conversations.
        counts = [
            each
            for key, each in state["stats"]["usage_to_metrics"].items()
            if not key.startswith("task:")
        ]
        return (
            sum(each["kind"] == "MessageEvent" and each["source"] == "user" for each in events),
            sum(each["kind"] == "ActionEvent" for each in events),
            sum(each["accumulated_token_usage"]["completion_tokens"] for each in counts),
        )

    def _write_state(self) -> None:
        state: dict[str, Any] = json.loads(json.dumps(self._state))
        for each in state["stats"]["usage_to_metrics"].values():
            usage = each["accumulated_token_usage"]
            usage["completion_tokens"] += len(self._copies)
        (self.path / "base_state.json").write_text(json.dumps(state), "utf-8")


def said_by_library_and_usage(session: ChangingSession, cache: Path) -> set[Totals]:
    """What the library counts, with nothing in its catalogue, and what usage does."""
    for each in cache.glob("catalogue*"):
        each.unlink(missing_ok=True)
    counted = indexed(session.root, session.provider)[str(session.path)].totals
    ref = load_provider(session.provider).session_in(session.path)
    assert ref is not None
    usage = measure(ref, PriceList())
    calls = sum(tool.calls for tool in usage.tools.values())
    return {
        (counted.turns, sum(counted.calls.values()), counted.usage.output),
        (len(usage.turns), calls, usage.own.usage.output),
    }


def said_by_commands(session: ChangingSession, run: CommandLine) -> set[Totals]:
    """What `ls`, `stats` and `events` say; calls once for each id."""
    (row,) = json.loads(run.ok("ls", "--json"))
    totals = row["totals"]
    stats = json.loads(run.ok("stats", "--json", str(session.path)))
    lines = [json.loads(line) for line in run.ok("events", str(session.path)).splitlines()]
    calls = len({line["call_id"] for line in lines if line["type"] == "tool_call"})
    prompts = sum(line["type"] == "user" for line in lines)
    return {
        (totals["turns"], sum(totals["calls"].values()), totals["tokens"]["output"]),
        (stats["turns"], sum(totals["calls"].values()), stats["own"]["output"]),
        (prompts, calls, stats["own"]["output"]),
    }


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (ChangingDatabase, ("grow", "end", "cut", "replace", "vanish")),
        (ChangingDirectory, ("grow", "cut", "vanish")),
    ],
)
@settings(max_examples=3)
@given(data=st.data())
def test_all_say_the_same_of_a_session_whose_records_change(
    make: Callable[[Path], ChangingSession], names: tuple[str, ...], data: st.DataObject
):
    change = st.tuples(
        st.sampled_from(names), st.integers(1, 12), st.one_of(st.none(), st.floats(0.0, 3.0))
    )
    all_say_the_same(make, data.draw(st.lists(change, min_size=3, max_size=3)))


def test_tokens_of_a_session_without_messages_are_unknown_everywhere():
    all_say_the_same(ChangingDatabase, [("grow", 1, None), ("replace", 1, None), ("cut", 1, None)])


def all_say_the_same(make: Callable[[Path], ChangingSession], changes: Sequence[Change]) -> None:
    with tempfile.TemporaryDirectory() as place, pytest.MonkeyPatch.context() as monkeypatch:
        home, cache = Path(place) / "home", Path(place) / "cache"
        monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(cache))
        session = make(home)
        assert said_by_library_and_usage(session, cache) == {session.totals()}
        for name, number, after in changes:
            getattr(session, name)(number)
            if after is not None:
                killed_while_open(session.path, home, cache, after)
            for _ in range(2):
                assert said_by_library_and_usage(session, cache) == {session.totals()}, changes
        run = CommandLine(home, home, {"AGENTVIEW_CACHE_DIR": str(cache)})
        assert said_by_commands(session, run) == {session.totals()}
