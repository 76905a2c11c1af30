"""What sessions used is what their logs say, whether these are read or known from before."""

import os
import shutil
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import astuple

from agentview.domain.period import ALL_TIME, Period
from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError
from agentview.facts.kept.facts_db import facts_path
from agentview.facts.kept.index_file import index_folder
from agentview.facts.usage import kept_usage
from agentview.facts.usage.claims import ResponseDedupe
from agentview.facts.usage.group_by import GroupKey, Totals
from agentview.facts.usage.pricing import PriceList
from agentview.facts.usage.reader import measure
from agentview.facts.usage.report import UsageSums
from agentview.providers import load_provider
from agentview.sessions.library import log_totals
from agentview.sessions.library.cache_db import SessionCache
from agentview.sessions.library.counted_sessions import CountedSessions
from agentview.sessions.library.log_totals import LogCounts, totals_of_log
from agentview.sessions.library.scan.indexer import index_sessions
from agentview.system.paths import sample_sessions_dir
from tests.facts.kept.test_unchanged_logs import age, opened_below

PRICES = PriceList()


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Sessions with agents and branches, one that was copied, of files and in a database."""
    home = tmp_path / "logs"
    for name in ("claude_code", "codex", "gemini_cli", "opencode"):
        shutil.copytree(sample_sessions_dir() / name, home / name)
    claude = home / "claude_code"
    shutil.copy(claude / "forked.jsonl", claude / f"{'2' * 8}-2222-4222-8222-{'2' * 12}.jsonl")
    for path in home.rglob("*"):
        age(path)
    return home


def sessions(home: Path) -> list[SessionRef]:
    found: list[SessionRef] = []
    for folder in sorted(home.iterdir()):
        found += load_provider(folder.name).scan(folder)
    assert found
    return [ref for ref in found if ref.parent_id is None and ref.fault is None]


def counted(
    refs: Sequence[SessionRef], *, agents: bool = True, period: Period = ALL_TIME
) -> list[UsageSums]:
    with SessionCache() as catalogue:
        counts = CountedSessions(refs, catalogue, agents=agents, period=period)
        found = [counts.count(ref) for ref in refs]
        counts.keep()
    return found


def measured(
    refs: Sequence[SessionRef], *, agents: bool = True, period: Period = ALL_TIME
) -> list[tuple[object, ...]]:
    """The same by reading each log as one that is open is read."""
    claims = ResponseDedupe()
    each = (
        measure(ref, PRICES, claims.of(ref.provider), agents=agents, period=period) for ref in refs
    )
    return [astuple(usage)[: len(UsageSums.__struct_fields__)] for usage in each]


@pytest.mark.parametrize("agents", [True, False])
def test_sessions_count_the_same_read_or_kept(home: Path, *, agents: bool):
    refs = sessions(home)
    expected = measured(refs, agents=agents)
    assert [astuple(each) for each in counted(refs, agents=agents)] == expected
    assert not index_folder().exists()
    with opened_below(home) as opened:
        assert [astuple(each) for each in counted(refs, agents=agents)] == expected
    assert not {ref.path for ref in refs} & {*opened}
    # In another order other logs count what several have.
    backwards = measured(refs[::-1], agents=agents)
    assert [astuple(each) for each in counted(refs[::-1], agents=agents)] == backwards
    assert [each[1] for each in backwards] != [each[1] for each in expected[::-1]]


@pytest.mark.parametrize("agents", [True, False])
def test_a_log_is_read_for_a_period_only_if_a_part_of_it_is_in_it(home: Path, *, agents: bool):
    refs = sessions(home)
    whole = counted(refs, agents=agents)
    bounds = sorted(time for each in whole for time in (each.started, each.ended) if time)
    early, late = bounds[len(bounds) // 3], bounds[2 * len(bounds) // 3]
    for period in (Period(None, early), Period(early, late), Period(late, None)):
        expected = measured(refs, agents=agents, period=period)
        with opened_below(home) as opened:
            found = counted(refs, agents=agents, period=period)
        assert [astuple(each) for each in found] == expected
        assert {each.is_inside for each in found} == {True, False}
        assert len({ref.path for ref in refs} & {*opened}) < len(refs) / 2
        for ref, each, part in zip(refs, whole, found, strict=True):
            cut = part.is_inside and part.total.responses < each.total.responses
            assert not cut or {ref.path, *each.agent_paths} & {*opened}


def test_a_long_log_whose_responses_others_count_is_read_again(
    home: Path, monkeypatch: pytest.MonkeyPatch
):
    refs = sessions(home)
    monkeypatch.setattr(log_totals, "_HELD", 0)
    assert [astuple(each) for each in counted(refs)] == measured(refs)


def test_only_logs_that_changed_are_read(home: Path):
    refs = sessions(home)
    counted(refs)
    path = home / "claude_code" / "classic.jsonl"
    other = path.read_bytes().replace(b'"input_tokens":', b'"input_tokens":1', 1)
    path.write_bytes(other)
    age(path)
    with opened_below(home) as opened:
        again = [astuple(each) for each in counted(refs)]
    assert {ref.path for ref in refs} & {*opened} == {str(path)}
    assert again == measured(refs)


def test_a_log_that_was_just_written_is_not_trusted(home: Path):
    refs = sessions(home)
    path = home / "claude_code" / "classic.jsonl"
    later = time.time() + 3600
    os.utime(path, (later, later))
    counted(refs)
    with closing(sqlite3.connect(facts_path())) as file:
        kept = {name for (name,) in file.execute("SELECT path FROM usage")}
    assert {ref.path for ref in refs} - kept == {str(path)}


@pytest.mark.parametrize("change", ["zone", "prices"])
def test_other_days_or_prices_are_counted_anew(
    change: str, home: Path, monkeypatch: pytest.MonkeyPatch
):
    refs = sessions(home)
    counted(refs)
    if change == "zone":
        monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    else:
        monkeypatch.setattr(kept_usage, "prices_stamp", lambda: (0, 0, 0))
    with opened_below(home) as opened:
        counted(refs)
    assert {Path(each) for each in opened} >= {
        Path(ref.path) for ref in refs if Path(ref.path).is_file()
    }


def test_what_is_damaged_is_counted_anew(home: Path):
    refs = sessions(home)
    expected = [astuple(each) for each in counted(refs)]
    for change in ("x'00'", "substr(facts, 1, length(facts) - 1)", "5", "facts || x'00'"):
        with closing(sqlite3.connect(facts_path())) as file:
            file.execute(f"UPDATE usage SET facts = {change}")  # noqa: S608
            file.commit()
        assert [astuple(each) for each in counted(refs)] == expected


def test_what_the_library_indexes_is_not_counted_again(home: Path):
    roots = [(folder.name, folder) for folder in sorted(home.iterdir())]
    refs = sessions(home)
    with SessionCache() as catalogue:
        list(index_sessions(roots, lambda: False, catalogue))
    with opened_below(home) as opened:
        indexed = counted(refs)
    with closing(sqlite3.connect(facts_path())) as file:
        query = "SELECT path FROM usage WHERE length(variant) > 1"
        shared = {name for (name,) in file.execute(query)}
    # Whose responses another session counts, the library does not know.
    assert {ref.path for ref in refs} & {*opened} == shared & {ref.path for ref in refs}
    assert len(shared) < len(refs) / 2
    assert [astuple(each) for each in indexed] == measured(refs)


def test_totals_of_what_is_counted_are_kept(home: Path):
    refs = sessions(home)
    known = [load_provider(ref.provider).info(ref) for ref in refs]
    with SessionCache() as catalogue:
        catalogue.put((info.ref.path, (1, 1, 1), info) for info in known)
    counted(refs)
    with SessionCache() as catalogue:
        for info in known:
            facts = catalogue.get(info.ref.path)
            assert facts is not None
            assert facts.totals is not None
            assert facts.totals.turns == totals_of_log(info, PRICES).turns
            assert facts.is_current


def test_sums_of_kept_sessions_are_those_of_read_ones(home: Path):
    refs = sessions(home)
    counted(refs)
    for by in (None, *GroupKey):
        kept, read = Totals(by), Totals(by)
        claims = ResponseDedupe()
        for each in counted(refs):
            kept.add(each)
            read.add(measure(each.ref, PRICES, claims.of(each.ref.provider)))
        assert kept.all == read.all
        assert (kept.days, kept.tools) == (read.days, read.tools)
        if kept.breakdown is not None and read.breakdown is not None:
            assert kept.breakdown.ordered() == read.breakdown.ordered()
        assert (kept.turns, kept.unpriced) == (read.turns, read.unpriced)


def test_logs_that_are_not_kept_are_left_out_unless_they_are_to_be_read(home: Path):
    # Members of databases are not kept.
    mains = [ref for ref in sessions(home) if Path(ref.path).is_file()]
    found_in = (load_provider(folder.name).scan(folder) for folder in home.iterdir())
    agents = [ref for found in found_in for ref in found if ref.parent_id is not None]
    refs = [*mains, *agents]
    counted(mains[::2])
    with SessionCache() as catalogue, opened_below(home) as opened:
        found = list(CountedSessions(refs, catalogue, reads=False).each())
    assert not {ref.path for ref in mains[1::2]} & {*opened}
    left_out = [each.ref.path for each in found if each.usage is None and not each.is_agent]
    assert left_out == [ref.path for ref in mains[1::2]]
    assert {each.trouble for each in found} == {None}
    with SessionCache() as catalogue:
        every = list(CountedSessions(refs, catalogue).each())
    assert [each.usage for each in every if not each.is_agent] == counted(mains)


def test_a_log_that_is_gone_is_an_error(home: Path):
    (ref, *_) = sessions(home)
    counts = LogCounts(ref, PRICES)
    counts.read()
    assert counts.is_whole
    home.rename(home.with_name("elsewhere"))
    with pytest.raises(AgentViewError):
        counts.read()
    assert not counts.is_whole


def test_nothing_stays_of_logs_that_are_gone(home: Path):
    refs = sessions(home)
    counted(refs)
    gone = home / "claude_code" / "classic.jsonl"
    gone.unlink()
    with SessionCache() as catalogue:
        list(index_sessions([], lambda: False, catalogue))
    with closing(sqlite3.connect(facts_path())) as file:
        kept = {name for (name,) in file.execute("SELECT path FROM usage")}
    assert {ref.path for ref in refs} - kept == {str(gone)}
