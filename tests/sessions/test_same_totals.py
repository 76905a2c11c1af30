"""All surfaces say the same of each session of a home whose logs change, whatever is killed."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolKind
from agentview.facts.usage.estimate import Estimate
from agentview.facts.usage.pricing import PriceList
from agentview.facts.usage.reader import SessionUsageReader, measure
from agentview.facts.usage.report import UsageSums
from agentview.providers import load_provider
from agentview.providers.session_logs import session_logs
from agentview.sessions.following.live_session import LiveSession
from agentview.sessions.library.live_list import WithState, with_states
from agentview.sessions.library.usage_rollup import figures_of
from agentview.sessions.targets import session_query
from agentview.sessions.targets.known_totals import with_current_totals
from agentview.sessions.targets.session_query import all_sessions
from tests.patience import PATIENCE
from tests.sessions.library.test_sample_home import places

PRICES = PriceList()
STEPS, CHANGED, KILLED = 10, 2, 2
"""Rounds of changes, logs that change in each, and how many runs are killed."""

Said = tuple[int | None, object, int]
"""Tokens, cost, and calls; of the session with its agents."""


class Home:
    """Logs that grow, are cut, rewritten, and vanish; each has at most the lines of a sample."""

    def __init__(self, home: Path, random: Random) -> None:
        # Later than all records: no agent begins after the last write of its session.
        self._random, self._time = random, 1_795_400_000.0
        for _, source, target in places(home):
            target.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
        # Of two copies of a session, both could have its agents.
        (home / ".claude/projects/-home-dev-shop/tools.jsonl").unlink()
        self._lines = {
            path: path.read_bytes().splitlines(keepends=True)
            for path in sorted(home.rglob("*.jsonl"))
            if path.stat().st_size
        }
        for path in self._lines:
            self._settle(path)

    def change(self) -> str:
        """Change one of the logs."""
        path = self._random.choice(sorted(self._lines))
        lines, change = self._lines[path], self._random.choice(("grow", "cut", "other", "vanish"))
        if change == "vanish" and path.exists():
            path.unlink()
            return f"{change} {path}"
        if change == "cut" and path.exists():
            os.truncate(path, self._random.randrange(path.stat().st_size + 1))
        elif change == "other":
            path.write_bytes(b"".join(lines[: self._random.randrange(len(lines)) + 1]))
        else:
            self._grow(path, lines)
        self._settle(path)
        return f"{change} {path}"

    def _grow(self, path: Path, lines: Sequence[bytes]) -> None:
        if not path.exists() or path.read_bytes() == b"".join(lines):
            path.write_bytes(lines[0])
            return
        known = path.stat().st_size
        with path.open("ab") as file:
            file.write(b"".join(lines)[known : known + 4_000])

    def _settle(self, path: Path) -> None:
        """Let it look as if it was written long ago, as what is kept is."""
        self._time += 10
        os.utime(path, (self._time, self._time))


def by_stats(usage: UsageSums) -> Said:
    calls = sum(tool.calls for tool in usage.tools.values())
    return usage.total.tokens, rounded(usage.cost.shown), calls


def by_list(each: WithState) -> Said:
    figures = figures_of(each.facts, each.agents)
    return figures.tokens, rounded(figures.cost.shown), figures.calls or 0


async def by_header(ref: SessionRef) -> Said:
    """What an open session says, once all of it was read."""
    provider = load_provider(ref.provider)
    agents = session_logs(provider.discovery, ref)[1:]
    session = LiveSession(provider, ref)
    session.open()
    session.start()
    try:
        async with asyncio.timeout(PATIENCE):
            while True:
                opened = [session.agent(agent.stream) for agent in agents]
                logs = [session, *(each for each in opened if each is not None)]
                if len(logs) > len(agents) and all(each.log.progress >= 1.0 for each in logs):
                    break
                await asyncio.sleep(0.005)
        header = session.header()
    finally:
        session.close()
    tiers = {tier for part in header.spent for tier, _ in part}
    price = Estimate({tier: PRICES.rates(tier) for tier in tiers})(header.spent)
    estimate = None if price is None else price.cost
    calls = sum(each.store.summary.count(*ToolKind) for each in logs)
    cost = estimate if header.cost is None else header.cost
    return header.usage.context, rounded(cost), calls


def rounded(cost: float | None) -> float | None:
    """A cost as it is added up in any order."""
    return None if cost is None else float(f"{cost:.9g}")


def killed(home: Path, random: Random) -> None:
    """Count all of the home in another process, and kill that at some moment."""
    command = [sys.executable, "-m", "agentview", "stats", "--json"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=home) as counting:
        time.sleep(random.uniform(0.1, 1.0))
        counting.send_signal(signal.SIGKILL)


@pytest.mark.parametrize("seed", [1])
async def test_all_surfaces_say_the_same_while_logs_change(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    random, home = Random(seed), tmp_path / "home"  # noqa: S311
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(tmp_path / "cache"))
    session_query.catalogue.cache_clear()
    logs, followed = Home(home, random), dict[str, SessionUsageReader]()
    kills = set(random.sample(range(STEPS), KILLED))
    for step in range(STEPS):
        done = [logs.change() for _ in range(CHANGED)]
        if step in kills:
            killed(home, random)
        # First with what was kept of the logs before, then with what is kept of them now.
        found, again = listed(), listed()
        assert {path: by_list(each) for path, each in again.items()} == {
            path: by_list(each) for path, each in found.items()
        }, done
        followed = {path: meter for path, meter in followed.items() if path in found}
        for path, each in found.items():
            ref = each.facts.info.ref
            meter = followed.setdefault(path, SessionUsageReader(ref, PRICES))
            meter.poll(over=True)
            said = by_list(each)
            assert by_stats(measure(ref, PRICES)) == said, (path, done)
            assert by_stats(meter.usage()) == said, (path, done)
        for path in random.sample(sorted(found), 3):
            assert await by_header(found[path].facts.info.ref) == by_list(found[path]), (path, done)
    session_query.catalogue.cache_clear()


def listed() -> dict[str, WithState]:
    """The sessions of `ls`, `status` and the library, with totals."""
    states = with_states(all_sessions(), time.time())
    return {each.facts.info.ref.path: each for each in with_current_totals(states)}
